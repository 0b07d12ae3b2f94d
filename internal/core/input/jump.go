package input

import "github.com/entangle-ecs/entangle"

// Jump moves the lane along with the clock of its player, which was set to delta ticks
// after the last tick that was written in, or before.
//
// After a jump forward, inputs that a packet has carried stay at their ticks, since the
// server may have run them there. Those that none has carried act as many ticks after now
// as they would have.
//
// After a jump back, what is written next is again for a tick that is delay after its own.
// The inputs before that tick stay, since the server may have run them, and frames begin
// with that tick. Those from it on are over. The events of those that a packet has carried
// are the server's to keep; of those that none has carried they act with the next input,
// of many for one field the newest. So none acts twice, whatever has arrived.
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
	told := later(w.told, w.last)
	moved := w.lift(told)
	w.cut(told)
	w.last += by
	w.move(w.last)
	w.front = later(told, w.last)
	for i, l := range moved {
		w.front = told + by + entangle.Tick(i) + 1
		if l.kind != hole {
			w.set(w.front, l.kind, l.value)
		}
	}
}

// jumpBack goes back by what is added to a tick, which wraps.
func (w *Writer) jumpBack(by entangle.Tick) {
	keep := w.front + by
	w.keepEvents(later(keep, w.told))
	w.cut(keep)
	w.first = earlier(w.first, keep)
	w.last += by
	w.move(w.last)
	w.front, w.base, w.told, w.sent = keep, keep, earlier(w.told, keep), sent{}
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

// lifted is an input out of its place.
type lifted struct {
	kind  kind
	value []byte
}

// lift copies what is after a tick: in a ring, where it goes may be where others of it
// still are. It is the one place that allocates, in a jump.
func (w *Writer) lift(from entangle.Tick) []lifted {
	list := make([]lifted, max(w.front.Sub(from), 0))
	memory := make([]byte, len(list)*w.size)
	for i := range list {
		tick := from + entangle.Tick(i) + 1
		l := &list[i]
		l.kind, l.value = w.kind(tick), memory[i*w.size:(i+1)*w.size]
		copy(l.value, w.value(tick))
	}
	return list
}

// keepEvents gathers the events of the ticks after one, and those that wait already, which
// are newer.
func (w *Writer) keepEvents(after entangle.Tick) {
	events := make([]byte, w.size)
	n := min(w.front.Sub(after), w.back+1)
	for t := w.front - entangle.Tick(n) + 1; !w.front.Before(t); t++ {
		if !w.holds(t) || w.kind(t) != value {
			continue
		}
		if v := w.value(t); w.hasEvents(v) {
			w.codec.MergeEvents(events, v)
			w.carries = true
		}
	}
	w.codec.MergeEvents(events, w.carry)
	copy(w.carry, events)
}
