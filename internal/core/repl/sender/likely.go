package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// What changed is encoded before anybody asks for it, many groups at a time: what is known of
// each lies in many columns, and all of it arrives sooner when a column is read for many in a
// row. What is sent does not depend on it: a chunk that does not serve who asks first is
// encoded anew for that base.

// nearChunks is for how many groups what encoding reads is brought near at a time.
const nearChunks = 32

// encodeLikely makes the chunks of private groups of one of which somebody sees a change, from
// the base that was asked for last. Where differences are sent that is no base for most.
func (w *World) encodeLikely() {
	if w.differ != nil {
		return
	}
	for likely := w.likely; len(likely) > 0; likely = likely[min(nearChunks, len(likely)):] {
		ids := likely[:min(nearChunks, len(likely))]
		w.bringNear(ids)
		for _, id := range ids {
			if c := &w.chunks.of[id]; c.tick != w.tick && w.groups[id].alone() {
				w.fill(id, c, repl.From{Base: w.tick - w.chunks.age})
			}
		}
	}
}

// bringNear does nothing but read what is kept of groups of one.
func (w *World) bringNear(ids []groupID) {
	var slots [nearChunks]repl.Slot
	n, t := 0, &w.slots
	for _, id := range ids {
		if gr := &w.groups[id]; len(gr.members) > 0 {
			slots[n] = gr.members[0].slot
			n++
		}
	}
	sum := entangle.Tick(0)
	for i, slot := range slots[:n] {
		sum += w.chunks.of[ids[i]].tick
		if c := t.mask[slot].Next(0); c >= 0 {
			sum += t.changed[c][slot]
		}
	}
	w.near += int32(sum)
}
