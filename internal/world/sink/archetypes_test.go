package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Eleven components have twice as many sets as the lowest limit allows.
type (
	shape0  struct{}
	shape1  struct{}
	shape2  struct{}
	shape3  struct{}
	shape4  struct{}
	shape5  struct{}
	shape6  struct{}
	shape7  struct{}
	shape8  struct{}
	shape9  struct{}
	shape10 struct{}
	leader  struct{ ecs.Relation }
)

// leaderNumber is the number of the relation, which by name comes before the others.
const leaderNumber = 0

// shaped is a copy with a test that states the components of its entities.
type shaped struct {
	t       testing.TB
	world   *ecs.World
	infos   []*registry.Component
	applier *Applier
	tick    entangle.Tick

	spawned, despawned []ecs.Entity
}

func newShaped(t testing.TB) *shaped {
	p := protocol.New(protocol.Config{Name: "shapes"})
	protocol.Component[leader](p)
	protocol.Component[shape0](p).Predict(protocol.Full)
	protocol.Component[shape1](p).Predict(protocol.Full)
	protocol.Component[shape2](p).Predict(protocol.Full)
	protocol.Component[shape3](p).Predict(protocol.Full)
	protocol.Component[shape4](p).Predict(protocol.Full)
	protocol.Component[shape5](p).Predict(protocol.Full)
	protocol.Component[shape6](p).Predict(protocol.Full)
	protocol.Component[shape7](p).Predict(protocol.Full)
	protocol.Component[shape8](p).Predict(protocol.Full)
	protocol.Component[shape9](p).Predict(protocol.Full)
	protocol.Component[shape10](p).Predict(protocol.Full)
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld(1024, 4)
	s := &shaped{t: t, world: &w, infos: registry.Of(p).Components}
	s.applier = NewApplier(&w, event.NewHub(), s.infos,
		func(e ecs.Entity) { s.spawned = append(s.spawned, e) },
		func(e ecs.Entity) { s.despawned = append(s.despawned, e) })
	s.applier.Limit(1)
	return s
}

// state states the components of an entity as the bits of a number, and the target of its relation.
func (s *shaped) state(slot repl.Slot, set int, of repl.Slot) {
	s.applier.Member(slot, true)
	for n := range 11 {
		if set>>n&1 == 1 {
			require.NoError(s.t, s.applier.Insert(&bits.Reader{}, 1+n, nil))
		}
	}
	if of != repl.NoSlot {
		var w bits.Writer
		w.Uvarint(1)
		r := &bits.Reader{}
		r.Reset(w.Finish())
		require.NoError(s.t, s.applier.Insert(r, leaderNumber, leads(of)))
	}
}

// leads is a reference table of one slot.
type leads repl.Slot

func (l leads) At(uint32) (receiver.Target, bool) { return receiver.Target{Slot: repl.Slot(l)}, true }

func (s *shaped) spawn(id repl.Handle, set int, of repl.Slot) repl.Slot {
	s.begin()
	slot := s.applier.Spawn(repl.ID{Group: id})
	s.state(slot, set, of)
	s.applier.Commit()
	return slot
}

func (s *shaped) begin() {
	s.tick++
	s.applier.Begin(s.tick, s.tick)
}

func (s *shaped) become(slot repl.Slot, set int, of repl.Slot) {
	s.begin()
	s.state(slot, set, of)
	s.applier.Commit()
}

func (s *shaped) over() bool {
	_, over := s.applier.Overgrown()
	return over
}

// archetypes returns the number of archetypes in the world.
func (s *shaped) archetypes() (n int) {
	for _, node := range s.world.Stats().Nodes {
		n += node.ActiveArchetypeCount
	}
	return n
}

// An entity that gets different components with every record makes the world keep an archetype for
// each set, so their number is limited. A set that already exists costs nothing.
//
// Proves: Z7, Z17
func TestTheSetsOfComponentsOfACopyAreBounded(t *testing.T) {
	s := newShaped(t)
	slot := s.spawn(1, 0, repl.NoSlot)
	for round := range 2 {
		for set := range minArchetypes {
			s.become(slot, set, repl.NoSlot)
			require.False(t, s.over(), "set %d of round %d", set, round)
		}
	}
	had := s.archetypes()
	for set := minArchetypes; set < 2*minArchetypes; set++ {
		s.become(slot, set, repl.NoSlot)
	}
	reason, over := s.applier.Overgrown()
	require.True(t, over)
	assert.Contains(t, reason, "1024 sets of them")
	assert.Contains(t, reason, "ClientConfig.MaxEntities")
	assert.Less(t, s.archetypes()-had, 8)

	s.applier.Clear()
	assert.False(t, s.over())
	slot = s.spawn(2, minArchetypes-1, repl.NoSlot)
	require.False(t, s.over(), "the next server has the sets that there are")
	s.become(slot, 2*minArchetypes-1, repl.NoSlot)
	assert.True(t, s.over(), "and no others: the world keeps them")
	s.applier.Clear()
	assert.Zero(t, s.world.Stats().Entities.Used)
}

