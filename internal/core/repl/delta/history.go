// Package delta keeps earlier values, so that updates can hold differences from the values on the
// other side. A sender and a receiver keep the same kind of history: of one component, by slot.
package delta

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// History is the past values of one component, by slot, each with the tick from which it was valid.
// It reaches back as far as any baseline of a difference.
//
// A receiver does not get every tick. It sets since to the tick after the last one at which it had
// the previous value. The value at a tick is then the value at the next tick that the receiver had,
// which is the same: a sender that uses a tick as baseline knows that nothing changed from there to
// the receiver's tick.
type History struct {
	size  int
	rings []ring
	spare [rooms][]room // of ended entities, or outgrown; by length
}

// room is memory for a slot's values.
type room struct {
	since []entangle.Tick
	data  []byte
}

// rooms is how many lengths of rooms there are: firstRing, and twice as many each, up to
// repl.HistoryTicks.
const rooms = 6

// ring is the values of one slot, at most repl.HistoryTicks of them.
type ring struct {
	room
	head int // the oldest
	n    int
}

// NewHistory returns an empty history of values of size bytes.
func NewHistory(size int) *History { return &History{size: size} }

// Restart notes a value before which nothing counts: the component came with it.
func (h *History) Restart(s repl.Slot, since entangle.Tick, value []byte) {
	h.Drop(s)
	h.Set(s, since, value)
}

// Drop forgets a slot. Its memory is kept for any slot that needs as much: if each slot kept its
// own, a history would grow until each slot has once had a value that changes in every tick.
func (h *History) Drop(s repl.Slot) {
	if int(s) < len(h.rings) {
		h.keep(h.rings[s].room)
		h.rings[s] = ring{}
	}
}

// keep takes a room back.
func (h *History) keep(r room) {
	if n := len(r.since); n > 0 {
		h.spare[lengthOf(n)] = append(h.spare[lengthOf(n)], r)
	}
}

// takeRoom returns a room for so many values.
func (h *History) takeRoom(n int) room {
	spare := &h.spare[lengthOf(n)]
	if last := len(*spare) - 1; last >= 0 {
		r := (*spare)[last]
		*spare = (*spare)[:last]
		return r
	}
	return room{since: make([]entangle.Tick, n), data: make([]byte, n*h.size)}
}

// lengthOf is the place of a room's length among all there are.
func lengthOf(n int) int { return bits.Len(uint(n/firstRing)) - 1 }

// Set stores the value since a tick, which is not before any stored one. Of two for one tick the
// last counts.
func (h *History) Set(s repl.Slot, since entangle.Tick, value []byte) {
	for int(s) >= len(h.rings) {
		h.rings = append(h.rings, ring{})
	}
	r := &h.rings[s]
	if r.n > 0 && r.since[r.indexAt(r.n-1)] == since {
		copy(h.valueAt(r, r.n-1), value)
		return
	}
	switch {
	case r.n == repl.HistoryTicks:
		r.head = (r.head + 1) % len(r.since)
		r.n--
	case r.n == len(r.since):
		h.grow(r)
	}
	r.n++
	r.since[r.indexAt(r.n-1)] = since
	copy(h.valueAt(r, r.n-1), value)
}

// firstRing is the room of a slot at first: most values of a world stand still.
const firstRing = 2

// grow doubles the room of a slot.
func (h *History) grow(r *ring) {
	size := min(max(firstRing, 2*len(r.since)), repl.HistoryTicks)
	larger := h.takeRoom(size)
	for i := range r.n {
		larger.since[i] = r.since[r.indexAt(i)]
		copy(larger.data[i*h.size:], h.valueAt(r, i))
	}
	h.keep(r.room)
	r.room, r.head = larger, 0
}

func (r *ring) indexAt(i int) int { return (r.head + i) % len(r.since) }

func (h *History) valueAt(r *ring, i int) []byte {
	at := r.indexAt(i) * h.size
	return r.data[at : at+h.size : at+h.size]
}

// At returns the value at a tick, and the ticks for which it is the same: from since on and before
// until. It is not ok for a tick before the history. The bytes are valid until the next Set.
func (h *History) At(s repl.Slot, tick entangle.Tick) (value []byte, since, until entangle.Tick, ok bool) {
	if int(s) >= len(h.rings) {
		return nil, 0, 0, false
	}
	r := &h.rings[s]
	until = tick + 1<<30
	for i := r.n - 1; i >= 0; i-- {
		since = r.since[r.indexAt(i)]
		if !tick.Before(since) {
			return h.valueAt(r, i), since, until, true
		}
		until = since
	}
	return nil, 0, 0, false
}
