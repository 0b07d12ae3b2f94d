package input

import "github.com/entangle-ecs/entangle"

// Jump moves the lane along with the clock of its player, which was set to delta ticks
// after the last tick that was written in, or before.
//
// After a jump forward, inputs that a packet has carried stay at their ticks, since the
// server may have run them there. Those that none has carried act as many ticks after now
// as they would have.
//
// After a jump back all do that, since the server drops what waits of the time before.
// What was written for ticks that will come once more is over, but its events act with
// the next input; of many for one field the newest.
func (w *Writer) Jump(delta int32) {
	w.epoch = (w.epoch + 1) & epochs
	if !w.begin || delta == 0 {
		return
	}
	to := w.last + entangle.Tick(delta)
	if delta > 0 {
		told := later(w.told, w.last)
		w.jumpTo(to, told, told)
		return
	}
	w.keepEvents(to)
	w.first += entangle.Tick(delta)
	w.jumpTo(to, w.last, to)
	w.told, w.sent = to, sent{}
}

// jumpTo goes on after another tick. What is after the tick from moves along; all else up
// to the tick keep stays.
func (w *Writer) jumpTo(to, from, keep entangle.Tick) {
	moved := w.lift(from)
	base := from + to - w.last
	w.cut(keep)
	w.move(to)
	w.last, w.front = to, later(keep, to)
	for i, l := range moved {
		w.front = base + entangle.Tick(i) + 1
		if l.kind != hole {
			w.set(w.front, l.kind, l.value)
		}
	}
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

// keepEvents gathers the events of the ticks after one, up to the last, and those that
// wait already, which are newer.
func (w *Writer) keepEvents(after entangle.Tick) {
	events := make([]byte, w.size)
	n := min(w.last.Sub(after), w.back+1)
	for t := w.last - entangle.Tick(n) + 1; !w.last.Before(t); t++ {
		if v := w.value(t); w.kind(t) == value && w.hasEvents(v) {
			w.codec.MergeEvents(events, v)
			w.carries = true
		}
	}
	w.codec.MergeEvents(events, w.carry)
	copy(w.carry, events)
}
