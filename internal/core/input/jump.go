package input

import "github.com/entangle-ecs/entangle"

// Jump moves the lane along with the clock of its player, which was set to delta ticks
// after the last tick that was written in, or before. Inputs that have not acted yet act
// as many ticks after now as they would have. Of what was written for ticks that will come
// once more, which is so after a jump back, the events are kept: they act with the next
// input.
func (w *Writer) Jump(delta int32) {
	w.epoch = (w.epoch + 1) & epochs
	if !w.begin || delta == 0 {
		return
	}
	to := w.last + entangle.Tick(delta)
	waiting := w.lift()
	w.keepEvents(to)
	w.cut(earlier(w.last, to))
	w.move(to)
	if delta < 0 {
		w.first += entangle.Tick(delta)
	}
	w.last, w.front = to, to
	w.lower(waiting)
	w.sent = sent{}
}

func earlier(t, u entangle.Tick) entangle.Tick {
	if t.Before(u) {
		return t
	}
	return u
}

// lifted is an input out of its place.
type lifted struct {
	kind  kind
	value []byte
}

// lift copies what is after the last tick: in a ring, where it goes may be where others
// of it still are. It is the one place that allocates, once in a jump.
func (w *Writer) lift() []lifted {
	n := int(w.front.Sub(w.last))
	list, memory := make([]lifted, n), make([]byte, n*w.size)
	for i := range list {
		tick := w.last + entangle.Tick(i) + 1
		l := &list[i]
		l.kind, l.value = w.kind(tick), memory[i*w.size:(i+1)*w.size]
		copy(l.value, w.value(tick))
	}
	return list
}

// lower puts what was lifted after the last tick.
func (w *Writer) lower(list []lifted) {
	for _, l := range list {
		w.front++
		if l.kind != hole {
			w.set(w.front, l.kind, l.value)
		}
	}
}

// keepEvents gathers the events of the ticks after one, up to the last. They can be of
// many inputs, and the newest of each field counts.
func (w *Writer) keepEvents(after entangle.Tick) {
	n := min(w.last.Sub(after), w.back+1)
	for t := w.last - entangle.Tick(max(n, 0)) + 1; !w.last.Before(t); t++ {
		if w.kind(t) != value || !w.hasEvents(w.value(t)) {
			continue
		}
		if !w.carries {
			clear(w.carry)
			w.carries = true
		}
		w.codec.MergeEvents(w.carry, w.value(t))
	}
}
