package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Changes are encoded before any peer needs them, many groups at a time: the data of each group
// lies in many columns, and loads faster when a column is read for many groups in a row. The bytes
// sent do not depend on it: a chunk with the wrong baseline for the first peer that needs it is
// encoded again for that baseline.

// nearChunks is for how many groups data is prefetched at a time.
const nearChunks = 32

// encodeLikely makes the chunks of private groups of one with visible changes, from the baseline
// that was needed last. Where differences are sent, most peers have another baseline.
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

// bringNear only reads the data of groups of one, to load it into the caches.
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
