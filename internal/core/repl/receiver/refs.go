package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// readRefs reads the table before a body.
func (r *Receiver) readRefs() bool {
	r.refs = r.refs[:0]
	if !r.in.Bool() {
		return r.in.Err() == nil
	}
	var ok bool
	r.refs, ok = repl.ReadRefs(&r.in, r.refs)
	return ok && len(r.refs) > 0
}

// outdate ends the waits for entities with older generations of a handle.
func (r *Receiver) outdate(h repl.Handle, to repl.Generation) {
	if r.outdater != nil && to > 0 {
		r.outdater.Outdate(h, to)
	}
}

// At resolves a reference of the current body.
func (r *Receiver) At(index uint32) (Target, bool) {
	if index == 0 {
		return Target{Slot: repl.NoSlot}, true
	}
	if uint64(index) > uint64(len(r.refs)) {
		return Target{Slot: repl.NoSlot}, false
	}
	ref := r.refs[index-1]
	to := Target{Slot: repl.NoSlot}
	var here bool
	if ref.Yours {
		to.Slot, here = r.ours(ref.ID)
	} else {
		to.ID = ref.ID
		to.Slot, here = r.Slot(ref.ID)
		to.Late = !here
	}
	if !here {
		r.stats.Dangling++
	}
	return to, true
}

// ours finds an entity of this side's own.
func (r *Receiver) ours(id repl.ID) (repl.Slot, bool) {
	if r.own == nil {
		return repl.NoSlot, false
	}
	if slot, ok := r.own.Slot(id); ok {
		return slot, true
	}
	return repl.NoSlot, false
}
