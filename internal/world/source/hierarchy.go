package source

import (
	"cmp"
	"log/slog"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
)

// MaxDepth bounds how many ancestors of an entity are followed. A deeper child has no parent, and is
// for no client: the limits of its ancestors cannot be followed.
const MaxDepth = 64

// hierarchy keeps the hierarchy of the replicated entities, as observed. The changes that
// hierarchies cause in the world before it is observed are in propagation.go, driven by the events
// that hierarchy_listener.go records.
type hierarchy struct {
	collector   *Collector
	Propagation propagation

	Nodes    []node // by slot
	dirty    []repl.Slot
	live     []repl.Slot // those of dirty that are still replicated
	unplaced []repl.Slot // their parent is too deep, or a descendant of theirs
	retried  []repl.Slot // scratch: those to retry
	detached set.Bitset  // those with a paused parent that they are replicated without
	named    uint32      // number of names given to hierarchies
	warned   bool
	Log      *slog.Logger
}

// node links an entity to its parent, children and siblings. Slot 0 means none.
type node struct {
	parent, first, next, prev repl.Slot
	// pausedParent is the paused parent of an entity that has a Replicate of its own. The entity is
	// replicated without it, for no more clients than the parent was for.
	pausedParent repl.Slot
	depth        uint8 // number of ancestors
	unplaced     bool  // it is in hierarchy.unplaced
	tooDeep      bool  // its parent has MaxDepth ancestors
	name         uint32
}

func newHierarchy(p *Collector, infos []*registry.Component, log *slog.Logger) hierarchy {
	return hierarchy{collector: p, Propagation: newPropagation(p, infos, log), Log: log}
}

// IsHierarchy reports whether a component relates children to their parents.
func IsHierarchy(info *registry.Component) bool {
	return info.Hierarchy || info.Type == TypeOf[components.ChildOf]()
}

// Parent returns the parent of an entity, if they are replicated together.
func (h *hierarchy) Parent(s repl.Slot) (parent repl.Slot, ok bool) {
	if int(s) >= len(h.Nodes) {
		return 0, false
	}
	parent = h.Nodes[s].parent
	return parent, parent != 0
}

// hasChildren reports whether an entity had children as of the last tick.
func (h *hierarchy) hasChildren(s repl.Slot) bool {
	return int(s) < len(h.Nodes) && h.Nodes[s].first != 0
}

// parentOrPaused returns the parent of an entity, including a paused one that it is replicated
// without. An entity is only for clients that its ancestors are for.
func (h *hierarchy) parentOrPaused(s repl.Slot) (above repl.Slot, ok bool) {
	if parent, ok := h.Parent(s); ok || int(s) >= len(h.Nodes) {
		return parent, ok
	}
	above = h.Nodes[s].pausedParent
	return above, above != 0
}

// isTooDeep reports whether an entity has more than MaxDepth ancestors.
func (h *hierarchy) isTooDeep(s repl.Slot) bool { return int(s) < len(h.Nodes) && h.Nodes[s].tooDeep }

// groupName returns the name of the group that an entity belongs in, 0 for a group of its own. The
// root of the hierarchy decides: the name is the group of its Replicate, or else the name of the
// hierarchy. A hierarchy keeps its name when only one of its entities is left.
func (h *hierarchy) groupName(s repl.Slot) uint64 {
	for above, ok := h.Parent(s); ok; above, ok = h.Parent(s) {
		s = above
	}
	if name := h.collector.replicateOf(s).Group; name != 0 || int(s) >= len(h.Nodes) {
		return uint64(name)
	}
	if k := &h.Nodes[s]; k.first != 0 && k.name == 0 {
		h.named++
		k.name = h.named
	}
	return uint64(h.Nodes[s].name) << 32
}

// settings returns the group settings of an entity's Replicate. A field that is not set comes from
// the nearest ancestor that sets it.
func (h *hierarchy) settings(s repl.Slot) components.Replicate {
	r := *h.collector.replicateOf(s)
	for above, ok := h.Parent(s); ok; above, ok = h.Parent(above) {
		up := h.collector.replicateOf(above)
		r.SendEvery, r.MaxAge = cmp.Or(r.SendEvery, up.SendEvery), cmp.Or(r.MaxAge, up.MaxAge)
		r.Priority = cmp.Or(r.Priority, up.Priority)
	}
	return r
}

