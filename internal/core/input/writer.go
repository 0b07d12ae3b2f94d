package input

import (
	"bytes"

	"github.com/entangle-ecs/entangle"
)

// Writer is a local stream: the inputs of one type that a client makes for one entity.
//
// An input that is written in a tick acts delay ticks later. When the delay grows, the ticks in
// between repeat the last input without its events. When it shrinks, there are more inputs than
// ticks: inputs without events are dropped, and events wait for the next tick that has none of its
// own, so that each of them acts once and in order.
type Writer struct {
	ring
	epoch        Epoch
	begin        bool          // an input was written
	last         entangle.Tick // the last tick in which an input was written
	newestFilled entangle.Tick // the newest tick with content; last or later
	newestSent   entangle.Tick // the newest tick that a packet has carried, or one that is long past
	obsolete     entangle.Tick // the newest tick that packets must not carry any more, or one that is long past

	input    []byte // the input that is being written, rounded to what the other side decodes
	held     []byte // the last written input without its events
	lastNone bool   // the last write was WriteNone

	carry   []byte // events that wait for the next tick
	carries bool

	bare []byte // scratch: an input without its events
	sent sent
}

// NewWriter returns an empty stream. epoch is the number of jumps back of the client's clock.
func NewWriter(codec Codec, tickRate int, epoch Epoch) *Writer {
	size := codec.Size()
	return &Writer{
		ring: newRing(codec, tickRate, MaxDelay(tickRate), 0), epoch: epoch & epochs,
		input: make([]byte, size), held: make([]byte, size), carry: make([]byte, size), bare: make([]byte, size),
	}
}

// Write stores the input that was made in a tick. It acts delay ticks later; delay is 0 to MaxDelay
// of the tick rate. Each tick is written once, in order. A tick that is left out leaves a hole. A
// tick that is not after the last one implies a jump of the clock.
func (w *Writer) Write(tick entangle.Tick, delay int, v []byte) {
	copy(w.input, v)
	w.codec.Round(w.input)
	w.storeInput(tick, delay, w.input)
	copy(w.held, w.input)
	w.codec.ClearEvents(w.held)
	w.lastNone = false
}

// WriteNone stores that there is no input in a tick. If events wait, the next tick has them and
// nothing else.
func (w *Writer) WriteNone(tick entangle.Tick, delay int) {
	w.storeInput(tick, delay, nil)
	w.lastNone = true
}

// storeInput stores an input at the tick where it acts. v is nil for no input.
func (w *Writer) storeInput(tick entangle.Tick, delay int, v []byte) {
	if w.begin && tick.Sub(w.last) <= 0 {
		w.Jump(tick.Sub(w.last) - 1)
	}
	target := tick + entangle.Tick(min(max(delay, 0), int(w.ahead)))
	steady := w.begin && tick == w.last+1
	w.move(tick)
	w.clampTicks(tick - MaxTicks)
	w.begin, w.last = true, tick
	switch {
	case steady && target.Sub(w.newestFilled) <= 0:
		w.skip(v)
	case steady:
		w.fill(target)
		w.store(target, v)
	default:
		w.store(w.after(target), v)
	}
}

// clampTicks keeps newestSent and obsolete within the range in which ticks can be compared.
func (w *Writer) clampTicks(long entangle.Tick) {
	if !w.begin {
		w.newestSent, w.obsolete = long, long
	}
	w.newestSent, w.obsolete = later(w.newestSent, long), later(w.obsolete, long)
}

// after returns the tick at which an input for target is stored if the previous tick was not
// written.
func (w *Writer) after(target entangle.Tick) entangle.Tick {
	if w.known && target.Sub(w.newestFilled) <= 0 {
		return w.newestFilled + 1
	}
	return target
}

// fill repeats the last input for the ticks before target.
func (w *Writer) fill(target entangle.Tick) {
	held := w.held
	if w.lastNone {
		held = nil
	}
	for t := w.newestFilled + 1; t != target; t++ {
		w.store(t, held)
	}
}

// skip drops an input for a tick that already has content. If it has events while others wait, it
// is stored at a further tick, so that two inputs with events are never merged.
func (w *Writer) skip(v []byte) {
	switch {
	case !w.hasEvents(v):
	case w.carries:
		w.store(w.newestFilled+1, v)
	default:
		w.deferEvents(v)
	}
}

// deferEvents makes the events of an input wait for the next tick, if it has any.
func (w *Writer) deferEvents(v []byte) {
	if w.carries = w.hasEvents(v); w.carries {
		copy(w.carry, v)
	} else {
		clear(w.carry)
	}
}

// store stores an input at a tick, with the waiting events if there are any; then its own events
// wait.
func (w *Writer) store(tick entangle.Tick, v []byte) {
	w.newestFilled = tick
	if !w.carries {
		w.setTick(tick, kindOf(v), v)
		return
	}
	w.setTick(tick, value, w.bare)
	at := w.valueAt(tick)
	clear(at)
	copy(at, v)
	w.codec.ClearEvents(at)
	w.codec.MergeEvents(at, w.carry)
	w.deferEvents(v)
}

func kindOf(v []byte) kind {
	if v == nil {
		return none
	}
	return value
}

// hasEvents reports whether an input has events. It is called only when the delay shrinks and in
// jumps back.
func (w *Writer) hasEvents(v []byte) bool {
	if v == nil {
		return false
	}
	copy(w.bare, v)
	w.codec.ClearEvents(w.bare)
	return !bytes.Equal(w.bare, v)
}

// Latest returns the last written value without its events, or zeros. It is read-only, and valid
// until the next Write.
func (w *Writer) Latest() []byte { return w.held }

// At returns the input that acts at a tick, which must be one of the last History written ticks or
// a later one. The value is read-only, and valid until the next call of the Writer.
func (w *Writer) At(tick entangle.Tick) ([]byte, Status) { return w.inputAt(tick) }

// Newest returns the newest tick that has an input.
func (w *Writer) Newest() (entangle.Tick, bool) { return w.newest, w.known }
