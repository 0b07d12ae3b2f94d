package source

import (
	"cmp"
	"log/slog"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
)

// MaxDepth bounds how many ancestors of an entity are followed. A deeper child is treated as
// having no parent.
const MaxDepth = 64

// family keeps the hierarchy of the replicated entities, as observed. The changes that hierarchies
// cause in the world before it is observed are in kindred.go, driven by the events that
// kin_listener.go records.
type family struct {
	publisher *Publisher
	Kindred   kindred

	Kin      []kin // by slot
	dirty    []repl.Slot
	live     []repl.Slot // those of dirty that are still replicated
	apart    []repl.Slot // their parent is too deep, or a descendant of theirs
	again    []repl.Slot // scratch: those to retry
	behind   repl.Bitset // those with a paused parent that they are replicated without
	families uint32      // number of names given to hierarchies
	warned   bool
	Log      *slog.Logger
}

// kin links an entity to its parent, children and siblings. Slot 0 means none.
type kin struct {
	parent, first, next, prev repl.Slot
	// behind is the paused parent of an entity that has a Replicate of its own. The entity is
	// replicated without it, for no more clients than the parent was for.
	behind repl.Slot
	depth  uint8 // number of ancestors
	apart  bool  // it is in family.apart
	name   uint32
}

func newFamily(p *Publisher, infos []*registry.Component, log *slog.Logger) family {
	return family{publisher: p, Kindred: newKindred(p, infos, log), Log: log}
}

// IsHierarchy reports whether a component relates children to their parents.
func IsHierarchy(info *registry.Component) bool {
	return info.Hierarchy || info.Type == TypeOf[components.ChildOf]()
}

// Parent returns the parent of an entity, if they are replicated together.
func (f *family) Parent(s repl.Slot) (parent repl.Slot, ok bool) {
	if int(s) >= len(f.Kin) {
		return 0, false
	}
	parent = f.Kin[s].parent
	return parent, parent != 0
}

// hasBelow reports whether an entity had children as of the last tick.
func (f *family) hasBelow(s repl.Slot) bool { return int(s) < len(f.Kin) && f.Kin[s].first != 0 }

// above returns the parent of an entity, including a paused one that it is replicated without. An
// entity is only for clients that its ancestors are for.
func (f *family) above(s repl.Slot) (above repl.Slot, ok bool) {
	if parent, ok := f.Parent(s); ok || int(s) >= len(f.Kin) {
		return parent, ok
	}
	above = f.Kin[s].behind
	return above, above != 0
}

// group returns the name of the group that an entity belongs in, 0 for a group of its own. The
// root of the hierarchy decides: the name is the group of its Replicate, or else the name of the
// hierarchy. A hierarchy keeps its name when only one of its entities is left.
func (f *family) group(s repl.Slot) uint64 {
	for above, ok := f.Parent(s); ok; above, ok = f.Parent(s) {
		s = above
	}
	if name := f.publisher.replicate(s).Group; name != 0 || int(s) >= len(f.Kin) {
		return uint64(name)
	}
	if k := &f.Kin[s]; k.first != 0 && k.name == 0 {
		f.families++
		k.name = f.families
	}
	return uint64(f.Kin[s].name) << 32
}

// asks returns the group settings of an entity's Replicate. A field that is not set comes from the
// nearest ancestor that sets it.
func (f *family) asks(s repl.Slot) components.Replicate {
	r := *f.publisher.replicate(s)
	for above, ok := f.Parent(s); ok; above, ok = f.Parent(above) {
		up := f.publisher.replicate(above)
		r.SendEvery, r.MaxAge = cmp.Or(r.SendEvery, up.SendEvery), cmp.Or(r.MaxAge, up.MaxAge)
		r.Priority = cmp.Or(r.Priority, up.Priority)
	}
	return r
}

// follow updates the hierarchy by the changes of the tick.
func (f *family) follow() {
	f.dirty = f.dirty[:0]
	if f.Kindred.none() {
		return
	}
	t := f.publisher.Table
	for len(f.Kin) < t.Slots() {
		f.Kin = append(f.Kin, kin{})
	}
	f.lose(t)
	f.meet(t.Spawned())
	f.meet(t.Resumed())
	f.meet(t.Retargeted())
	for _, change := range t.Structure() {
		if touched := change.Inserted.Or(change.Removed).And(f.publisher.relations); !touched.IsZero() {
			f.place(repl.Slot(change.Slot))
		}
	}
	for _, e := range f.Kindred.looked {
		if s, ok := t.SlotOf(e); ok {
			f.place(repl.Slot(s))
		}
	}
	f.Kindred.looked = f.Kindred.looked[:0]
	f.retry()
	f.heed()
}

// lose removes despawned and paused entities.
func (f *family) lose(t *columns.Table) {
	for _, s := range t.Despawned() {
		f.forget(repl.Slot(s))
	}
	for _, s := range t.Paused() {
		f.leave(repl.Slot(s))
	}
}

