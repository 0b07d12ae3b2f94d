package sink

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
)

// randomHierarchies changes a world of relations at random, cycles and pauses included.
type randomHierarchies struct {
	*relatives
	rng *rand.Rand
	all []ecs.Entity
}

func (r *randomHierarchies) any() ecs.Entity { return r.all[r.rng.IntN(len(r.all))] }

func (r *randomHierarchies) step() {
	kept := r.all[:0]
	for _, e := range r.all {
		if r.world.Alive(e) {
			kept = append(kept, e)
		}
	}
	if r.all = kept; len(r.all) < 4 || len(r.all) < 25 && r.rng.IntN(4) == 0 {
		r.all = append(r.all, r.world.NewEntity(r.body))
	}
	e := r.any()
	switch r.rng.IntN(12) {
	case 0, 1, 2, 3:
		r.attach(e, r.any())
	case 4:
		r.detach(e)
	case 5, 6, 7:
		r.toggle(e, r.marker)
	case 8:
		r.toggle(e, r.excludes)
	case 9:
		r.remove(e)
	case 10:
		if r.world.Has(e, r.marker) {
			(*components.Replicate)(r.world.Get(e, r.marker)).Group = components.Group(r.rng.IntN(3))
		}
	default:
		(*relativeBody)(r.world.Get(e, r.body)).N++
	}
}

func (r *randomHierarchies) detach(e ecs.Entity) {
	for _, relation := range []ecs.ID{r.childOf, r.part, r.knows} {
		if r.world.Has(e, relation) {
			r.world.Remove(e, relation)
		}
	}
}

func (r *randomHierarchies) attach(e, parent ecs.Entity) {
	if e == parent {
		return
	}
	relation := []ecs.ID{r.childOf, r.childOf, r.part, r.knows}[r.rng.IntN(4)]
	if r.world.Has(e, relation) {
		r.world.Relations().Set(e, relation, parent)
		return
	}
	r.detach(e)
	r.relate(e, relation, parent)
}

func (r *randomHierarchies) toggle(e ecs.Entity, id ecs.ID) {
	if r.world.Has(e, id) {
		r.world.Remove(e, id)
	} else {
		r.world.Add(e, id)
	}
}

func (r *randomHierarchies) remove(e ecs.Entity) {
	if r.rng.IntN(2) == 0 {
		r.world.RemoveEntity(e)
	}
}

// above returns the parent that an entity shares a group with, by a reference model.
func (r *randomHierarchies) above(e ecs.Entity) (parent ecs.Entity, ok bool) {
	for _, relation := range []ecs.ID{r.childOf, r.part} {
		if r.world.Has(e, relation) {
			parent = r.world.Relations().Get(e, relation)
		}
	}
	ok = !parent.IsZero() && r.world.Alive(parent) && r.world.Has(parent, r.marker) && !r.world.Has(parent, r.excludes)
	return parent, ok
}

// root returns the topmost ancestor, and whether there is one: a cycle has none.
func (r *randomHierarchies) root(e ecs.Entity) (root ecs.Entity, ok bool) {
	for range len(r.all) + 1 {
		above, more := r.above(e)
		if !more {
			return e, true
		}
		e = above
	}
	return e, false
}

// check compares the world and its copy with the reference model.
func (r *randomHierarchies) check() {
	r.requireEqual()
	f := &r.collector.Hierarchy
	for s := range f.Nodes {
		if parent, ok := f.Parent(repl.Slot(s)); ok {
			require.True(r.t, f.Replicated(repl.Slot(s)) && f.Replicated(parent), "an entity that is not replicated is in a hierarchy")
		}
	}
	names := map[repl.Handle]string{}
	for _, e := range r.all {
		if !r.world.Alive(e) {
			continue
		}
		s, tracked := r.collector.Slot(e)
		parent, follows := r.above(e)
		held := tracked && r.collector.Hierarchy.Propagation.Slots.RemovedByGame.Has(int(s))
		require.False(r.t, follows && !held && !r.world.Has(e, r.marker), "%v does not follow %v", e, parent)
		root, ok := r.root(e)
		if !ok || !r.world.Has(e, r.marker) {
			continue
		}
		require.Equal(r.t, r.group(root), r.group(e), "%v is not with %v", e, root)
		name := fmt.Sprint("the hierarchy of ", root)
		if group := (*components.Replicate)(r.world.Get(root, r.marker)).Group; group != 0 {
			name = fmt.Sprint("group ", group)
		}
		if was, known := names[r.group(e)]; known {
			require.Equal(r.t, was, name, "%v is with strangers", e)
		}
		names[r.group(e)] = name
	}
}

// Proves: H1, H2, H3, H4, H5, H9, H10
func TestRandomHierarchiesKeepTheRules(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestRandomHierarchiesKeepTheRules/seed=%d$'", seed)
				}
			}()
			r := &randomHierarchies{relatives: newRelatives(t), rng: rand.New(rand.NewPCG(seed, 5))}
			for range 150 {
				for range r.rng.IntN(4) {
					r.step()
				}
				r.send()
				r.check()
			}
		})
	}
}

// If more changes happen between two ticks than are recorded, all children are checked, and the
// result is the same.
//
// Proves: H1, H3, H4, H5, H9
func TestRandomHierarchiesWithTooManyEvents(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestRandomHierarchiesWithTooManyEvents/seed=%d$'", seed)
				}
			}()
			recorded := &randomHierarchies{relatives: newRelatives(t), rng: rand.New(rand.NewPCG(seed, 5))}
			missed := &randomHierarchies{relatives: newRelatives(t), rng: rand.New(rand.NewPCG(seed, 5))}
			steps := rand.New(rand.NewPCG(seed, 6))
			for range 100 {
				for range steps.IntN(4) {
					recorded.step()
					missed.step()
				}
				missed.collector.Hierarchy.Propagation.Events.Overflowed = true
				recorded.send()
				missed.send()
				missed.check()
				require.Equal(t, recorded.replicated(), missed.replicated())
			}
		})
	}
}

// replicated sorts all entities into despawned, replicated and not replicated ones.
func (r *randomHierarchies) replicated() (states []string) {
	for _, e := range r.all {
		switch {
		case !r.world.Alive(e):
			states = append(states, "gone")
		case r.world.Has(e, r.marker):
			states = append(states, "replicated")
		default:
			states = append(states, "not")
		}
	}
	return states
}