// An entity that is refused raises no spawn event, and no despawn event when the connection ends.
func TestARefusedEntityRaisesNoEvents(t *testing.T) {
	s := newShaped(t)
	slot := s.spawn(1, 0, repl.NoSlot)
	for set := range minArchetypes {
		s.become(slot, set, repl.NoSlot)
	}
	s.spawn(2, 2*minArchetypes-1, repl.NoSlot)
	require.True(t, s.over())
	s.applier.Clear()
	assert.Len(t, s.spawned, 1)
	assert.Equal(t, s.spawned, s.despawned)
	assert.Zero(t, s.world.Stats().Entities.Used)
}

// Events that a refused record did not raise are not raised for the next server either.
func TestNothingIsLeftOfARecordForWhichThereIsNoRoom(t *testing.T) {
	s := newShaped(t)
	updated := 0
	s.applier.comps[leaderNumber].events.OnUpdated = func(ecs.Entity) { updated++ }
	changes, target := s.spawn(1, 0, repl.NoSlot), s.spawn(2, 0, repl.NoSlot)
	s.spawn(3, 0, target)
	for set := range minArchetypes - 1 { // together with the set that has a leader, the limit is reached
		s.become(changes, set, repl.NoSlot)
	}
	require.False(t, s.over())
	s.begin()
	s.applier.Despawn(target)
	s.state(changes, 2*minArchetypes-1, repl.NoSlot)
	s.applier.Commit()
	require.True(t, s.over())
	s.applier.Clear()

	s.begin()
	next := []repl.Slot{s.applier.Spawn(repl.ID{Group: 10}), s.applier.Spawn(repl.ID{Group: 11}), s.applier.Spawn(repl.ID{Group: 12})}
	for i, slot := range next {
		s.state(slot, 0, next[(i+1)%len(next)])
	}
	s.applier.Commit()
	assert.Zero(t, updated, "all are new")
}

// The confirmed state of a predicted entity reaches the world later, but is limited when it
// arrives.
//
// Proves: Z7, Z17
func TestTheSetsOfWhatIsPredictedAreBounded(t *testing.T) {
	s := newShaped(t)
	s.applier.PredictBy(newProphet(s.world, s.infos))
	s.begin()
	slot := s.applier.Spawn(repl.ID{Group: 1})
	s.applier.Predict(slot, true)
	s.state(slot, 0, repl.NoSlot)
	s.applier.Commit()
	set := 0
	for ; set < 2*minArchetypes && !s.over(); set++ {
		s.become(slot, set, repl.NoSlot)
	}
	assert.InDelta(t, minArchetypes, set, 8)
	s.applier.Clear()
	assert.Zero(t, s.world.Stats().Entities.Used)
}

// Each target of a relation needs an archetype for each component set of the entities that have it,
// as long as the target lives.
//
// Proves: Z7, Z17
func TestTheTargetsOfACopyAreBounded(t *testing.T) {
	for _, sets := range []int{1, 4} { // with 1, only the target of the entity changes
		s := newShaped(t)
		slot := s.spawn(0, 0, repl.NoSlot)
		pairs := 0
		for target := repl.Handle(1); !s.over(); target++ {
			of := s.spawn(target, 0, repl.NoSlot)
			for set := 0; set < sets && !s.over(); set++ {
				s.become(slot, set, of)
				pairs++
			}
			require.Less(t, pairs, 2*minArchetypes)
		}
		assert.InDelta(t, minArchetypes-minArchetypes/8, pairs, minArchetypes/8+1)
		s.applier.Clear()
		assert.Zero(t, s.world.Stats().Entities.Used)
	}
}

// Targets that come and go take no space.
func TestTargetsThatAreGoneAreForgotten(t *testing.T) {
	s := newShaped(t)
	slot := s.spawn(0, 0, repl.NoSlot)
	for target := repl.Handle(1); target < 6*minArchetypes; target++ {
		of := s.spawn(target, 0, repl.NoSlot)
		s.become(slot, int(target)%4, of)
		s.begin()
		s.applier.Despawn(of)
		s.applier.Commit()
		require.False(t, s.over(), "target %d", target)
	}
	assert.Less(t, len(s.applier.archetypes.known), 200)
}
