package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// ownedProtocol replicates ownership to clients.
func ownedProtocol() *protocol.Protocol {
	p := testProtocol()
	protocol.Component[components.ControlledBy](p)
	return p
}

func newOwnedGame(t *testing.T, systems ...func(*plugin.Server)) *game {
	return newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = ownedProtocol() }, systems...)
}

// controlled returns the names of the entities that a player knows as its own.
func (p *player) controlled() (ids []uint32) {
	m := ecs.ComponentID[components.Controlled](p.world)
	for _, id := range p.ids() {
		if p.world.Has(p.copies()[id], m) {
			ids = append(ids, id)
		}
	}
	return ids
}

// When a client's connection ends, its owned entities are despawned, replicated or not, except
// those with Keep.
//
// Proves: R18
func TestWhatAClientControlsGoesWithIt(t *testing.T) {
	g := newOwnedGame(t)
	a, b := g.joinWith(ownedProtocol(), 1), g.joinWith(ownedProtocol(), 2)
	var all []ecs.Entity
	for id, c := range []components.ControlledBy{{Client: 1}, {Client: 1, Keep: true}, {Client: 2}, {}} {
		e := g.spawn(spot{}, name{uint32(id)})
		g.control(e, c)
		all = append(all, e)
	}
	secrets := generic.NewMap2[private, components.ControlledBy](g.world)
	own := secrets.NewWith(&private{}, &components.ControlledBy{Client: 1})
	g.run(30)
	assert.ElementsMatch(t, []ecs.Entity{all[0], all[1], own}, g.server.Controlled(1))
	assert.Equal(t, []ecs.Entity{all[2]}, g.server.Controlled(2))
	a.Disconnect()
	g.run(10)
	assert.False(t, g.world.Alive(all[0]))
	assert.False(t, g.world.Alive(own))
	assert.Equal(t, []uint32{1, 2, 3}, b.ids())
	assert.Equal(t, []ecs.Entity{all[1]}, g.server.Controlled(1))
}

// Systems that read the disconnect event still find the client's entities, in the set AfterReceive and
// in a tick. Entities that they give to another owner stay.
func TestAGameMayRescueWhatAClientControlled(t *testing.T) {
	var heirs []entangle.ClientID
	rescue := func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			gone := plugin.NewReader[plugin.ClientDisconnected](w)
			m := generic.NewMap1[components.ControlledBy](w)
			return func() {
				for _, e := range gone.Read() {
					left := s.Controlled(e.Client)
					for i, e := range left {
						if i < len(heirs) {
							*m.Get(e) = components.ControlledBy{Client: heirs[i]}
						}
					}
				}
			}
		}))
	}
	heirs = []entangle.ClientID{2, entangle.Nobody}
	g := newOwnedGame(t, rescue)
	a, b := g.joinWith(ownedProtocol(), 1), g.joinWith(ownedProtocol(), 2)
	for id := range uint32(3) {
		g.control(g.spawn(spot{}, name{id}), components.ControlledBy{Client: 1})
	}
	g.run(30)
	a.Disconnect()
	g.run(10)
	assert.Len(t, b.ids(), 2)
	assert.Len(t, b.controlled(), 1)
}

// An entity that is given to a client that has left in the same moment is removed with the client's
// other entities. One that is given to another client in that moment stays.
func TestAnOwnerChangesWhileTheOldOneLeaves(t *testing.T) {
	g := newOwnedGame(t)
	a, b := g.joinWith(ownedProtocol(), 1), g.joinWith(ownedProtocol(), 2)
	from, to := g.spawnIn(components.Owner, 0, spot{}, name{1}), g.spawnIn(components.Owner, 0, spot{}, name{2})
	g.control(from, components.ControlledBy{Client: 1})
	g.control(to, components.ControlledBy{Client: 2})
	g.run(30)
	a.Disconnect()
	g.control(from, components.ControlledBy{Client: 2})
	g.control(to, components.ControlledBy{Client: 1})
	g.run(10)
	assert.Equal(t, []uint32{1}, b.ids())
	assert.Equal(t, []uint32{1}, b.controlled())
	assert.False(t, g.world.Alive(to))
}

// A client that reconnects within the frame keeps the entities that it was given since.
func TestAClientThatIsBackAtOnceKeepsWhatIsNew(t *testing.T) {
	g := newOwnedGame(t)
	a := g.joinWith(ownedProtocol(), 1)
	old := g.spawn(spot{}, name{1})
	g.control(old, components.ControlledBy{Client: 1})
	g.run(30)
	require.True(t, g.server.Disconnect(1, "again"))
	next := g.spawn(spot{}, name{2})
	g.control(next, components.ControlledBy{Client: 1})
	g.now = g.now.Add(1)
	g.server.Step(g.now)
	a.Step(g.now)
	require.Equal(t, plugin.Disconnected, a.State())
	g.connect(a, 1)
	for range 200 { // without a tick
		g.now = g.now.Add(1)
		a.Step(g.now)
		g.server.Step(g.now)
	}
	require.Len(t, g.server.Clients(), 1)
	g.run(30)
	assert.False(t, g.world.Alive(old))
	assert.True(t, g.world.Alive(next))
	assert.Equal(t, []uint32{2}, a.controlled())
}

// A client's owned entities have the tag Controlled from the moment in which they appear, and only
// as long as the client owns them.
//
// Proves: R18
func TestAClientKnowsItsOwnEntities(t *testing.T) {
	g := newOwnedGame(t)
	whole := 0
	look := plugin.Func(func(w *ecs.World) func() {
		spawned := plugin.NewReader[plugin.EntitySpawned](w)
		return func() {
			for _, e := range spawned.Read() {
				if w.Has(e.Entity, ecs.ComponentID[components.Controlled](w)) {
					whole++
				}
			}
		}
	})
	a := g.joinWith(ownedProtocol(), 1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, look) })
	b := g.joinWith(ownedProtocol(), 2)
	e := g.spawn(spot{}, name{1})
	g.spawn(spot{}, name{2})
	g.control(e, components.ControlledBy{Client: 1})
	g.run(30)
	owned := func(as, bs []uint32) {
		t.Helper()
		g.run(10)
		assert.Equal(t, as, a.controlled())
		assert.Equal(t, bs, b.controlled())
	}
	owned([]uint32{1}, nil)
	assert.Equal(t, 1, whole)
	for range 3 {
		g.control(e, components.ControlledBy{Client: 2})
		owned(nil, []uint32{1})
		g.control(e, components.ControlledBy{Client: 1})
		owned([]uint32{1}, nil)
	}
	g.control(e, components.ControlledBy{Client: 1, Keep: true})
	owned([]uint32{1}, nil)
	controls := generic.NewMap1[components.ControlledBy](g.world)
	controls.Remove(e)
	owned(nil, nil)
	controls.Assign(e, &components.ControlledBy{Client: 2})
	owned(nil, []uint32{1})
}
