package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// fits reports whether an entity can be a child of another: within MaxDepth and without a cycle.
func (f *family) fits(s, parent repl.Slot) bool {
	if f.Kin[parent].depth+1 > MaxDepth {
		return false
	}
	for above, ok := parent, true; ok; above, ok = f.Parent(above) {
		if above == s {
			return false
		}
	}
	return true
}

// part records that an entity is replicated without its parent, and logs the first.
func (f *family) part(s repl.Slot) {
	if !f.Kin[s].apart {
		f.Kin[s].apart = true
		f.apart = append(f.apart, s)
	}
	if !f.warned {
		f.warned = true
		f.Log.Warn("a child is taken for one without a parent, because it stands above its own parent or more than 64 below the first; keep families flat and without circles",
			"entity", f.publisher.Table.Entity(columns.Slot(s)))
	}
}

// retry places the entities in apart again, if a hierarchy has changed.
func (f *family) retry() {
	if len(f.dirty) == 0 || len(f.apart) == 0 {
		return
	}
	f.again = append(f.again[:0], f.apart...)
	f.apart = f.apart[:0]
	for _, s := range f.again {
		f.Kin[s].apart = false
		f.place(s)
	}
}
