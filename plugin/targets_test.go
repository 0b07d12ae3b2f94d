package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
)

// spawnIn spawns an entity with the given target in a group.
func (g *game) spawnIn(target components.Target, group components.Group, s spot, n name) ecs.Entity {
	m := generic.NewMap3[spot, name, components.Replicate](g.world)
	return m.NewWith(&s, &n, &components.Replicate{Target: target, Group: group})
}

func (g *game) targets() *components.Targets { return ecs.GetResource[components.Targets](g.world) }

func (g *game) control(e ecs.Entity, c components.ControlledBy) {
	m := generic.NewMap1[components.ControlledBy](g.world)
	if m.Get(e) == nil {
		m.Assign(e, &c)
		return
	}
	*m.Get(e) = c
}

// copies returns a player's entities by name.
func (p *player) copies() map[uint32]ecs.Entity {
	got := map[uint32]ecs.Entity{}
	f := generic.NewFilter1[name]()
	for q := f.Query(p.world); q.Next(); {
		got[q.Get().ID] = q.Entity()
	}
	return got
}

// ids returns the names of the entities that a player sees.
func (p *player) ids() (ids []uint32) {
	for id := range uint32(100) {
		if _, ok := p.copies()[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// Every kind of target shows an entity to the right clients. A client that joins late sees the same
// entities.
//
// Proves: R3
func TestTargetsSayWhoGetsAnEntity(t *testing.T) {
	g := newGame(t)
	sets := g.targets()
	a, b := g.join(1), g.join(2)
	g.run(30)
	for id, target := range []components.Target{
		components.Default, components.Everyone, components.Nobody, components.Server,
		sets.Only(1), sets.Except(1), sets.Only(2, 3), components.Owner, components.NotOwner,
	} {
		g.spawnIn(target, 0, spot{}, name{uint32(id)})
	}
	g.control(g.spawnIn(components.Owner, 0, spot{}, name{20}), components.ControlledBy{Client: 2})
	g.control(g.spawnIn(components.NotOwner, 0, spot{}, name{21}), components.ControlledBy{Client: 2})
	g.run(10)
	late := g.join(3)
	g.run(30)
	assert.Equal(t, []uint32{0, 1, 4, 8, 21}, a.ids())
	assert.Equal(t, []uint32{0, 1, 5, 6, 8, 20}, b.ids())
	assert.Equal(t, []uint32{0, 1, 5, 6, 8, 21}, late.ids())
}

// A client that joins late gets the entities that are for it with their present values. Components
// with a target of their own are included from the first tick on, and only if they are for it.
//
// Proves: R3
func TestALateJoinerGetsPresentValuesOfWhatIsForIt(t *testing.T) {
	for _, group := range []components.Group{0, 5} {
		g := newGame(t)
		sets := g.targets()
		a := g.join(1)
		places := plugin.NewOverride[spot](g.world)
		var all []ecs.Entity
		for id, target := range []components.Target{
			components.Everyone, components.Everyone, components.Everyone, components.Everyone, sets.Only(1), sets.Only(3),
		} {
			all = append(all, g.spawnIn(target, group, spot{float32(id), 1}, name{uint32(id)}))
		}
		places.SetTarget(all[1], sets.Only(1))
		places.SetTarget(all[2], sets.Only(3))
		places.SetTarget(all[3], components.Owner)
		g.control(all[3], components.ControlledBy{Client: 3, Keep: true})
		g.run(30)
		for _, e := range all {
			at[spot](g.world, e).Y = 2
		}
		flags := generic.NewMap1[flag](g.world)
		flags.Add(all[0])
		g.run(10)
		late := g.join(3)
		for range 30 {
			g.run(1)
			for id, s := range spots(late.world) {
				assert.Contains(t, []uint32{0, 2, 3, 5}, id, "not for a moment")
				assert.Equal(t, spot{float32(id), 2}, s, "nor as it was")
			}
		}
		assert.Equal(t, []uint32{0, 1, 2, 3, 4}, a.ids())
		assert.Equal(t, map[uint32]spot{0: {0, 2}, 1: {1, 2}, 4: {4, 2}}, spots(a.world))
		assert.Equal(t, []uint32{0, 1, 2, 3, 5}, late.ids())
		assert.Equal(t, map[uint32]spot{0: {0, 2}, 2: {2, 2}, 3: {3, 2}, 5: {5, 2}}, spots(late.world))
		assert.Equal(t, []uint32{0}, late.flagged())
	}
}

// Narrowing a target despawns the entity on the clients that it now excludes, widening spawns it on
// those that it now includes, and the other clients keep the same replica.
//
// Proves: R9
func TestATargetIsNarrowedAndWidened(t *testing.T) {
	for name, group := range map[string]components.Group{"of its own": 0, "with a name": 9} {
		t.Run(name, func(t *testing.T) { narrowAndWiden(t, group) })
	}
}

func narrowAndWiden(t *testing.T, group components.Group) {
	g := newGame(t)
	sets := g.targets()
	a, b := g.join(1), g.join(2)
	e := g.spawnIn(components.Everyone, group, spot{1, 2}, name{7})
	g.run(30)
	kept := a.copies()[7]
	sees := func(see ...*player) {
		t.Helper()
		g.run(10)
		for _, p := range g.clients {
			want := map[uint32]spot{}
			for _, q := range see {
				if p == q {
					want = map[uint32]spot{7: *at[spot](g.world, e)}
				}
			}
			assert.Equal(t, want, spots(p.world), "client %d", p.ID())
		}
	}
	sees(a, b)
	for _, target := range []components.Target{sets.Only(1), sets.Only(1, 2), sets.Except(2), components.Everyone, sets.Only(1)} {
		g.retarget(e, target)
		at[spot](g.world, e).X++
		if sets.Contains(target, 2) {
			sees(a, b)
		} else {
			sees(a)
		}
		assert.Equal(t, kept, a.copies()[7], "it stays the same entity")
	}
	g.retarget(e, components.Nobody)
	sees()
	assert.True(t, g.world.Alive(e), "it lives on here")
	g.retarget(e, components.Default)
	sees(a, b)
}

// If a target changes several times in a tick, only the last change counts.
func TestATargetThatChangesTwiceInATick(t *testing.T) {
	g := newGame(t)
	a, b := g.join(1), g.join(2)
	e := g.spawnIn(components.Everyone, 0, spot{}, name{7})
	g.run(30)
	kept := a.copies()[7]
	g.retarget(e, components.Nobody)
	g.retarget(e, g.targets().Only(1))
	g.run(10)
	assert.Equal(t, kept, a.copies()[7])
	assert.Empty(t, b.ids())
	before := g.server.Stats().Replication
	g.retarget(e, components.Everyone)
	g.retarget(e, g.targets().Only(1))
	g.run(10)
	assert.Equal(t, before, g.server.Stats().Replication, "there and back is no change")
}

// Members of one group that have different targets stay together on the clients that see them.
func TestMembersOfAGroupHaveTargetsOfTheirOwn(t *testing.T) {
	g := newGame(t)
	sets := g.targets()
	a, b := g.join(1), g.join(2)
	all := g.spawnIn(components.Everyone, 5, spot{}, name{1})
	one := g.spawnIn(sets.Only(1), 5, spot{}, name{2})
	g.spawnIn(sets.Only(2), 5, spot{}, name{3})
	g.spawnIn(components.Nobody, 5, spot{}, name{4})
	g.run(30)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	assert.Equal(t, []uint32{1, 3}, b.ids())

	g.retarget(all, components.Nobody)
	g.retarget(one, components.Nobody)
	g.run(10)
	assert.Empty(t, a.ids(), "nobody that it may see is left in the group")
	assert.Equal(t, []uint32{3}, b.ids())
	g.world.RemoveEntity(all)
	g.retarget(one, components.Everyone)
	g.run(10)
	assert.Equal(t, []uint32{2}, a.ids())
	assert.Equal(t, []uint32{2, 3}, b.ids())
}

// Setting Replicate on an entity that has one, or removing and adding it again, creates no second
// replica.
//
// Proves: R10
func TestReplicateAgainMakesNoDuplicate(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(30)
	kept := c.copies()[7]
	tags := generic.NewMap1[components.Replicate](g.world)
	for range 3 {
		tags.Remove(e)
		g.run(3)
		tags.Add(e)
		*tags.Get(e) = components.Replicate{}
		g.run(3)
		tags.Remove(e)
		tags.Add(e)
		g.run(3)
	}
	g.run(10)
	assert.Equal(t, map[uint32]spot{7: {1, 2}}, spots(c.world))
	assert.Equal(t, kept, c.copies()[7])
	assert.Equal(t, 1, count[components.Remote](c.world))
}

// Removing Replicate pauses an entity: no values, components or despawn are sent, and adding it
// again catches up. The target Nobody despawns the entity on the clients at once.
//
// Proves: R11
func TestPausingAndTargetingNobodyDiffer(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	paused, hidden := g.spawn(spot{1, 1}, name{1}), g.spawn(spot{2, 2}, name{2})
	flags := generic.NewMap1[flag](g.world)
	flags.Add(paused)
	g.run(30)
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Remove(paused)
	g.retarget(hidden, components.Nobody)
	g.run(10)
	at[spot](g.world, paused).X, at[spot](g.world, hidden).X = 5, 5
	flags.Remove(paused)
	g.run(10)
	assert.Equal(t, map[uint32]spot{1: {1, 1}}, spots(c.world))
	assert.Equal(t, 1, count[flag](c.world), "no removal is sent")
	tags.Add(paused)
	*tags.Get(paused) = components.Replicate{}
	g.retarget(hidden, components.Everyone)
	g.run(10)
	assert.Equal(t, map[uint32]spot{1: {5, 1}, 2: {5, 2}}, spots(c.world))
	assert.Zero(t, count[flag](c.world))
}

// An entity that is removed while it is paused stays on its clients, whatever its target, until
// their connections end. The same is true if it is paused and removed in one tick.
//
// Proves: R12
func TestADespawnWhilePausedIsNotSent(t *testing.T) {
	for _, between := range []int{1, 0} {
		despawnWhilePaused(t, between)
	}
}

func despawnWhilePaused(t *testing.T, between int) {
	g := newGame(t)
	a, b := g.join(1), g.join(2)
	var all []ecs.Entity
	for id, target := range []components.Target{components.Everyone, g.targets().Only(1), g.targets().Only(1)} {
		group := components.Group(0)
		if id == 2 {
			group = 4
		}
		all = append(all, g.spawnIn(target, group, spot{}, name{uint32(id)}))
	}
	g.run(30)
	tags := generic.NewMap1[components.Replicate](g.world)
	for _, e := range all {
		tags.Remove(e)
		g.run(between)
		g.world.RemoveEntity(e)
	}
	g.run(30)
	assert.Equal(t, []uint32{0, 1, 2}, a.ids())
	assert.Equal(t, []uint32{0}, b.ids())
	a.Disconnect()
	assert.Empty(t, a.ids())
}

// A target that changes during a pause applies from the end of the pause.
func TestATargetThatChangesInAPause(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		g := newGame(t)
		sets := g.targets()
		a, b := g.join(1), g.join(2)
		e := g.spawnIn(sets.Only(1), group, spot{}, name{7})
		g.spawnIn(components.Everyone, group, spot{}, name{8})
		g.run(30)
		tags := generic.NewMap1[components.Replicate](g.world)
		tags.Remove(e)
		g.run(10)
		assert.Equal(t, []uint32{7, 8}, a.ids())
		assert.Equal(t, []uint32{8}, b.ids())
		late := g.join(1 + 2)
		g.run(20)
		assert.Equal(t, []uint32{8}, late.ids())
		tags.Add(e)
		*tags.Get(e) = components.Replicate{Target: sets.Except(1), Group: group}
		g.run(10)
		assert.Equal(t, []uint32{8}, a.ids())
		assert.Equal(t, []uint32{7, 8}, b.ids())
		assert.Equal(t, []uint32{7, 8}, late.ids())
	}
}

// The clients that get an entity, by the targets Owner and NotOwner, change with its owner.
func TestOwnersChange(t *testing.T) {
	g := newGame(t)
	a, b := g.join(1), g.join(2)
	mine := g.spawnIn(components.Owner, 0, spot{}, name{1})
	other := g.spawnIn(components.NotOwner, 6, spot{}, name{2})
	g.run(30)
	owned := func(id entangle.ClientID, as, bs []uint32) {
		t.Helper()
		g.control(mine, components.ControlledBy{Client: id, Keep: true})
		g.control(other, components.ControlledBy{Client: id, Keep: true})
		g.run(10)
		assert.Equal(t, as, a.ids())
		assert.Equal(t, bs, b.ids())
	}
	owned(entangle.Nobody, []uint32{2}, []uint32{2})
	owned(1, []uint32{1}, []uint32{2})
	owned(2, []uint32{2}, []uint32{1})
	owned(9, []uint32{2}, []uint32{2})
	owned(1, []uint32{1}, []uint32{2})
	controls := generic.NewMap1[components.ControlledBy](g.world)
	controls.Remove(mine)
	controls.Remove(other)
	g.run(10)
	assert.Equal(t, []uint32{2}, a.ids())
	assert.Equal(t, []uint32{2}, b.ids())
}

// A client that reconnects gets only the entities that are for it at that time.
func TestAClientThatComesBackInheritsNothing(t *testing.T) {
	g := newGame(t)
	a := g.join(1)
	e := g.spawnIn(g.targets().Only(1), 0, spot{}, name{7})
	g.spawnIn(g.targets().Only(1), 0, spot{}, name{8})
	g.run(30)
	require.Equal(t, []uint32{7, 8}, a.ids())
	a.Disconnect()
	g.run(5)
	g.retarget(e, g.targets().Only(2))
	g.run(5)
	g.connect(a, 1)
	g.run(30)
	require.Equal(t, plugin.Connected, a.State())
	assert.Equal(t, []uint32{8}, a.ids())
}

// Sets that an entity or an override uses are never evicted, from the moment in which they are set
// there. Unused sets are evicted for new ones.
func TestTargetsOfEntitiesAndOverridesAreKept(t *testing.T) {
	g := newGame(t)
	a := g.join(1)
	sets := g.targets()
	places := plugin.NewOverride[spot](g.world)
	held := sets.Only(1, 50)
	e := g.spawnIn(held, 0, spot{1, 2}, name{7})
	other := g.spawnIn(components.Everyone, 0, spot{1, 2}, name{8})
	places.SetTarget(other, sets.Only(1, 51))
	paused := g.spawnIn(sets.Only(1, 52), 0, spot{}, name{9})
	g.run(30)
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Remove(paused)
	g.run(1)
	fresh := g.spawnIn(sets.Only(1, 53), 0, spot{3, 4}, name{10}) // no tick has processed it yet
	for i := range 2 * components.MaxSets {
		sets.Only(entangle.ClientID(i + 100))
	}
	g.run(30)
	assert.Equal(t, map[uint32]spot{7: {1, 2}, 8: {1, 2}, 9: {}, 10: {3, 4}}, spots(a.world))
	late := g.join(50)
	g.run(30)
	assert.Equal(t, []uint32{7, 8}, late.ids())
	assert.Zero(t, sets.Refused())
	g.world.RemoveEntity(e)
	g.world.RemoveEntity(fresh)
	g.run(5)
	for i := range components.MaxSets {
		sets.Only(entangle.ClientID(i + 100))
	}
	assert.False(t, sets.Contains(held, 1), "nothing holds it any more")
}

// In steady state, a tick of private groups allocates nothing, neither when values change nor when
// entities change owners.
//
// Proves: R40
func TestASettledTickOfPrivateGroupsAllocatesNothing(t *testing.T) {
	g := newGame(t)
	sets := g.targets()
	targets := []components.Target{sets.Only(1), sets.Only(2), components.Owner, sets.Except(1), components.Nobody}
	places := plugin.NewOverride[spot](g.world)
	var all []ecs.Entity
	for id := range uint32(60) {
		e := g.spawnIn(targets[id%5], components.Group(id%3), spot{}, name{id})
		g.control(e, components.ControlledBy{Client: entangle.ClientID(1 + id%2)})
		if id%4 == 0 {
			places.SetTarget(e, components.Owner)
		}
		all = append(all, e)
	}
	g.join(1)
	g.join(2)
	m := generic.NewMap2[spot, components.ControlledBy](g.world)
	tick := 0
	step := func() {
		tick++
		for i, e := range all {
			s, c := m.Get(e)
			s.X++
			if (i+tick)%60 == 0 {
				c.Client = 3 - c.Client
			}
		}
		g.run(1)
	}
	for range 1200 {
		step()
	}
	assert.Zero(t, alloctest.Count(600, step))
	g.run(30)
	assert.Zero(t, alloctest.Count(300, func() {
		for _, e := range all {
			s, _ := m.Get(e)
			s.X++
		}
		g.run(1)
	}))
}
