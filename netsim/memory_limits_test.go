package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// bound is one of the limits that random worlds check at every end.
type bound struct {
	says string
	of   func(*endpoint.Load) *int
}

var bounds = []bound{
	{"actions without acknowledgement", func(l *endpoint.Load) *int { return &l.Actions }},
	{"early and incomplete messages", func(l *endpoint.Load) *int { return &l.Early }},
	{"waiting records", func(l *endpoint.Load) *int { return &l.Waiting }},
	{"received messages that wait", func(l *endpoint.Load) *int { return &l.Held }},
	{"queued reliable messages", func(l *endpoint.Load) *int { return &l.Queued }},
	{"packets in flight", func(l *endpoint.Load) *int { return &l.InFlight }},
	{"tombstones", func(l *endpoint.Load) *int { return &l.Tombstones }},
}

// limit returns the greatest value of the load that passes the check.
func (b bound) limit() int {
	low, high := 0, 1<<30
	for low < high {
		var load endpoint.Load
		middle := (low + high + 1) / 2
		if *b.of(&load) = middle; load.Check() == nil {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// On a bad line, an end keeps data of every kind. If it kept as much more as a limit allows, the
// limit would be passed. So every load is measured, and every limit is checked.
func TestEveryLimitOfMemoryCanBePassed(t *testing.T) {
	loads := burdened(t)
	for _, b := range bounds {
		limit, failed := b.limit(), false
		require.Positive(t, limit)
		for _, load := range loads {
			require.NoError(t, load.Check(), "as it is")
			kept := *b.of(&load)
			if *b.of(&load) += limit; kept > 0 {
				failed = true
				require.ErrorContains(t, load.Check(), b.says)
			}
		}
		assert.True(t, failed, "nothing was kept of %s", b.says)
	}
}

type about struct{ Entity ecs.Entity }

// burdened makes a server and a client keep data of every kind, and returns their loads at every
// frame.
func burdened(t *testing.T) (loads []endpoint.Load) {
	names := func() *protocol.Protocol {
		p := spotProtocol()
		protocol.Message[about](p)
		return p
	}
	sim := netsim.New(t, netsim.Config{Seed: 1, Link: netsim.Symmetric(conditioner.Config{
		Latency: 50 * ms, Jitter: 50 * ms, Loss: 0.4,
	})})
	serve(t, sim, sim.ServerConfig(names()), plugin.Func(chatter))
	c := newClient(t, sim.ClientConfig(names()))
	peer := sim.AddClient(1, c, c)
	require.True(t, sim.RunUntil(10*time.Second, peer.Connected))
	sim.RunUntil(20*time.Second, func() bool {
		loads = append(append(loads, apps.Of(sim.World()).Server.Loads()...), apps.Of(c.World()).Client.Load())
		return false
	})
	return loads
}

// chatter spawns more entities from time to time than a packet holds, removes one of them, and
// changes the last one in every tick. Its messages refer to an entity that was paused before any
// client came, so that all of them wait for it.
func chatter(w *ecs.World) func() {
	spot, replicate := ecs.ComponentID[Spot](w), ecs.ComponentID[components.Replicate](w)
	send := plugin.NewSender[about](w)
	absent := w.NewEntity(spot, replicate)
	last, ticks := absent, 0
	return func() {
		ticks++
		(*Spot)(w.Get(last, spot)).X++
		switch {
		case ticks == 2:
			w.Remove(absent, replicate)
		case ticks%20 == 0:
			old := last
			for range 100 {
				last = w.NewEntity(spot, replicate)
			}
			if old != absent {
				w.RemoveEntity(old)
			}
			_ = send.Send(components.Everyone, about{absent}) // fails if no client is connected yet
		}
	}
}
