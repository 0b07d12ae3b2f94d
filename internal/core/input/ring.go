package input

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
)

// kind is the kind of content of a tick.
type kind uint8

const (
	hole  kind = iota // unknown
	none              // there is no input
	value             // an input

	kinds kind = 3 // mask of the kinds in a slot
	acked kind = 4 // flag in a slot: a packet with the tick was acknowledged
)

// ring holds the inputs of a window of ticks around now, which is the last tick that has run, or
// the running one. Ticks that leave the window are cleared, so a slot never has the content of a
// tick outside of it.
type ring struct {
	codec  Codec
	size   int
	repeat int32 // for how many ticks the last input is repeated if inputs are missing
	ahead  int32
	back   int32
	now    entangle.Tick

	slots   []kind
	values  []byte
	scratch []byte // the last repeated value

	begun  bool // a tick has had content, since newRing or reset
	known  bool // a tick in the window has content
	first  entangle.Tick
	newest entangle.Tick
}

func newRing(codec Codec, tickRate, ahead int, now entangle.Tick) ring {
	rate := max(tickRate, 1)
	places := 1 << bits.Len(uint(ahead+History+rate))
	size := codec.Size()
	return ring{
		codec: codec, size: size, repeat: int32(rate), ahead: int32(ahead), back: int32(places - 1 - ahead), now: now,
		slots: make([]kind, places), values: make([]byte, places*size), scratch: make([]byte, size),
	}
}

func (r *ring) index(tick entangle.Tick) int { return int(tick) & (len(r.slots) - 1) }

// holds reports whether a tick is in the window.
func (r *ring) holds(tick entangle.Tick) bool {
	d := tick.Sub(r.now)
	return d >= -r.back && d <= r.ahead
}

func (r *ring) kind(tick entangle.Tick) kind { return r.slots[r.index(tick)] & kinds }

func (r *ring) valueAt(tick entangle.Tick) []byte {
	at := r.index(tick) * r.size
	return r.values[at : at+r.size : at+r.size]
}

// setTick sets the content of a tick in the window. If it is a value, v is the value.
func (r *ring) setTick(tick entangle.Tick, k kind, v []byte) {
	r.slots[r.index(tick)] = k
	if k == value {
		copy(r.valueAt(tick), v)
	}
	r.extendTo(tick)
}

// extendTo sets first and newest so that they include a tick.
func (r *ring) extendTo(tick entangle.Tick) {
	if !r.begun || tick.Before(r.first) {
		r.begun, r.first = true, tick
	}
	if !r.known || r.newest.Before(tick) {
		r.known, r.newest = true, tick
	}
}

// move moves the window to a tick, in either direction.
func (r *ring) move(to entangle.Tick) {
	from, by := r.now, to.Sub(r.now)
	r.now = to
	switch {
	case by > 0:
		r.clear(from+entangle.Tick(r.ahead)+1, by)
	case by < 0:
		r.clear(to-entangle.Tick(r.back), -by)
	}
	// Both must stay within the range in which ticks can be compared, however long the stream is silent.
	if r.begun && !r.holds(r.first) && r.first.Before(to) {
		r.first = to - entangle.Tick(r.back)
	}
	if r.known && !r.holds(r.newest) {
		r.findNewest(to + entangle.Tick(r.ahead))
	}
}

// clear clears n ticks. A negative n stands for 2^31.
func (r *ring) clear(from entangle.Tick, n int32) {
	if n < 0 || int(n) >= len(r.slots) {
		clear(r.slots)
		return
	}
	for i := range entangle.Tick(n) {
		r.slots[r.index(from+i)] = hole
	}
}

// cut clears all ticks in the window after a given one.
func (r *ring) cut(after entangle.Tick) {
	end := r.now + entangle.Tick(r.ahead)
	r.clear(after+1, max(end.Sub(after), 0))
	if r.known && after.Before(r.newest) {
		r.findNewest(after)
	}
}

// findNewest searches for the newest tick with content, backwards from a given tick in the window.
func (r *ring) findNewest(from entangle.Tick) {
	for t := from; r.holds(t); t-- {
		if r.kind(t) != hole {
			r.newest = t
			return
		}
	}
	r.known = false
}

// inputAt returns the input that acts at a tick. The value belongs to the ring, and is valid until
// its next use.
func (r *ring) inputAt(tick entangle.Tick) ([]byte, Status) {
	if r.holds(tick) {
		switch r.kind(tick) {
		case value:
			return r.valueAt(tick), Fresh
		case none:
			return nil, None
		}
	}
	return r.missing(tick)
}

// missing returns the input of a tick without content.
func (r *ring) missing(tick entangle.Tick) ([]byte, Status) {
	last, ok := r.before(tick)
	switch {
	case ok && r.kind(last) == value:
		copy(r.scratch, r.valueAt(last))
		r.codec.ClearEvents(r.scratch)
		return r.scratch, Repeated
	case r.begun && !tick.Before(r.first):
		return nil, None
	}
	return nil, Unknown
}

// before returns the last tick with content that the given tick may repeat.
func (r *ring) before(tick entangle.Tick) (entangle.Tick, bool) {
	from := tick - 1
	if r.known && r.newest.Before(tick) {
		from = r.newest
	}
	for ; r.known && tick.Sub(from) <= r.repeat && r.holds(from); from-- {
		if r.kind(from) != hole {
			return from, true
		}
	}
	return 0, false
}

func (r *ring) reset(now entangle.Tick) {
	clear(r.slots)
	r.now, r.begun, r.known = now, false, false
}
