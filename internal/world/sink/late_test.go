package sink

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Members of one record can refer to each other in any order, before any event.
func TestReferencesWithinARecordAreThereAtOnce(t *testing.T) {
	h := newHand(t)
	h.record(func() {
		h.spawn(1)
		h.spawn(2)
		h.state(1, h.links(0, 2, 1, 2))
		h.state(2, h.one(1))
	})
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{h.entity(2), h.entity(1), h.entity(2)}}, *at[heldLinks](h, 1))
	assert.Equal(t, h.entity(1), at[heldOne](h, 2).To)
	assert.Equal(t, []string{"spawned 1", "links inserted 1", "spawned 2", "one inserted 2"}, h.took())
	assert.Zero(t, h.waiting())
}

// Proves: R27
func TestAReferenceIsSetWhenItsEntityComes(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(5, 2, 3, 2), h.one(2))
	h.come(4, h.one(2))
	assert.Equal(t, heldLinks{Count: 5}, *at[heldLinks](h, 1), "no entity until it comes")
	assert.Equal(t, 5, h.waiting())
	at[heldLinks](h, 1).Count = 6 // by the game
	h.took()

	h.come(2)
	two := h.entity(2)
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{two, {}, two}, Count: 6}, *at[heldLinks](h, 1))
	assert.Equal(t, two, at[heldOne](h, 1).To)
	assert.Equal(t, two, at[heldOne](h, 4).To)
	assert.Equal(t, []string{"spawned 2", "links updated 1", "one updated 1", "one updated 4"}, h.took(), "once for each component")
	assert.Equal(t, 1, h.waiting())

	h.record(func() { h.despawn(2) })
	assert.Equal(t, two, at[heldOne](h, 4).To, "what is gone stays named")
	assert.False(t, h.world.Alive(two))
	h.come(3)
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{two, h.entity(3), two}, Count: 6}, *at[heldLinks](h, 1))
	assert.Equal(t, 4, h.waiting(), "it may only be hidden")

	h.took()
	h.come(2)
	again := h.entity(2)
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{again, h.entity(3), again}, Count: 6}, *at[heldLinks](h, 1))
	assert.Equal(t, again, at[heldOne](h, 4).To)
	assert.Equal(t, []string{"spawned 2", "links updated 1", "one updated 1", "one updated 4"}, h.took())
	assert.Zero(t, h.waiting())
}

// The values and the removals of a record belong to one tick. If an entity was hidden in that tick,
// references to it in these values are restored when it is shown again.
//
// Proves: R27
func TestAReferenceWaitsForWhoGoesWithTheRecordThatSetsIt(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(5))
	h.come(2)
	h.record(func() {
		h.state(1, h.links(6, 2), h.one(2))
		h.despawn(2)
	})
	assert.Equal(t, 2, h.waiting())
	h.took()
	h.come(2)
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{h.entity(2)}, Count: 6}, *at[heldLinks](h, 1))
	assert.Equal(t, h.entity(2), at[heldOne](h, 1).To)
	assert.Equal(t, []string{"spawned 2", "links updated 1", "one updated 1"}, h.took())
	assert.Zero(t, h.waiting())
}

// An entity that is gone for good does not return under its network id.
func TestAReferenceToWhoIsGoneEndsWithTheName(t *testing.T) {
	h := newHand(t)
	h.come(2)
	two := h.entity(2)
	h.come(1, h.one(2))
	h.record(func() { h.despawn(2) })
	assert.Equal(t, 1, h.waiting())
	h.applier.Outdate(2, 1)
	assert.Zero(t, h.waiting())
	h.come(2)
	assert.Equal(t, two, at[heldOne](h, 1).To)
}

func TestReferencesOfAnUpdateWait(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(1), h.one(0))
	require.NoError(t, h.update(1, h.links(2, 7), h.one(8)))
	assert.Equal(t, heldLinks{Count: 2}, *at[heldLinks](h, 1))
	require.NoError(t, h.update(1, h.links(3, 0, 7)))
	assert.Equal(t, 2, h.waiting(), "the newer value's, and that of the other component")
	h.took()
	h.record(func() {
		h.spawn(7)
		h.spawn(8)
		h.state(7)
		h.state(8)
	})
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{1: h.entity(7)}, Count: 3}, *at[heldLinks](h, 1))
	assert.Equal(t, h.entity(8), at[heldOne](h, 1).To)
	assert.Equal(t, []string{"spawned 7", "spawned 8", "links updated 1", "one updated 1"}, h.took())
}

