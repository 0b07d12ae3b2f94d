package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// told counts the events of a world by entity.
type told struct {
	spawned, despawned         heard[plugin.EntitySpawned]
	inserted, updated, removed heard[entityEvent]
}

// entityEvent lets one list take the events of any component.
type entityEvent = plugin.ComponentInserted[spot]

func (o *told) systems() []plugin.System {
	return []plugin.System{o.spawned.system(), plugin.Func(func(w *ecs.World) func() {
		despawned := plugin.NewReader[plugin.EntityDespawned](w)
		inserted, updated, removed := plugin.NewReader[plugin.ComponentInserted[spot]](w),
			plugin.NewReader[plugin.ComponentUpdated[spot]](w), plugin.NewReader[plugin.ComponentRemoved[spot]](w)
		return func() {
			for _, e := range despawned.Read() {
				o.despawned.all = append(o.despawned.all, plugin.EntitySpawned(e))
			}
			o.inserted.all = append(o.inserted.all, inserted.Read()...)
			for _, e := range updated.Read() {
				o.updated.all = append(o.updated.all, entityEvent(e))
			}
			for _, e := range removed.Read() {
				o.removed.all = append(o.removed.all, entityEvent(e))
			}
		}
	})}
}

// took returns the number of events of each kind since the last call, in the order spawned,
// despawned, inserted, updated, removed.
func (o *told) took() [5]int {
	return [5]int{
		len(o.spawned.take()), len(o.despawned.take()),
		len(o.inserted.take()), len(o.updated.take()), len(o.removed.take()),
	}
}

// A host's player gets the same events in the host's own world as a remote client gets for its
// replicas: events of the entities and components that are for the player, and no others.
//
// Proves: C12
func TestAHostsPlayerIsToldOfWhatItSees(t *testing.T) {
	var o told
	h := newHosted(t, o.systems()...)
	h.spawn(spot{}, name{1})
	h.spawnIn(components.Nobody, 0, spot{}, name{2})
	h.run(3)
	assert.Zero(t, o.took(), "nobody is there")
	h.play()
	assert.Equal(t, [5]int{1, 0, 1, 0, 0}, o.took())

	spots := generic.NewMap1[spot](h.world)
	e, secret := h.spawn(spot{}, name{3}), h.spawnIn(components.Nobody, 0, spot{}, name{4})
	step := func(want [5]int, why string) {
		t.Helper()
		h.run(2)
		assert.Equal(t, want, o.took(), why)
	}
	step([5]int{1, 0, 1, 0, 0}, "spawned")
	spots.Get(e).X, spots.Get(secret).X = 1, 1
	step([5]int{0, 0, 0, 1, 0}, "updated")
	spots.Remove(e)
	step([5]int{0, 0, 0, 0, 1}, "removed")
	spots.Assign(e, &spot{})
	step([5]int{0, 0, 1, 0, 0}, "inserted")
	h.retarget(secret, components.Everyone)
	step([5]int{1, 0, 1, 0, 0}, "shown")
	h.retarget(secret, h.targets().Except(me))
	step([5]int{0, 1, 0, 0, 0}, "hidden")
	assert.True(t, h.world.Alive(secret))
	h.retarget(secret, h.targets().Only(me))
	spots.Get(secret).X = 5
	step([5]int{1, 0, 1, 0, 0}, "shown again")
	hide := plugin.NewOverride[spot](h.world)
	hide.SetTarget(e, h.targets().Except(me))
	step([5]int{0, 0, 0, 0, 1}, "a component is not for it")
	spots.Get(e).X = 7
	step([5]int{}, "nor is its value")
	hide.Clear(e)
	step([5]int{0, 0, 1, 0, 0}, "and is again")

	marks := generic.NewMap1[components.Replicate](h.world)
	marks.Remove(e)
	spots.Get(e).X = 8
	step([5]int{}, "paused")
	marks.Assign(e, &components.Replicate{})
	step([5]int{0, 0, 0, 1, 0}, "resumed")
	late := h.spawn(spot{}, name{8})
	step([5]int{1, 0, 1, 0, 0}, "another")
	marks.Remove(late)
	h.run(1)
	h.host.Player().Disconnect()
	require.NoError(t, h.host.Player().Connect(nil))
	h.run(2)
	assert.Equal(t, [5]int{3, 4, 3, 0, 0}, o.took(), "what is paused does not come")
	marks.Assign(late, &components.Replicate{})
	step([5]int{1, 0, 1, 0, 0}, "until it resumes")
	h.world.RemoveEntity(late)
	step([5]int{0, 1, 0, 0, 0}, "gone")
	h.world.RemoveEntity(e)
	h.world.RemoveEntity(secret)
	step([5]int{0, 2, 0, 0, 0}, "despawned")

	h.host.Player().Disconnect()
	step([5]int{0, 1, 0, 0, 0}, "it left")
	spots.Get(h.spawn(spot{}, name{9})).X = 3
	step([5]int{}, "nobody is there")
	require.NoError(t, h.host.Player().Connect(nil))
	step([5]int{2, 0, 2, 0, 0}, "it is back, and told of all")
}

