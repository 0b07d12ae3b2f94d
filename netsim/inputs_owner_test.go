package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// own gives an entity an owner.
func (g *inputGame) own(e ecs.Entity, owner entangle.ClientID) {
	g.control(e, components.ControlledBy{Client: owner})
}

func (g *inputGame) control(e ecs.Entity, by components.ControlledBy) {
	m := generic.NewMap[components.ControlledBy](g.sim.World())
	*m.Get(e) = by
}

// grab makes a client write inputs for all entities that it has, whatever their owners are.
func (c *inputClient) grab() {
	c.tries = func(w *ecs.World) {
		tag := ecs.ComponentID[components.Controlled](w)
		steers := generic.NewFilter1[steer]().Without(generic.T[components.Controlled]())
		var others []ecs.Entity
		for q := steers.Query(w); q.Next(); {
			others = append(others, q.Entity())
		}
		for _, e := range others {
			w.Add(e, tag)
		}
	}
}

// Clients that send inputs for entities that others control, or that have no owner, change nothing:
// only the inputs of its own player act on an entity. Other inputs are counted, and their senders
// stay connected.
//
// Proves: I8, Z13
func TestClientsControlOnlyTheirOwnEntities(t *testing.T) {
	g := newInputGame(t, rough(30*ms, 5*ms, 0))
	owners := []entangle.ClientID{1, 2, 3, entangle.Nobody}
	var entities []ecs.Entity
	for _, owner := range owners {
		entities = append(entities, g.spawn(owner))
	}
	var clients []*inputClient
	for _, id := range owners[:3] {
		c := g.join(id)
		c.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move = int8(id) * 10 }
		c.grab()
		clients = append(clients, c)
	}
	g.awaitSync(4 * time.Second)
	g.sim.Run(4 * time.Second)
	for i, owner := range owners {
		for tick, a := range g.acted[entities[i]] {
			require.EqualValues(t, owner*10, a.Input.Move, "the entity of %d in tick %d", owner, tick)
		}
		for _, h := range g.received[entities[i]] {
			require.Equal(t, owner, h.Client)
		}
	}
	assert.Empty(t, g.received[entities[3]])
	for _, c := range clients {
		assert.True(t, c.Connected(), c.Client().Err())
	}
	assert.Greater(t, g.server.Stats().Inputs.Refused, uint64(1000))
}

// When an entity changes its owner, in-flight inputs of the old owner are refused, and it stands
// still until the new owner's first input.
func TestAnEntityChangesHands(t *testing.T) {
	g := newInputGame(t, rough(80*ms, 0, 0))
	a, b := g.join(1), g.join(2)
	a.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move = 1 }
	b.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move = 2 }
	e := g.spawn(1)
	for range 3 {
		g.own(e, 1)
		g.awaitSync(4 * time.Second)
		at := g.server.Tick()
		g.own(e, 2)
		g.sim.Run(2 * time.Second)
		require.Equal(t, acted{}, g.acted[e][at+1])
		began := false
		for tick := at + 1; tick != g.server.Tick()+1; tick++ {
			act := g.acted[e][tick]
			began = began || act.Status == plugin.FreshInput
			if began {
				require.EqualValues(t, 2, act.Input.Move, "tick %d", tick)
			} else {
				require.Equal(t, acted{}, act, "tick %d", tick)
			}
		}
		assert.True(t, began)
	}
	assert.NotZero(t, g.server.Stats().Inputs.Refused)
	assert.True(t, a.Connected() && b.Connected())
}

// An entity that is despawned, or loses its input component, loses its in-flight inputs; once the
// component is restored, it is driven again.
func TestAnEntityLosesItsInput(t *testing.T) {
	g := newInputGame(t, rough(80*ms, 0, 0))
	c := g.join(1)
	c.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move = 1 }
	dies, e := g.spawn(1), g.spawn(1)
	g.awaitSync(4 * time.Second)
	g.sim.World().RemoveEntity(dies)
	m := generic.NewMap1[steer](g.sim.World())
	for range 3 {
		m.Remove(e)
		g.sim.Run(time.Second)
		local, _ := c.Local(e)
		assert.False(t, c.World().Has(local, ecs.ComponentID[steer](c.World())))
		m.Assign(e, &steer{})
		back := g.server.Tick()
		g.sim.Run(2 * time.Second)
		require.Equal(t, acted{}, g.acted[e][back+1])
		require.Equal(t, plugin.FreshInput, g.acted[e][g.server.Tick()].Status)
		require.EqualValues(t, 1, g.acted[e][g.server.Tick()].Input.Move)
	}
	assert.True(t, c.Connected(), c.Client().Err())
	assert.NotZero(t, g.server.Stats().Inputs.Refused)
}