// A reference stops waiting when its value is replaced.
func TestAReferenceIsForgotten(t *testing.T) {
	for name, do := range map[string]func(h *hand){
		"by an update":           func(h *hand) { require.NoError(h.t, h.update(1, h.links(2))) },
		"by a record":            func(h *hand) { h.record(func() { h.state(1, h.links(2), h.one(0)) }) },
		"by removal":             func(h *hand) { h.record(func() { h.state(1, h.one(0)) }) },
		"with its holder":        func(h *hand) { h.record(func() { h.despawn(1) }) },
		"by letting go":          func(h *hand) { h.record(func() { h.release(1) }) },
		"in the record of both":  func(h *hand) { h.record(func() { h.spawn(2); h.state(1, h.links(2), h.one(0)); h.state(2) }) },
		"as the connection ends": func(h *hand) { h.applier.Clear(); clear(h.slots) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHand(t)
			h.come(1, h.links(1, 2), h.one(0))
			e := h.entity(1)
			require.Equal(t, 1, h.waiting())
			do(h)
			require.Zero(t, h.waiting())
			h.took()
			h.come(3)
			if h.entity(2).IsZero() {
				h.come(2)
			}
			assert.NotContains(t, h.took(), "links updated 1")
			if h.world.Alive(e) && h.world.Has(e, ecs.ComponentID[heldLinks](h.world)) {
				assert.True(t, (*heldLinks)(h.world.Get(e, ecs.ComponentID[heldLinks](h.world))).To[0].IsZero())
			}
		})
	}
}

// The game may have removed the holder of a waiting reference.
func TestAReferenceWhoseHolderTheGameRemoved(t *testing.T) {
	h := newHand(t)
	h.come(1, h.one(3))
	h.come(2, h.one(3), h.links(0))
	h.world.RemoveEntity(h.entity(1))
	h.world.Remove(h.entity(2), ecs.ComponentID[heldOne](h.world))
	h.took()
	h.come(3)
	assert.Equal(t, []string{"spawned 3"}, h.took())
	assert.Zero(t, h.waiting())
}

// A malformed record changes nothing: its references do not wait, and waiting references are not
// dropped.
func TestMalformedReferencesLeaveNoTrace(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(1, 2), h.one(0))
	var comps set.Mask
	comps.Set(heldLinksNumber)
	comps.Set(heldOneNumber)
	wrong := h.wire(h.links(9, 3, 4), h.one(5))
	h.table = h.table[:2]
	require.Error(t, updateEntity(h.applier, h.slots[repl.ID{Group: 1}], 50, &comps, wrong, h))
	assert.Equal(t, heldLinks{Count: 1}, *at[heldLinks](h, 1))
	assert.Equal(t, 1, h.waiting())
	require.NoError(t, h.update(1, h.one(0)))
	assert.Equal(t, 1, h.waiting())

	h.applier.Begin(51, 51)
	h.applier.Spawn(repl.ID{Group: 2})
	h.state(1, h.links(1, 3), h.one(4))
	h.applier.Discard()
	require.NoError(t, h.update(1, h.one(0)))
	assert.Equal(t, 1, h.waiting())
	assert.Equal(t, heldLinks{Count: 1}, *at[heldLinks](h, 1))
	h.come(3)
	h.come(2)
	assert.Equal(t, [3]ecs.Entity{h.entity(2)}, at[heldLinks](h, 1).To)
	assert.Zero(t, h.waiting())
}

func TestNotAllReferencesWait(t *testing.T) {
	h := newHand(t)
	for g := repl.Handle(1); g <= refs.MaxLate+2; g++ {
		h.come(g, h.one(refs.MaxLate+10))
	}
	n, dropped := h.applier.LateReferences()
	assert.Equal(t, refs.MaxLate, n)
	assert.Equal(t, uint64(2), dropped)
	require.NoError(t, h.update(1, h.one(0)))
	require.NoError(t, h.update(refs.MaxLate+1, h.one(refs.MaxLate+10)))
	h.come(refs.MaxLate + 10)
	target := h.entity(refs.MaxLate + 10)
	assert.Equal(t, target, at[heldOne](h, 2).To)
	assert.Equal(t, target, at[heldOne](h, refs.MaxLate).To)
	assert.Equal(t, target, at[heldOne](h, refs.MaxLate+1).To, "there was room again")
	assert.True(t, at[heldOne](h, refs.MaxLate+2).To.IsZero())
	assert.Zero(t, h.waiting())
}

// lateGame sends random records to an Applier, and records the expected value of each reference: an
// entity, dead or alive, or the zero entity and possibly the group of the entity that it waits for.
type lateGame struct {
	*hand
	rng  *rand.Rand
	held map[repl.Handle]map[int][]lateField
}

type lateField struct {
	is   ecs.Entity
	wait repl.Handle
}

func (g *lateGame) draw() repl.Handle { return repl.Handle(g.rng.IntN(12)) }

