package input

import "github.com/entangle-ecs/entangle"

// Jump adjusts the stream to a jump of the player's clock by delta ticks, counted from the last
// tick that was written.
//
// After a jump forward, inputs that a packet has carried keep their ticks, because the server may
// have run them there. Inputs that no packet has carried act as many ticks after the new time as
// they would have after the old one.
//
// After a jump back, the next written input is again for a tick delay ticks later. Inputs before
// that tick are kept, because the server may have run them, and frames begin with that tick. Inputs
// from that tick on are discarded. For those of them that a packet has carried, the server keeps
// the events. The events of the others act with the next input; of several events of one field, the
// newest. So no event acts twice, whatever has arrived.
func (w *Writer) Jump(delta int32) {
	switch {
	case delta < 0:
		w.epoch = (w.epoch + 1) & epochs
		if w.begin {
			w.jumpBack(entangle.Tick(delta))
		}
	case delta > 0 && w.begin:
		w.jumpForward(entangle.Tick(delta))
	}
}

func (w *Writer) jumpForward(by entangle.Tick) {
	reported := later(w.newestSent, w.last)
	moved := w.lift(reported)
	w.cut(reported)
	w.last += by
	w.move(w.last)
	w.newestFilled = later(reported, w.last)
	for i, l := range moved {
		w.newestFilled = reported + by + entangle.Tick(i) + 1
		if l.kind != hole {
			w.setTick(w.newestFilled, l.kind, l.value)
		}
	}
}

// jumpBack jumps back. by is negative; adding it to a tick wraps around.
func (w *Writer) jumpBack(by entangle.Tick) {
	keep := w.newestFilled + by
	w.keepEvents(later(keep, w.newestSent))
	w.cut(keep)
	w.first = earlier(w.first, keep)
	w.last += by
	w.move(w.last)
	w.newestFilled, w.obsolete, w.newestSent, w.sent = keep, keep, earlier(w.newestSent, keep), sent{}
}

func earlier(t, u entangle.Tick) entangle.Tick {
	if t.Before(u) {
		return t
	}
	return u
}

func later(t, u entangle.Tick) entangle.Tick {
	if t.Before(u) {
		return u
	}
	return t
}

// lifted is a copy of an input that is to be moved.
type lifted struct {
	kind  kind
	value []byte
}

// lift copies the inputs after a tick, because their new places in the ring may overlap the old
// ones. It and keepEvents are the only functions that allocate, and only in a jump.
func (w *Writer) lift(from entangle.Tick) []lifted {
	list := make([]lifted, max(w.newestFilled.Sub(from), 0))
	memory := make([]byte, len(list)*w.size)
	for i := range list {
		tick := from + entangle.Tick(i) + 1
		l := &list[i]
		l.kind, l.value = w.kind(tick), memory[i*w.size:(i+1)*w.size]
		copy(l.value, w.valueAt(tick))
	}
	return list
}

// keepEvents collects in w.carry the events of the ticks after a given one, and of those that wait
// already, which are newer.
func (w *Writer) keepEvents(after entangle.Tick) {
	events := make([]byte, w.size)
	n := min(w.newestFilled.Sub(after), w.back+1)
	for t := w.newestFilled - entangle.Tick(n) + 1; !w.newestFilled.Before(t); t++ {
		if !w.holds(t) || w.kind(t) != value {
			continue
		}
		if v := w.valueAt(t); w.hasEvents(v) {
			w.codec.MergeEvents(events, v)
			w.carries = true
		}
	}
	w.codec.MergeEvents(events, w.carry)
	copy(w.carry, events)
}