// A player drives several entities with several types of input each. References in inputs arrive as
// the server's entities.
func TestAPlayerDrivesSeveralEntities(t *testing.T) {
	aimed := map[ecs.Entity]aim{}
	g := newInputGame(t, rough(50*ms, 10*ms, 0.05), func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			all := generic.NewFilter1[aim]()
			return func() {
				for q := all.Query(w); q.Next(); {
					aimed[q.Entity()] = *q.Get()
				}
			}
		}))
	})
	c := g.join(1)
	one, two, other := g.spawn(1), g.spawn(1), g.spawn(entangle.Nobody)
	aims := generic.NewMap1[aim](g.sim.World())
	aims.Assign(two, &aim{})
	c.do = func(_ entangle.Tick, e ecs.Entity, s *steer) { s.Move = int8(len(c.acted[e]) % 50) }
	c.aims = func(tick entangle.Tick, _ ecs.Entity, a *aim) {
		at, _ := c.Local(other)
		*a = aim{Angle: uint16(tick), At: at}
		if tick%2 == 0 {
			a.At, _ = c.Local(one)
		}
	}
	g.awaitSync(4 * time.Second)
	g.sim.Run(4 * time.Second)
	for _, e := range []ecs.Entity{one, two} {
		assert.Greater(t, g.acted[e].statuses()[plugin.FreshInput], 220)
	}
	tick := g.server.Tick()
	want := map[bool]ecs.Entity{true: one, false: other}[tick%2 == 0]
	assert.Equal(t, map[ecs.Entity]aim{two: {Angle: uint16(tick), At: want}}, aimed)
}

// The server does not change an input that its own systems write to an entity without an owner.
func TestABotIsLeftAlone(t *testing.T) {
	var bot ecs.Entity
	g := newInputGame(t, rough(30*ms, 0, 0), func(s *plugin.Server) {
		s.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
			m := generic.NewMap[steer](w)
			return func() {
				if !bot.IsZero() {
					m.Get(bot).Move = 77
				}
			}
		}))
	})
	c := g.join(1)
	e := g.spawn(1)
	bot = g.spawn(entangle.Nobody)
	g.awaitSync(2 * time.Second)
	g.sim.Run(time.Second)
	for tick, a := range g.acted[bot] {
		require.Equal(t, acted{steer{Move: 77}, plugin.NoInput}, a, "tick %d", tick)
	}
	bot = e // an entity that a player drove becomes a bot
	g.own(e, entangle.Nobody)
	at := g.server.Tick()
	g.sim.Run(time.Second)
	require.EqualValues(t, 77, g.acted[e][at+1].Input.Move)
	assert.Zero(t, g.acted[e][at+1].Input.Made, "nothing of the player's is left")
	assert.True(t, c.Connected())
}

// A player that reconnects drives the entity that was kept for it, with empty input streams.
func TestAPlayerReturnsToItsEntity(t *testing.T) {
	g := newInputGame(t, rough(50*ms, 5*ms, 0.02))
	c := g.join(1)
	c.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move = 3 }
	e := g.spawn(1)
	g.control(e, components.ControlledBy{Client: 1, Keep: true})
	for range 3 {
		g.awaitSync(4 * time.Second)
		g.sim.Run(time.Second)
		require.Equal(t, plugin.FreshInput, g.acted[e][g.server.Tick()].Status)
		c.Disconnect()
		g.sim.Run(time.Second)
		require.Equal(t, acted{}, g.acted[e][g.server.Tick()])
		c.Connect()
		require.True(t, g.sim.RunUntil(5*time.Second, c.Connected))
	}
	g.sim.Run(4 * time.Second)
	assert.Equal(t, plugin.FreshInput, g.acted[e][g.server.Tick()].Status)
	assert.EqualValues(t, g.server.Tick(), g.acted[e][g.server.Tick()].Input.Made)
}
