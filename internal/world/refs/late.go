package refs

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// MaxLate limits the waiting references of a connection. A reference beyond it stays the zero
// entity until its component is sent again.
const MaxLate = 4096

// Late keeps the references that wait for an entity. A reference waits in the component that holds
// it. It stops waiting when a newer value arrives, or the component or its entity is removed.
type Late struct {
	Refs     []LateRef
	free     []int32
	byTarget []int32 // by their targets, and then their indexes
	byHolder Chains[LateHolder]
	Dropped  uint64 // references beyond MaxLate

	Holder LateHolder // the component that is being searched for references
	Swap   func(n int, e ecs.Entity) ecs.Entity
	Found  []LateRef // missing references in values of the current record
	Set    []LateHolder
}

// LateHolder is the component of an entity that holds a waiting reference.
type LateHolder struct {
	Slot repl.Slot
	Comp int
}

func (h LateHolder) Compare(o LateHolder) int {
	return cmp.Or(cmp.Compare(h.Slot, o.Slot), cmp.Compare(h.Comp, o.Comp))
}

// LateRef is a reference that waits for its target.
type LateRef struct {
	Target repl.ID
	Holder LateHolder
	N      int // index among the component's references, or TargetRef
}

func NewLate() Late {
	return Late{byHolder: NewChains[LateHolder]()}
}

// Add adds a reference, if there is space.
func (l *Late) Add(ref LateRef) bool {
	var i int32
	switch n := len(l.free); {
	case n > 0:
		i, l.free = l.free[n-1], l.free[:n-1]
	case len(l.Refs) == MaxLate:
		l.Dropped++
		return false
	default:
		i = int32(len(l.Refs))
		l.Refs = append(l.Refs, LateRef{})
	}
	l.Refs[i] = ref
	l.byTarget = slices.Insert(l.byTarget, l.find(ref.Target, i), i)
	l.byHolder.Add(ref.Holder, i)
	return true
}

// Drop removes the waiting reference with index i.
func (l *Late) Drop(i int32) {
	at := l.find(l.Refs[i].Target, i)
	l.byTarget = slices.Delete(l.byTarget, at, at+1)
	l.byHolder.Remove(l.Refs[i].Holder, i)
	l.free = append(l.free, i)
}

// find returns where a reference to a target is in byTarget, or belongs. A hostile server may make
// all references wait for entities of one handle, and each of its records may look for some of them:
// that must not search all.
func (l *Late) find(target repl.ID, i int32) int {
	if len(l.byTarget) == 0 {
		return 0 // as for most new entities
	}
	at, _ := slices.BinarySearchFunc(l.byTarget, i, func(have, i int32) int {
		t := &l.Refs[have].Target
		return cmp.Or(cmp.Compare(t.Group, target.Group), cmp.Compare(t.Generation, target.Generation),
			cmp.Compare(t.Member, target.Member), cmp.Compare(have, i))
	})
	return at
}

// To returns a reference that waits for an entity.
func (l *Late) To(id repl.ID) (i int32, ok bool) {
	if at := l.find(id, 0); at < len(l.byTarget) {
		i = l.byTarget[at]
		return i, l.Refs[i].Target == id
	}
	return 0, false
}

// Outdated returns a reference that waits for an entity with a generation of a handle below another.
func (l *Late) Outdated(h repl.Handle, to repl.Generation) (i int32, ok bool) {
	if at := l.find(repl.ID{Group: h}, 0); at < len(l.byTarget) {
		i = l.byTarget[at]
		return i, l.Refs[i].Target.Group == h && l.Refs[i].Target.Generation < to
	}
	return 0, false
}

// Len returns the number of waiting references.
func (l *Late) Len() int { return len(l.Refs) - len(l.free) }

// Forget removes the waiting references of a component, and returns how many there were.
func (l *Late) Forget(h LateHolder) (n int) {
	for i, ok := l.byHolder.First(h); ok; i, ok = l.byHolder.First(h) {
		l.Drop(i)
		n++
	}
	return n
}

// ForgetAll removes the waiting references of some components of an entity.
func (l *Late) ForgetAll(s repl.Slot, comps *set.Mask) {
	for comp := range comps.All() {
		l.Forget(LateHolder{s, comp})
	}
}
