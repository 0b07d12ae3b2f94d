package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// canBeChild reports whether an entity can be a child of another: within MaxDepth and without a
// cycle.
func (h *hierarchy) canBeChild(s, parent repl.Slot) bool {
	if h.Nodes[parent].depth+1 > MaxDepth {
		return false
	}
	for above, ok := parent, true; ok; above, ok = h.Parent(above) {
		if above == s {
			return false
		}
	}
	return true
}

// addUnplaced records that an entity is replicated without its parent, and logs the first.
func (h *hierarchy) addUnplaced(s repl.Slot) {
	if !h.Nodes[s].unplaced {
		h.Nodes[s].unplaced = true
		h.unplaced = append(h.unplaced, s)
	}
	if !h.warned {
		h.warned = true
		h.Log.Warn("a child is taken for one without a parent, because it stands above its own parent or more than 64 below the first; keep hierarchies flat and without circles",
			"entity", h.collector.Table.Entity(columns.Slot(s)))
	}
}

// retryUnplaced places the unplaced entities again, if a hierarchy has changed.
func (h *hierarchy) retryUnplaced() {
	if len(h.dirty) == 0 || len(h.unplaced) == 0 {
		return
	}
	h.retried = append(h.retried[:0], h.unplaced...)
	h.unplaced = h.unplaced[:0]
	for _, s := range h.retried {
		h.Nodes[s].unplaced = false
		h.placeEntity(s)
	}
}
