package input

import (
	"bytes"

	"github.com/entangle-ecs/entangle"
)

// Writer is a lane that is written here: what a client does, for one entity.
//
// What is written in a tick acts delay ticks later. When the delay grows, the ticks
// between get what was held, without events. When it shrinks, there are more inputs than
// ticks: those without events are left out, and events wait for the next tick that has
// none of its own, so that each of them happens once and in their order.
type Writer struct {
	ring
	epoch Epoch
	begin bool // something was written
	last  entangle.Tick
	front entangle.Tick // the newest tick that was filled; last or later
	told  entangle.Tick // the newest tick that a packet has carried, or one that is long past
	base  entangle.Tick // likewise, but the newest that no packet may carry any more

	input []byte // what is being written, as the other side will have it
	held  []byte // what was written last, without events
	quiet bool   // what was written last is that there is no input

	carry   []byte // events that wait
	carries bool

	bare []byte // an input without its events, to compare with
	sent sent
}

// NewWriter returns an empty lane of a client whose clock has jumped back so many times.
func NewWriter(codec Codec, tickRate int, epoch Epoch) *Writer {
	size := codec.Size()
	return &Writer{
		ring: newRing(codec, tickRate, MaxDelay(tickRate), 0), epoch: epoch & epochs,
		input: make([]byte, size), held: make([]byte, size), carry: make([]byte, size), bare: make([]byte, size),
	}
}

// Write takes the input that was made in a tick, which acts delay ticks later, 0 to
// MaxDelay of the tick rate. Each tick is written once, in order; a tick that is left out leaves a hole,
// and one that is not later than the last is a jump of the clock.
func (w *Writer) Write(tick entangle.Tick, delay int, v []byte) {
	copy(w.input, v)
	w.codec.Round(w.input)
	w.write(tick, delay, w.input)
	copy(w.held, w.input)
	w.codec.ClearEvents(w.held)
	w.quiet = false
}

// WriteNone says that there is no input in a tick. Events that wait do not get lost:
// the next tick has them, and nothing else.
func (w *Writer) WriteNone(tick entangle.Tick, delay int) {
	w.write(tick, delay, nil)
	w.quiet = true
}

// write puts an input to where it acts; nil is none.
func (w *Writer) write(tick entangle.Tick, delay int, v []byte) {
	if w.begin && tick.Sub(w.last) <= 0 {
		w.Jump(tick.Sub(w.last) - 1)
	}
	target := tick + entangle.Tick(min(max(delay, 0), int(w.ahead)))
	steady := w.begin && tick == w.last+1
	w.move(tick)
	w.forget(tick - MaxTicks)
	w.begin, w.last = true, tick
	switch {
	case steady && target.Sub(w.front) <= 0:
		w.pass(v)
	case steady:
		w.fill(target)
		w.store(target, v)
	default:
		w.store(w.after(target), v)
	}
}

// forget keeps told and base from being further back than matters.
func (w *Writer) forget(long entangle.Tick) {
	if !w.begin {
		w.told, w.base = long, long
	}
	w.told, w.base = later(w.told, long), later(w.base, long)
}

// after returns where an input of target goes if what is before it was not written
// tick by tick.
func (w *Writer) after(target entangle.Tick) entangle.Tick {
	if w.known && target.Sub(w.front) <= 0 {
		return w.front + 1
	}
	return target
}

// fill holds what was written last until target, which is not filled.
func (w *Writer) fill(target entangle.Tick) {
	held := w.held
	if w.quiet {
		held = nil
	}
	for t := w.front + 1; t != target; t++ {
		w.store(t, held)
	}
}

// pass leaves an input out, since its tick is filled already. If it has events while
// others wait, it takes a tick more, so that no two inputs with events become one.
func (w *Writer) pass(v []byte) {
	switch {
	case !w.hasEvents(v):
	case w.carries:
		w.store(w.front+1, v)
	default:
		w.wait(v)
	}
}

// wait keeps the events of an input, if it has any, for the next tick.
func (w *Writer) wait(v []byte) {
	if w.carries = w.hasEvents(v); w.carries {
		copy(w.carry, v)
	} else {
		clear(w.carry)
	}
}

// store puts an input to a tick, with the events that wait. Its own wait then.
func (w *Writer) store(tick entangle.Tick, v []byte) {
	w.front = tick
	if !w.carries {
		w.set(tick, kindOf(v), v)
		return
	}
	w.set(tick, value, w.bare)
	at := w.value(tick)
	clear(at)
	copy(at, v)
	w.codec.ClearEvents(at)
	w.codec.MergeEvents(at, w.carry)
	w.wait(v)
}

func kindOf(v []byte) kind {
	if v == nil {
		return none
	}
	return value
}

// hasEvents reports whether an input has an event. It is asked only while the delay
// shrinks.
func (w *Writer) hasEvents(v []byte) bool {
	if v == nil {
		return false
	}
	copy(w.bare, v)
	w.codec.ClearEvents(w.bare)
	return !bytes.Equal(w.bare, v)
}

// Latest returns the value that was written last, without events, or zeros. It is for
// reading, until the next Write.
func (w *Writer) Latest() []byte { return w.held }

// At returns what acts at a tick: one of the last History that were written in, or one
// that is still to come. The value is for reading, until the next call of the Writer.
func (w *Writer) At(tick entangle.Tick) ([]byte, Status) { return w.at(tick) }

// Newest returns the newest tick that has an input.
func (w *Writer) Newest() (entangle.Tick, bool) { return w.newest, w.known }

// Reset empties the lane, for another connection.
func (w *Writer) Reset(epoch Epoch) {
	w.reset(0)
	w.epoch, w.begin, w.quiet, w.carries = epoch&epochs, false, false, false
	clear(w.held)
	clear(w.carry)
	w.sent = sent{}
}
