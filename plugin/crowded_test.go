package plugin_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// limited adds a client with a bound of entities.
func (g *game) limited(most int, log *slog.Logger, bell *doorbell) *player {
	g.t.Helper()
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Clock: g.clock, MaxEntities: most, Log: log})
	require.NoError(g.t, err)
	c.AddSystem(plugin.AfterReceive, bell.system())
	w := ecs.NewWorld()
	c.Initialize(&w)
	p := &player{Client: c, world: &w}
	g.clients = append(g.clients, p)
	g.connect(p, 1)
	return p
}

// A client accepts as many entities as its config allows. It disconnects from a server with one
// more, and the reason tells both sides which setting to change.
//
// Proves: Z7, Z17
func TestAClientTakesNoMoreEntitiesThanItsConfigSays(t *testing.T) {
	for what, group := range map[string]components.Group{"each in its own group": 0, "all in one": 1} {
		t.Run(what, func(t *testing.T) {
			var server, client doorbell
			g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
			var log bytes.Buffer
			c := g.limited(10, slog.New(slog.NewTextHandler(&log, nil)), &client)
			spawn := func(n uint32) ecs.Entity { return g.spawnOf(components.Replicate{Group: group}, n) }
			var entities []ecs.Entity
			for n := range uint32(10) {
				entities = append(entities, spawn(n))
			}
			g.run(30)
			for n := range uint32(30) { // the number of entities stays the same
				g.world.RemoveEntity(entities[0])
				g.run(5)
				entities = append(entities[1:], spawn(100+n))
				g.run(5)
			}
			require.Equal(t, plugin.Connected, c.State(), c.Err())
			require.Len(t, spots(c.world), 10)

			spawn(1000)
			g.run(10)
			const reason = "the server replicates more than 10 entities to this client, the limit of ClientConfig.MaxEntities"
			assert.Equal(t, plugin.Disconnected, c.State())
			assert.EqualError(t, c.Err(), reason)
			assert.ErrorIs(t, c.Err(), plugin.ErrOverLimit)
			assert.Zero(t, count[components.Remote](c.world))
			assert.Contains(t, log.String(), "raise ClientConfig.MaxEntities")
			for side, bell := range map[string]doorbell{"server": server, "client": client} {
				require.Len(t, bell.went, 1, side)
				assert.EqualValues(t, 1, bell.went[0].Client, side)
				assert.EqualError(t, bell.went[0].Err, reason, side)
				assert.ErrorIs(t, bell.went[0].Err, plugin.ErrOverLimit, side)
			}
		})
	}
}

// A server that sends only entities of one bit each cannot make a client hold more than its bound,
// or spawn more in a frame than the bound for one frame.
//
// Proves: Z7, Z17
func TestAServerOfNothingButEntities(t *testing.T) {
	const each = 3900 // size of a packet
	y := newTyrant(t)
	before, most, had := heap(), 0, 0
	for n := repl.Handle(0); y.c.State() == plugin.Connected && n < 200; n++ {
		y.multiply(n*each, 10, each)
		if n%12 == 11 { // the number of packets in one frame
			y.step()
			now := count[components.Remote](y.c.world)
			most, had = max(most, now-had), now
		}
	}
	for range 20 {
		y.step()
	}
	assert.Equal(t, plugin.Disconnected, y.c.State())
	assert.ErrorContains(t, y.c.Err(), "more than 131072 entities")
	assert.Zero(t, count[components.Remote](y.c.world))
	assert.Positive(t, most)
	assert.LessOrEqual(t, most, 1<<14+each)
	assert.Less(t, heap(), before+131_072<<10)
}

// multiply sends an action with n groups, each of one entity without components.
func (y *tyrant) multiply(first repl.Handle, tick entangle.Tick, n int) {
	var w bits.Writer
	w.Bits(uint64(tick), 32)
	w.Bool(false) // records of single groups
	heads := repl.Heads{Tick: tick}
	heads.Append(&w, &repl.Record{Kind: repl.Full, Group: first, Tick: tick})
	w.Bits(0b1000, 4) // no predicted entities, no references, no leavers; a group of one
	w.Bits(0, 3)      // no components
	for range n - 1 {
		w.Bool(true) // another group follows
	}
	heads.End(&w)
	y.say(peer.Actions, w.Finish())
}

func TestMaxEntitiesIsANumberOfEntities(t *testing.T) {
	_, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), MaxEntities: -1})
	assert.ErrorContains(t, err, "ClientConfig.MaxEntities is -1; leave it zero for 131072")
}
