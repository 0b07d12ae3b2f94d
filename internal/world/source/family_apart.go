package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// fits reports whether an entity can stand below another: not too deep, and not where
// it would be above itself.
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

// part notes that an entity stays without its parent, and tells of the first.
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

// retry looks whether those that are apart fit by now, when some family has changed.
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
