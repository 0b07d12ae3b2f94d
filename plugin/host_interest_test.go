package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A host's player gets no events of irrelevant entities, and Sees tells a game which entities not
// to draw.
//
// Proves: C12
func TestAHostsPlayerIsToldOfWhatMatters(t *testing.T) {
	var o told
	var rooms plugin.Rooms
	var relevance plugin.Relevance
	h := newHosted(t, append(o.systems(), plugin.Func(func(w *ecs.World) func() {
		rooms, relevance = plugin.NewRooms(w), plugin.NewRelevance(w)
		return nil
	}))...).play()
	marked := generic.NewMap3[spot, name, components.Replicate](h.world)
	spots := generic.NewMap1[spot](h.world)
	var near, kept [2]ecs.Entity // each in a group of one
	for i := range near {
		near[i] = marked.NewWith(&spot{}, &name{uint32(i)}, &components.Replicate{Group: 3, Relevance: components.ByInterest})
		kept[i] = marked.NewWith(&spot{}, &name{uint32(i + 2)}, &components.Replicate{Group: 4, Relevance: components.Retained})
	}
	step := func(want [5]int, why string) {
		t.Helper()
		h.run(2)
		assert.Equal(t, want, o.took(), why)
	}
	step([5]int{}, "nothing matters")
	assert.False(t, relevance.Sees(near[0], me))
	rooms.AddClient(1, me)
	rooms.AddEntity(1, near[0])
	rooms.AddEntity(1, kept[1])
	step([5]int{4, 0, 4, 0, 0}, "two groups")
	assert.True(t, relevance.Sees(near[1], me))
	assert.True(t, relevance.Sees(kept[0], me))

	rooms.RemoveClient(1, me)
	step([5]int{0, 2, 0, 0, 0}, "one group goes, one stays")
	assert.False(t, relevance.Sees(near[1], me))
	assert.False(t, relevance.Sees(kept[0], me))
	spots.Get(kept[0]).X, spots.Get(near[0]).X = 3, 3
	spots.Remove(kept[1])
	step([5]int{}, "nothing more is told of it")
	h.world.RemoveEntity(kept[1])
	step([5]int{0, 1, 0, 0, 0}, "but its end")
	relevance.Show(kept[0], me)
	step([5]int{0, 0, 0, 1, 0}, "and what it is by now, when it matters again")

	relevance.Hide(kept[0], me)
	step([5]int{}, "retained")
	h.retarget(kept[0], h.targets().Except(me))
	step([5]int{0, 1, 0, 0, 0}, "it is not for the player any more")

	relevance.Show(near[0], me)
	step([5]int{2, 0, 2, 0, 0}, "shown")
	h.host.Player().Disconnect()
	step([5]int{0, 2, 0, 0, 0}, "left")
	_ = h.host.Player().Connect(nil)
	step([5]int{}, "nothing is inherited")
}

// A retained entity that changes its group out of view despawns for a host's player, as for a remote client, and spawns
// again when it is relevant.
//
// Proves: V4, C12
func TestAHostsPlayerLosesARetainedEntityThatChangesItsGroup(t *testing.T) {
	for how, to := range map[string]components.Group{"a new group": 7, "an existing group": 5, "no group": 0} {
		var o told
		h := newHosted(t, o.systems()...).play()
		relevance := plugin.NewRelevance(h.world)
		remote := h.join(1)
		h.run(30)
		marked := generic.NewMap3[spot, name, components.Replicate](h.world)
		e := marked.NewWith(&spot{}, &name{1}, &components.Replicate{Group: 4, Relevance: components.Retained})
		marked.NewWith(&spot{}, &name{2}, &components.Replicate{Group: 5, Relevance: components.Retained})
		relevance.Show(e, me)
		relevance.Show(e, 1)
		h.run(10)
		relevance.Hide(e, me)
		relevance.Hide(e, 1)
		h.run(10)
		came := o.took()
		assert.Equal(t, 1, came[0]-came[1])
		assert.Len(t, remote.ids(), 1)
		tags := generic.NewMap1[components.Replicate](h.world)
		tags.Get(e).Group = to
		h.run(10)
		assert.Equal(t, [5]int{0, 1, 0, 0, 0}, o.took(), how)
		assert.Empty(t, remote.ids(), how)
		relevance.Show(e, me)
		relevance.Show(e, 1)
		h.run(10)
		assert.Len(t, remote.ids(), o.took()[0], "%s, shown again", how)
	}
}

// When a client may no longer see part of a retained group, it loses that part and nothing else.
// This holds for the host's player as for a remote client: an entity despawns, and a component is
// reported as removed.
//
// Proves: V11
func TestWhatAHostsPlayerMayNotKeep(t *testing.T) {
	for _, together := range []bool{false, true} {
		var o told
		h := newHosted(t, o.systems()...).play()
		rooms, places := plugin.NewRooms(h.world), plugin.NewOverride[spot](h.world)
		remote := h.join(1)
		h.run(30)
		marked := generic.NewMap3[spot, name, components.Replicate](h.world)
		var group [3]ecs.Entity
		for i := range group {
			group[i] = marked.NewWith(&spot{}, &name{uint32(i)}, &components.Replicate{Group: 4, Relevance: components.Retained})
		}
		rooms.AddEntity(1, group[0])
		rooms.AddClient(1, me)
		rooms.AddClient(1, 1)
		h.run(10)
		came := o.took()
		assert.Equal(t, 3, came[0]-came[1])
		assert.Len(t, remote.ids(), 3)
		rooms.RemoveClient(1, me)
		rooms.RemoveClient(1, 1)
		if !together {
			h.run(10)
			assert.Zero(t, o.took())
		}
		h.retarget(group[1], h.targets().Except(me, 1))
		places.SetTarget(group[2], h.targets().Except(me, 1))
		h.run(10)
		assert.Equal(t, [5]int{0, 1, 0, 0, 1}, o.took(), "in one tick: %v", together)
		assert.Len(t, remote.ids(), 2)
		assert.Len(t, spots(remote.world), 1)
		places.SetTarget(group[0], components.Nobody)
		h.run(10)
		assert.Equal(t, [5]int{0, 0, 0, 0, 1}, o.took(), "nobody's")
		assert.Empty(t, spots(remote.world))
		rooms.AddClient(1, me)
		h.run(10)
		assert.Equal(t, [5]int{0, 0, 0, 0, 0}, o.took(), "shown again, without them")
	}
}

// The entities that a host's player owns are relevant to it, unless the game overrides that.
func TestWhatAHostsPlayerOwnsMatters(t *testing.T) {
	h := newHosted(t).play()
	marked := generic.NewMap3[spot, name, components.Replicate](h.world)
	e := marked.NewWith(&spot{}, &name{1}, &components.Replicate{Relevance: components.ByInterest})
	h.control(e, components.ControlledBy{Client: me})
	h.run(2)
	relevance := plugin.NewRelevance(h.world)
	controlled := ecs.ComponentID[components.Controlled](h.world)
	assert.True(t, relevance.Sees(e, me))
	assert.True(t, h.world.Has(e, controlled))
	relevance.Hide(e, me)
	h.run(2)
	assert.False(t, relevance.Sees(e, me))
	assert.False(t, h.world.Has(e, controlled))
}
