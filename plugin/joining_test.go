package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// arrivals records the events of joining clients on one side, and how much of the world existed
// when a client was reported to have all of it.
type arrivals struct {
	came, joined []entangle.ClientID
	had          []int
}

func (a *arrivals) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		came, joined := plugin.NewReader[plugin.ClientConnected](w), plugin.NewReader[plugin.ClientJoined](w)
		return func() {
			for _, e := range came.Read() {
				a.came = append(a.came, e.Client)
			}
			for _, e := range joined.Read() {
				a.joined, a.had = append(a.joined, e.Client), append(a.had, len(spots(w)))
			}
		}
	})
}

// A client joins late, and the world takes many ticks to send. Both the client and the server get
// an event once the client has all of it. Until then both know that it is incomplete.
//
// Proves: R3
func TestBothSidesAreToldWhenAClientHasAllThatWasThere(t *testing.T) {
	const there = 5000
	var server, client arrivals
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
	g.run(30)
	for id := range uint32(there) {
		g.spawn(spot{1, float32(id)}, name{id})
	}
	g.run(30)
	c := g.join(9, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, client.system()) })
	have, of := groups(c)
	require.Zero(t, have+of)
	partly := 0
	for range 200 {
		g.run(1)
		have, of = groups(c)
		if of > 0 && !c.Joined() {
			require.Equal(t, there, of)
			require.Less(t, have, of)
			partly++
		}
		if info := g.server.Clients(); len(info) > 0 && info[0].Joined {
			require.Len(t, spots(c.world), there, "what the server says is so")
		}
		if c.Joined() {
			break
		}
		require.Empty(t, client.joined)
	}
	require.True(t, c.Joined())
	have, of = groups(c)
	assert.Equal(t, []int{there, there}, []int{have, of})
	g.run(2)
	assert.Greater(t, partly, 2, "it takes several ticks")
	assert.Equal(t, arrivals{[]entangle.ClientID{9}, []entangle.ClientID{9}, []int{there}}, client)
	assert.Equal(t, arrivals{[]entangle.ClientID{9}, []entangle.ClientID{9}, []int{there}}, server)
	assert.True(t, g.server.Clients()[0].Joined)

	c.Disconnect()
	assert.False(t, c.Joined())
	g.run(10)
	g.connect(c, 9)
	g.run(120)
	assert.Equal(t, []entangle.ClientID{9, 9}, client.joined, "each connection joins anew")
	assert.Equal(t, []entangle.ClientID{9, 9}, server.joined)
}

// groups returns how many groups have arrived, and how many were there.
func groups(c *player) (have, of int) {
	s := c.Stats()
	return s.GroupsArrived, s.GroupsExpected
}

// Only visible entities count: a client has joined once it has all that it may see.
//
// Proves: R3
func TestAClientJoinsWithWhatIsForIt(t *testing.T) {
	g := newGame(t)
	others := ecs.GetResource[components.Targets](g.world).Except(9)
	for id := range uint32(300) {
		if e := g.spawn(spot{1, float32(id)}, name{id}); id%3 == 0 {
			at[components.Replicate](g.world, e).Target = others
		}
	}
	c := g.join(9)
	for range 200 {
		if g.run(1); c.Joined() {
			break
		}
	}
	require.True(t, c.Joined())
	_, of := groups(c)
	assert.Equal(t, 200, of)
	assert.Len(t, spots(c.world), 200)
}

// A server that sends more packets in a tick than one header can acknowledge does not count any as
// lost because of that: a client that reads them in one frame answers more than once.
//
// Proves: P2
func TestManyPacketsOfATickAreAllAcknowledged(t *testing.T) {
	g := newGame(t)
	const many = 8000
	var all []ecs.Entity
	for id := range uint32(many) {
		all = append(all, g.spawn(spot{}, name{id}))
	}
	c := g.join(9)
	g.run(60)
	require.True(t, c.Joined())
	before := g.server.Stats()
	for range 60 {
		for _, e := range all {
			at := at[spot](g.world, e)
			at.X, at.Y = at.X+1, at.Y+2
		}
		g.run(1)
	}
	after := g.server.Stats()
	require.Greater(t, after.PacketsOut-before.PacketsOut, uint64(60*33), "or this tests nothing")
	assert.Zero(t, g.server.Clients()[0].Loss)
	assert.Zero(t, after.Replication.Resent)
	assert.Equal(t, spots(g.world), spots(c.world))
}
