package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// The inputs of a host's player reach remote clients like those of any other player. On the host
// they act at once, or after the input delay of its player. If the delay covers the latency, they
// arrive at the clients in time for their tick.
//
// Proves: I3, I9, I12
func TestAHostsPlayerIsSeenByItsInputs(t *testing.T) {
	for _, c := range []struct {
		host, remote int
		fresh        bool
	}{{0, 0, false}, {14, 14, true}, {30, 0, true}} {
		d, host := newHostDriving(t, rough(50*ms, 10*ms, 0))
		require.NoError(t, host.Player().SetInputDelay(plugin.InputDelay{Min: c.host}))
		a, b := d.join(1, c.remote), d.join(2, c.remote)
		ofHost, ofA := d.spawn(7, components.Replicate{}), d.spawn(1, components.Replicate{})
		d.run(12*time.Second, 5*time.Second, a, b)
		for tick, what := range d.of(d.server, ofHost) {
			require.Equal(t, taken{drive{tick, 7, tick%16 == 0}, plugin.FreshInput}, what)
		}
		assert.Equal(t, len(d.of(d.server, ofA)), statuses(d.of(d.server, ofA))[plugin.FreshInput])
		if c.fresh {
			d.requireFresh(a, ofHost, 7)
			d.requireFresh(b, ofHost, 7)
			continue
		}
		seen := d.of(b, ofHost)
		assert.Equal(t, map[plugin.InputStatus]int{plugin.RepeatedInput: len(seen)}, statuses(seen))
		for tick, what := range seen {
			assert.EqualValues(t, 7, what.Player)
			assert.LessOrEqual(t, tick.Sub(what.Act), int32(20))
		}
	}
}

// The input delay of a host's player changes while it plays. Remote clients receive each of its
// inputs once.
//
// Proves: I9, I10
func TestAHostsPlayerChangesItsDelay(t *testing.T) {
	d, host := newHostDriving(t, rough(20*ms, 5*ms, 0))
	b := d.join(1, 10)
	e := d.spawn(7, components.Replicate{})
	d.run(8*time.Second, 0, b)
	for _, delay := range []int{12, 30, 8, 0, 12} {
		require.NoError(t, host.Player().SetInputDelay(plugin.InputDelay{Min: delay}))
		d.sim.Run(time.Second)
	}
	require.Error(t, host.Player().SetInputDelay(plugin.InputDelay{Min: -1}))
	require.Error(t, host.Player().SetInputDelay(plugin.InputDelay{Min: plugin.MaxInputDelay + 1}))
	server := d.of(d.server, e)
	next := server[host.Tick()]
	for tick := host.Tick(); ; tick-- {
		at, ok := server[tick]
		if !ok {
			break
		}
		// A kick follows later if the tick already has an input, because the delay was longer
		// before.
		require.True(t, next.Kick || !next.Act.Before(at.Act), "tick %d", tick)
		next = at
	}
	for tick, what := range d.of(b, e) {
		if truth, ran := server[tick]; ran && what.status == plugin.FreshInput {
			assert.Equal(t, truth, what)
		}
	}
	d.run(time.Second, 3*time.Second, b)
	d.requireFresh(b, e, 7)
}

// When the player of a host leaves, its entities stand still everywhere.
//
// Proves: I9
func TestAHostsPlayerThatLeavesDrivesNothing(t *testing.T) {
	d, host := newHostDriving(t, rough(20*ms, 5*ms, 0))
	b := d.join(1, 10)
	e := d.spawn(7, components.Replicate{})
	control := ecs.ComponentID[components.ControlledBy](d.sim.World())
	(*components.ControlledBy)(d.sim.World().Get(e, control)).Keep = true
	d.sim.Run(3 * time.Second)
	require.NotZero(t, d.of(b, e)[b.Client().Tick()].Act)
	host.Player().Disconnect()
	d.run(2*time.Second, time.Second, b)
	assert.Equal(t, map[plugin.InputStatus]int{plugin.NoInput: len(d.of(b, e))}, statuses(d.of(b, e)))
	for _, what := range d.of(d.server, e) {
		assert.Zero(t, what)
	}
}