func (f *family) meet(slots []columns.Slot) {
	for _, s := range slots {
		f.place(repl.Slot(s))
	}
}

// heed marks the descendants of entities whose Replicate or owner changed.
func (f *family) heed() {
	t := f.publisher.Table
	for _, all := range [2][]columns.Slot{t.MarkerChanged(), t.Changed(f.publisher.Owners)} {
		for _, s := range all {
			f.markBelow(s)
		}
	}
	for _, change := range t.Structure() {
		if touched := change.Inserted.Or(change.Removed); touched.Has(f.publisher.Owners) {
			f.markBelow(change.Slot)
		}
	}
}

// markBelow is mark for an entity that has children.
func (f *family) markBelow(s columns.Slot) {
	if f.Kin[s].first != 0 {
		f.mark(repl.Slot(s))
	}
}

// touched returns the replicated entities whose hierarchy, or whose ancestors' settings, changed.
func (f *family) touched() []repl.Slot {
	f.live = f.live[:0]
	for _, s := range f.dirty {
		if f.Replicated(s) {
			f.live = append(f.live, s)
		}
	}
	return f.live
}

// Replicated reports whether the entity of a slot is replicated and not paused.
func (f *family) Replicated(s repl.Slot) bool {
	return f.publisher.Table.Marker(columns.Slot(s)) != nil
}

// parentOf returns the parent that the table gives an entity, or else the paused parent that it is
// replicated without.
func (f *family) parentOf(s repl.Slot) (parent, behind repl.Slot) {
	t := f.publisher.Table
	if mask := t.Mask(columns.Slot(s)).And(f.Kindred.cols); !f.Replicated(s) || mask.IsZero() {
		return 0, 0
	}
	target := t.Target(columns.Slot(s))
	switch at, ok := t.SlotOf(target); {
	case !ok || f.Kindred.keepsApart(target):
		return 0, 0
	case f.Replicated(repl.Slot(at)) && f.Kindred.leads(target):
		return repl.Slot(at), 0
	case f.publisher.Paused.Has(int(at)):
		return 0, repl.Slot(at)
	}
	return 0, 0
}

// place links an entity to its parent.
func (f *family) place(s repl.Slot) {
	parent, behind := f.parentOf(s)
	if parent != 0 && !f.fits(s, parent) {
		f.part(s)
		parent = 0
	}
	if f.Kin[s].parent == parent && f.Kin[s].behind == behind {
		return
	}
	f.cut(s)
	f.stand(s, behind)
	if parent != 0 {
		k, above := &f.Kin[s], &f.Kin[parent]
		k.parent, k.next = parent, above.first
		if k.next != 0 {
			f.Kin[k.next].prev = s
		}
		above.first = s
		if k.next == 0 {
			f.dirty = append(f.dirty, parent) // it has a child now
		}
	}
	f.mark(s)
}

// stand records the paused parent that an entity is replicated without; 0 for none.
func (f *family) stand(s, behind repl.Slot) {
	f.behind.Grow(len(f.Kin))
	if f.Kin[s].behind = behind; behind != 0 {
		f.behind.Set(int(s))
	} else {
		f.behind.Clear(int(s))
	}
}

// cut unlinks an entity from its parent.
func (f *family) cut(s repl.Slot) {
	k := &f.Kin[s]
	if k.parent == 0 {
		return
	}
	if k.prev != 0 {
		f.Kin[k.prev].next = k.next
	} else {
		f.Kin[k.parent].first = k.next
	}
	if k.next != 0 {
		f.Kin[k.next].prev = k.prev
	}
	k.parent, k.next, k.prev = 0, 0, 0
}

// mark marks an entity and all its descendants dirty, and updates their depths.
func (f *family) mark(s repl.Slot) {
	from := len(f.dirty)
	f.dirty = append(f.dirty, s)
	for i := from; i < len(f.dirty); i++ {
		k := &f.Kin[f.dirty[i]]
		if k.depth = 0; k.parent != 0 {
			k.depth = f.Kin[k.parent].depth + 1
		}
		for child := k.first; child != 0; {
			next := f.Kin[child].next
			if k.depth == MaxDepth {
				f.cut(child)
				f.part(child)
			}
			f.dirty = append(f.dirty, child)
			child = next
		}
	}
}

// leave removes an entity from its hierarchy. Its children continue without it.
func (f *family) leave(s repl.Slot) {
	f.cut(s)
	f.stand(s, 0)
	for child := f.Kin[s].first; child != 0; child = f.Kin[s].first {
		f.cut(child)
		_, behind := f.parentOf(child)
		f.stand(child, behind)
		f.mark(child)
	}
}

// forget is leave for a despawned entity.
func (f *family) forget(s repl.Slot) {
	f.leave(s)
	f.Kin[s].depth, f.Kin[s].name = 0, 0
	f.Kindred.forget(s)
}
