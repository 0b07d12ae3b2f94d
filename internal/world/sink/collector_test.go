package sink

import (
	"reflect"
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An entity that is paused before its peers have received its change of group arrives there with
// the values from the moment of the pause, whatever is written to it later.
//
// Proves: R41
func TestWhatIsPausedOnTheMoveComesAsItWas(t *testing.T) {
	g := newAwaitGame(t)
	replicate := func(group components.Group) components.Replicate { return components.Replicate{Group: group} }
	a, b := g.holder(g.stranger()), g.holder(g.stranger())
	text := func(v byte) { (*copiedName)(g.world.Get(a, g.name)).Text[0] = v }
	*(*components.Replicate)(g.world.Get(b, g.marker)) = replicate(2)
	text(1)
	g.send()

	*(*components.Replicate)(g.world.Get(a, g.marker)) = replicate(2)
	text(2)
	g.tick++
	require.NoError(t, g.collector.Observe(g.tick)) // no packet is sent in this tick
	g.world.Remove(a, g.marker)
	text(3)
	g.send()
	c := g.copies[0]
	require.Equal(t, 2, c.applier.Replicas.Len())
	assert.Len(t, c.receiver.Groups(nil), 1)
	assert.Equal(t, []byte{2, 0}, g.texts())
	g.requireSame()
}

// texts returns the first letters that a copy's entities show, in the order of their spawn.
func (g *awaitGame) texts() (all []byte) {
	c := g.copies[0]
	name := ecs.ComponentID[copiedName](c.world)
	for _, e := range c.applier.Replicas.entities {
		all = append(all, (*copiedName)(c.world.Get(e.entity, name)).Text[0])
	}
	return all
}

// An override that is changed during a pause takes effect when the pause ends.
func TestAnOverrideThatChangesInAPauseCountsWhenItEnds(t *testing.T) {
	k := newRelatives(t)
	k.collector.Admit(1, k.peer)
	body := slices.IndexFunc(k.infos, func(i *registry.Component) bool { return i.Type == reflect.TypeFor[relativeBody]() })
	only := func(id entangle.ClientID) components.Target { return source.TargetsOf(k.world).Only(id) }
	e, f := k.spawn(), k.spawn()
	of := func(e ecs.Entity) *components.Replicate { return (*components.Replicate)(k.world.Get(e, k.marker)) }
	of(e).Group, of(f).Group = 1, 2
	k.collector.Override(e, body, only(2))
	k.collector.Override(f, body, only(1))
	k.send()
	has := func(e ecs.Entity) bool { return k.far.Has(k.there(e), ecs.ComponentID[relativeBody](k.far)) }
	require.Equal(t, [2]bool{false, true}, [2]bool{has(e), has(f)})

	of(e).Group = 2
	k.observe() // no packet is sent in this tick
	k.world.Remove(e, k.marker)
	k.collector.ClearOverride(e, body)
	k.send()
	assert.False(t, has(e), "it is stated in its new group as it was")
	_, ok := k.collector.Overridden(e, body)
	assert.False(t, ok, "the game's word")

	k.world.Add(e, k.marker)
	of(e).Group = 2
	k.send()
	assert.True(t, has(e))

	k.world.Remove(f, k.marker)
	k.send()
	k.collector.Override(f, body, components.Nobody)
	k.send()
	assert.True(t, has(f), "it stays as it is")
	k.world.Add(f, k.marker)
	k.send()
	assert.False(t, has(f))
}

// An override of an entity that spawns and despawns between two ticks leaves nothing to the next
// entity in its slot.
func TestAnOverrideEndsWithAnEntityThatNobodySaw(t *testing.T) {
	for name, leave := range map[string]func(k *relatives, e ecs.Entity){
		"despawned": func(k *relatives, e ecs.Entity) { k.world.RemoveEntity(e) },
		"withdrawn": func(k *relatives, e ecs.Entity) { k.world.Remove(e, k.marker) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newRelatives(t)
			k.collector.Admit(1, k.peer)
			body := slices.IndexFunc(k.infos, func(i *registry.Component) bool { return i.Type == reflect.TypeFor[relativeBody]() })
			e := k.spawn()
			before, ok := k.collector.Slot(e)
			require.True(t, ok)
			k.collector.Override(e, body, components.Nobody)
			leave(k, e)
			k.send()
			k.send()
			f := k.spawn()
			k.send()
			after, _ := k.collector.Slot(f)
			require.Equal(t, before, after)
			assert.True(t, k.far.Has(k.there(f), ecs.ComponentID[relativeBody](k.far)))
		})
	}
}