// value draws a value and its expected references.
func (g *lateGame) value(comp int) (any, []lateField) {
	if comp == heldOneNumber {
		to := g.draw()
		return g.one(to), []lateField{g.field(to)}
	}
	a, b, c := g.draw(), g.draw(), g.draw()
	return g.links(int16(g.rng.IntN(100)), a, b, c), []lateField{g.field(a), g.field(b), g.field(c)}
}

func (g *lateGame) field(to repl.Handle) lateField {
	if _, here := g.slots[repl.ID{Group: to}]; here {
		return lateField{is: g.entity(to)}
	}
	return lateField{wait: to}
}

// says states a member with one component or both.
func (g *lateGame) says(m repl.Handle) {
	held, values := map[int][]lateField{}, []any{}
	for comp := range 2 {
		if g.rng.IntN(3) > 0 {
			v, fields := g.value(comp)
			values, held[comp] = append(values, v), fields
		}
	}
	g.state(m, values...)
	g.held[m] = held
}

// record applies a record of a frame with several.
func (g *lateGame) record(do func()) { g.recordWithin(do) }

func (g *lateGame) step() {
	m := g.draw()
	_, here := g.slots[repl.ID{Group: m}]
	switch what := g.rng.IntN(10); {
	case m == 0:
	case !here && what < 6:
		other := m + 12 // never drawn: no reference names it
		g.record(func() {
			g.spawn(m)
			if _, there := g.slots[repl.ID{Group: other}]; !there {
				g.spawn(other)
				g.says(other)
			}
			g.says(m)
		})
		g.arrived(m)
	case !here && what < 8:
		g.applier.Begin(0, 0)
		g.spawn(m)
		g.says(m)
		delete(g.held, m)
		delete(g.slots, repl.ID{Group: m})
		g.applier.Discard()
	case !here:
	case what < 2:
		g.left(m)
		delete(g.held, m)
		g.record(func() { g.despawn(m) })
	case what < 3:
		delete(g.held, m)
		g.record(func() { g.release(m) })
	case what < 5:
		g.record(func() { g.says(m) })
	default:
		for comp, fields := range g.held[m] {
			v, now := g.value(comp)
			require.NoError(g.t, g.update(m, v))
			copy(fields, now)
			break
		}
	}
}

// left makes all references to a member wait for it.
func (g *lateGame) left(m repl.Handle) {
	for _, held := range g.held {
		for _, fields := range held {
			for i := range fields {
				if fields[i].is == g.entity(m) {
					fields[i].wait = m
				}
			}
		}
	}
}

func (g *lateGame) arrived(m repl.Handle) {
	for _, held := range g.held {
		for _, fields := range held {
			for i := range fields {
				if fields[i].wait == m {
					fields[i] = lateField{is: g.entity(m)}
				}
			}
		}
	}
}

func (g *lateGame) requireRight() {
	waits, counted, counts := 0, 0, g.rng.IntN(4) == 0
	if counts {
		g.waiting() // searches for the references to departures
	}
	for m, held := range g.held {
		counted += int(g.applier.Replicas.entities[g.slots[repl.ID{Group: m}]].waits)
		for comp, fields := range held {
			var got []ecs.Entity
			if comp == heldOneNumber {
				got = []ecs.Entity{at[heldOne](g.hand, m).To}
			} else {
				got = at[heldLinks](g.hand, m).To[:]
			}
			for i, f := range fields {
				if f.is.IsZero() || g.world.Alive(f.is) || g.world.Alive(got[i]) { // one dead entity is as good as another
					require.Equal(g.t, f.is, got[i], "component %d of %d, reference %d", comp, m, i)
				}
				if f.wait > 0 {
					waits++
				}
			}
		}
	}
	if counts {
		require.Equal(g.t, waits, g.waiting())
		require.Equal(g.t, waits, counted)
	}
}

func TestLateReferencesAsInAModel(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestLateReferencesAsInAModel/seed=%d$'", seed)
				}
			}()
			g := &lateGame{hand: newHand(t), rng: rand.New(rand.NewPCG(seed, 5)), held: map[repl.Handle]map[int][]lateField{}}
			for range 300 {
				for range 1 + g.rng.IntN(4) {
					g.step()
				}
				g.applier.ResolveReturns()
				g.requireRight()
			}
			g.applier.Clear()
			require.Zero(t, g.waiting())
		})
	}
}

// LateReferences returns how many references wait for an entity that has not arrived, and how many
// were dropped for lack of space.
func (a *Applier) LateReferences() (waiting int, dropped uint64) {
	if len(a.refs.departed.byID) > 0 {
		a.awaitReturns()
	}
	return a.refs.late.Len(), a.refs.late.Dropped
}