// update updates the hierarchy by the changes of the tick.
func (h *hierarchy) update() {
	h.dirty = h.dirty[:0]
	if h.Propagation.unused() {
		return
	}
	t := h.collector.Table
	for len(h.Nodes) < t.Slots() {
		h.Nodes = append(h.Nodes, node{})
	}
	h.removeGone(t)
	h.placeAll(t.Spawned())
	h.placeAll(t.Resumed())
	h.placeAll(t.Retargeted())
	for _, change := range t.Structure() {
		if touched := change.Inserted.Or(change.Removed).And(h.collector.Sent.relations); !touched.IsZero() {
			h.placeEntity(repl.Slot(change.Slot))
		}
	}
	for _, e := range h.Propagation.checked {
		if s, ok := t.SlotOf(e); ok {
			h.placeEntity(repl.Slot(s))
			if !h.Propagation.Slots.added.Has(int(s)) {
				h.dropFormer(repl.Slot(s)) // the game may have replaced its Replicate by an equal one
			}
		}
	}
	h.Propagation.checked = h.Propagation.checked[:0]
	for _, s := range t.MarkerChanged() {
		h.dropFormer(repl.Slot(s))
	}
	h.retryUnplaced()
	h.markChangedSettings()
}

// removeGone removes despawned and paused entities.
func (h *hierarchy) removeGone(t *columns.Table) {
	for _, s := range t.Despawned() {
		h.forgetEntity(repl.Slot(s))
	}
	for _, s := range t.Paused() {
		h.leaveHierarchy(repl.Slot(s))
	}
}

func (h *hierarchy) placeAll(slots []columns.Slot) {
	for _, s := range slots {
		h.placeEntity(repl.Slot(s))
	}
}

// markChangedSettings marks the descendants of entities whose Replicate or owner changed.
func (h *hierarchy) markChangedSettings() {
	t := h.collector.Table
	for _, all := range [2][]columns.Slot{t.MarkerChanged(), t.Changed(h.collector.Sent.Owners)} {
		for _, s := range all {
			h.markDescendants(s)
		}
	}
	for _, change := range t.Structure() {
		if touched := change.Inserted.Or(change.Removed); touched.Has(h.collector.Sent.Owners) {
			h.markDescendants(change.Slot)
		}
	}
}

// markDescendants is markDirty for an entity that has children.
func (h *hierarchy) markDescendants(s columns.Slot) {
	if h.Nodes[s].first != 0 {
		h.markDirty(repl.Slot(s))
	}
}

// changed returns the replicated entities whose hierarchy, or whose ancestors' settings, changed.
func (h *hierarchy) changed() []repl.Slot {
	h.live = h.live[:0]
	for _, s := range h.dirty {
		if h.Replicated(s) {
			h.live = append(h.live, s)
		}
	}
	return h.live
}

// Replicated reports whether the entity of a slot is replicated and not paused.
func (h *hierarchy) Replicated(s repl.Slot) bool {
	return h.collector.Table.Marker(columns.Slot(s)) != nil
}

// readParent returns the parent that the table gives an entity, or else the paused parent that it is
// replicated without.
func (h *hierarchy) readParent(s repl.Slot) (parent, behind repl.Slot) {
	t := h.collector.Table
	if mask := t.Mask(columns.Slot(s)).And(h.Propagation.comps.cols); !h.Replicated(s) || mask.IsZero() {
		return 0, 0
	}
	target := t.Target(columns.Slot(s))
	switch at, ok := t.SlotOf(target); {
	case !ok || h.Propagation.excludesChildren(target):
		return 0, 0
	case h.Replicated(repl.Slot(at)) && h.Propagation.propagates(target):
		return repl.Slot(at), 0
	case h.collector.Paused.Has(int(at)):
		return 0, repl.Slot(at)
	}
	return 0, 0
}

