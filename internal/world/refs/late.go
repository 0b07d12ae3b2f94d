package refs

import (
	"cmp"

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
	ByTarget Chains[repl.ID]
	ByGroup  Chains[repl.Handle] // by the group of the target
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
	return Late{ByTarget: NewChains[repl.ID](), ByGroup: NewChains[repl.Handle](), byHolder: NewChains[LateHolder]()}
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
	l.ByTarget.Add(ref.Target, i)
	l.ByGroup.Add(ref.Target.Group, i)
	l.byHolder.Add(ref.Holder, i)
	return true
}

// Drop removes the waiting reference with index i.
func (l *Late) Drop(i int32) {
	l.ByTarget.Remove(l.Refs[i].Target, i)
	l.ByGroup.Remove(l.Refs[i].Target.Group, i)
	l.byHolder.Remove(l.Refs[i].Holder, i)
	l.free = append(l.free, i)
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