// When an entity moves from one group to another, or the members of a group change, the host's
// player gets the events of the part of each group that it can see.
func TestAHostsPlayerAndGroups(t *testing.T) {
	var o told
	h := newHosted(t, o.systems()...).play()
	mine := h.spawnIn(components.Owner, 7, spot{}, name{1})
	h.control(mine, components.ControlledBy{Client: me})
	h.spawnIn(components.Owner, 7, spot{}, name{2})
	open := h.spawnIn(components.Everyone, 7, spot{}, name{3})
	marks := generic.NewMap1[components.Replicate](h.world)
	step := func(want [5]int) {
		t.Helper()
		h.run(2)
		assert.Equal(t, want, o.took())
	}
	step([5]int{2, 0, 2, 0, 0})
	h.control(mine, components.ControlledBy{Client: 3})
	step([5]int{0, 1, 0, 0, 0})
	h.retarget(open, components.Nobody)
	step([5]int{0, 1, 0, 0, 0})
	h.retarget(open, components.Everyone)
	marks.Get(open).Group = 8
	step([5]int{1, 0, 1, 0, 0})
	marks.Get(open).Group = 0
	step([5]int{})
}

// A host's player gets events for the resources that are for it. They are the host's own resources.
//
// Proves: C12
func TestAHostsPlayerIsToldOfResources(t *testing.T) {
	var in heard[plugin.ResourceInserted[weather]]
	var up heard[plugin.ResourceUpdated[weather]]
	var out heard[plugin.ResourceRemoved[weather]]
	h := newHosted(t, in.system(), up.system(), out.system()).play()
	sky := &weather{}
	ecs.AddResource(h.world, sky)
	step := func(want [3]int) {
		t.Helper()
		h.run(2)
		assert.Equal(t, want, [3]int{len(in.take()), len(up.take()), len(out.take())})
		assert.Same(t, sky, ecs.GetResource[weather](h.world))
	}
	plugin.ReplicateResource[weather](h.world, components.Everyone)
	step([3]int{1, 0, 0})
	sky.Wind++
	step([3]int{0, 1, 0})
	plugin.ReplicateResource[weather](h.world, h.targets().Except(me))
	step([3]int{0, 0, 1})
	sky.Wind++
	step([3]int{})
	plugin.ReplicateResource[weather](h.world, components.Everyone)
	step([3]int{1, 0, 0})
	plugin.StopResource[weather](h.world)
	sky.Wind++
	step([3]int{})
	h.host.Player().Disconnect()
	step([3]int{0, 0, 1})
}

// A game may change its entities in the frames in which the player connects and disconnects. The
// events remain in order: every entity spawns before it despawns, and spawn events are raised
// exactly for the entities that are for the player.
func TestEventsWhileAHostsPlayerComesAndGoes(t *testing.T) {
	var h *hosted
	alive := map[ecs.Entity]bool{}
	read := plugin.Func(func(w *ecs.World) func() {
		spawned, despawned := plugin.NewReader[plugin.EntitySpawned](w), plugin.NewReader[plugin.EntityDespawned](w)
		return func() {
			for _, e := range spawned.Read() {
				require.False(t, alive[e.Entity])
				alive[e.Entity] = true
			}
			for _, e := range despawned.Read() {
				require.True(t, alive[e.Entity])
				delete(alive, e.Entity)
			}
		}
	})
	h = newHosted(t, read).play()
	var all []ecs.Entity
	for i := range 300 {
		switch i % 7 {
		case 0, 1, 2:
			all = append(all, h.spawn(spot{}, name{uint32(i)}))
		case 3:
			h.world.RemoveEntity(all[0])
			all = all[1:]
		case 4:
			h.host.Disconnect(me, "out")
		case 5:
			_ = h.host.Player().Connect(nil)
		}
		if i%3 > 0 {
			h.run(1)
		}
	}
	_ = h.host.Player().Connect(nil)
	h.run(3)
	assert.Len(t, alive, len(all))
	h.host.Player().Disconnect()
	h.run(3)
	assert.Empty(t, alive)
}