// losesParent reports whether an entity has another parent than at the last tick, or none, and a
// Replicate that propagation added.
func (h *hierarchy) losesParent(s repl.Slot) bool {
	was, had := h.Parent(s)
	if !had && !h.isTooDeep(s) || !h.Replicated(s) || !h.Propagation.Slots.added.Has(int(s)) {
		return false
	}
	parent, _ := h.readParent(s)
	return parent == 0 || had && parent != was
}

// dropFormer drops the former ancestors of a replicated entity, since the game changed its
// Replicate.
func (h *hierarchy) dropFormer(s repl.Slot) {
	if h.Replicated(s) && h.collector.Visibility.former.dropFormer(s) {
		h.markDirty(s)
	}
}

// placeEntity links an entity to its parent.
func (h *hierarchy) placeEntity(s repl.Slot) {
	parent, behind := h.readParent(s)
	tooDeep := parent != 0 && h.Nodes[parent].depth == MaxDepth
	if tooDeep || parent != 0 && h.isAncestor(s, parent) {
		h.addUnplaced(s)
		parent = 0
	}
	if k := &h.Nodes[s]; k.parent == parent && k.pausedParent == behind && k.tooDeep == tooDeep {
		return
	}
	h.unlink(s)
	h.Nodes[s].tooDeep = tooDeep
	h.setPausedParent(s, behind)
	if parent != 0 {
		h.collector.Visibility.former.dropFormer(s)
		k, above := &h.Nodes[s], &h.Nodes[parent]
		k.parent, k.next = parent, above.first
		if k.next != 0 {
			h.Nodes[k.next].prev = s
		}
		above.first = s
		if k.next == 0 {
			h.dirty = append(h.dirty, parent) // it has a child now
		}
	}
	h.markDirty(s)
}

// setPausedParent records the paused parent that an entity is replicated without; 0 for none.
func (h *hierarchy) setPausedParent(s, behind repl.Slot) {
	h.detached.Grow(len(h.Nodes))
	if h.Nodes[s].pausedParent = behind; behind != 0 {
		h.detached.Set(int(s))
	} else {
		h.detached.Clear(int(s))
	}
}

// unlink unlinks an entity from its parent.
func (h *hierarchy) unlink(s repl.Slot) {
	k := &h.Nodes[s]
	if k.parent == 0 {
		return
	}
	if k.prev != 0 {
		h.Nodes[k.prev].next = k.next
	} else {
		h.Nodes[k.parent].first = k.next
	}
	if k.next != 0 {
		h.Nodes[k.next].prev = k.prev
	}
	k.parent, k.next, k.prev = 0, 0, 0
}

// markDirty marks an entity and all its descendants dirty, and updates their depths.
func (h *hierarchy) markDirty(s repl.Slot) {
	from := len(h.dirty)
	h.dirty = append(h.dirty, s)
	for i := from; i < len(h.dirty); i++ {
		k := &h.Nodes[h.dirty[i]]
		if k.depth = 0; k.parent != 0 {
			k.depth = h.Nodes[k.parent].depth + 1
		}
		for child := k.first; child != 0; {
			next := h.Nodes[child].next
			if k.depth == MaxDepth {
				h.unlink(child)
				h.Nodes[child].tooDeep = true
				h.addUnplaced(child)
			}
			h.dirty = append(h.dirty, child)
			child = next
		}
	}
}

// leaveHierarchy removes an entity from its hierarchy. Its children continue without it.
func (h *hierarchy) leaveHierarchy(s repl.Slot) {
	h.unlink(s)
	h.setPausedParent(s, 0)
	for child := h.Nodes[s].first; child != 0; child = h.Nodes[s].first {
		h.unlink(child)
		_, behind := h.readParent(child)
		h.setPausedParent(child, behind)
		h.markDirty(child)
	}
}

// forgetEntity is leaveHierarchy for a despawned entity.
func (h *hierarchy) forgetEntity(s repl.Slot) {
	h.leaveHierarchy(s)
	h.Nodes[s].depth, h.Nodes[s].name = 0, 0
	h.Propagation.Slots.clearSlot(s)
}
