package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// isAncestor reports whether an entity is an ancestor of another, or the same.
func (h *hierarchy) isAncestor(above, s repl.Slot) bool {
	for at, ok := s, true; ok; at, ok = h.Parent(at) {
		if at == above {
			return true
		}
	}
	return false
}

// addUnplaced records that an entity is replicated without its parent, and logs the first.
func (h *hierarchy) addUnplaced(s repl.Slot) {
	if !h.Nodes[s].unplaced {
		h.Nodes[s].unplaced = true
		h.unplaced = append(h.unplaced, s)
	}
	if !h.warned {
		h.warned = true
		h.Log.Warn("a child is replicated without its parent, because it is an ancestor of it, or is shown to no client, because it has more than 64 ancestors; keep hierarchies flat and without cycles",
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
