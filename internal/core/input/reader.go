package input

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

// ReaderConfig describes a Reader. It is not changed after use.
type ReaderConfig struct {
	Codec    Codec
	TickRate int // ticks per second
	// Late takes inputs for ticks that have run as well, which changes what At says of
	// the past: for a client, which runs ahead of what it hears of others. On the server
	// a tick is run once, and a late input is counted and dropped.
	Late bool
}

// ReaderStats counts ticks of a lane that came and changed nothing.
type ReaderStats struct {
	Late uint64 // had run
	Far  uint64 // are outside of the window
	Old  uint64 // are of before a jump of the sender's clock
}

// Reader is a lane that is written elsewhere.
type Reader struct {
	ring
	late  bool
	heard bool
	epoch Epoch
	stats ReaderStats
	used  used

	carry   []byte // events of what waited of an epoch that is over
	carries bool
}

// NewReader returns an empty lane. now is the last tick that has run.
func NewReader(cfg ReaderConfig, now entangle.Tick) *Reader {
	r := &Reader{
		ring: newRing(cfg.Codec, cfg.TickRate, Ahead(cfg.TickRate), now), late: cfg.Late,
		carry: make([]byte, cfg.Codec.Size()),
	}
	if r.late {
		r.used.values = make([]byte, len(r.values))
		r.used.begin(&r.ring)
	}
	return r
}

// Take returns what acts at a tick, and begins it: on a Reader without Late, nothing
// changes what is said of it after. Ticks are taken once and in order; a client's clock
// may jump. The value is for reading, until the next call of the Reader.
func (r *Reader) Take(tick entangle.Tick) ([]byte, Status) {
	r.slide(tick)
	r.move(tick)
	value, status := r.at(tick)
	r.keep(tick, value, status)
	return value, status
}

// At returns what acts at a tick, or would as far as is known: one of the last History,
// or one that is still to come. The value is for reading, until the next call of the Reader.
func (r *Reader) At(tick entangle.Tick) ([]byte, Status) { return r.at(tick) }

// Newest returns the newest tick of which something is known.
func (r *Reader) Newest() (entangle.Tick, bool) { return r.newest, r.known }

// Has reports whether an input of a tick has come, or that there is none.
func (r *Reader) Has(tick entangle.Tick) bool { return r.holds(tick) && r.kind(tick) != hole }

// Stats returns what was not taken.
func (r *Reader) Stats() ReaderStats { return r.stats }

// Reset empties the lane: somebody else drives the entity, say. Its counts stay.
func (r *Reader) Reset(now entangle.Tick) {
	r.reset(now)
	r.heard = false
	r.used.begin(&r.ring)
}

// hear begins a body. With a newer epoch, what waits from its oldest tick on is over. It
// reports false for an epoch that is over; but a lane that has been silent for a second
// believes any.
func (r *Reader) hear(epoch Epoch, oldest entangle.Tick) bool {
	silent := !r.heard || !r.known || r.now.Sub(r.newest) > r.repeat
	if epoch != r.epoch && !silent && !epoch.newer(r.epoch) {
		return false
	}
	if r.heard && epoch != r.epoch {
		r.end(r.open(oldest))
	}
	r.heard, r.epoch = true, epoch
	return true
}

// end forgets what waits from a tick on, but for its events: of each field the newest. A
// reader that is told of the past as well is told of those by the server.
func (r *Reader) end(from entangle.Tick) {
	clear(r.carry)
	for t := from; !r.late && r.known && !r.newest.Before(t); t++ {
		if r.kind(t) == value {
			r.codec.MergeEvents(r.carry, r.value(t))
		}
	}
	r.carries = slices.ContainsFunc(r.carry, func(b byte) bool { return b != 0 })
	r.cut(from - 1)
	r.changed(from)
}

// settle ends a body: the first of its ticks that is still to run has the events that were
// kept, unless it has newer ones.
func (r *Reader) settle(oldest, newest entangle.Tick) {
	if !r.carries {
		return
	}
	r.carries = false
	for t := r.open(oldest); !newest.Before(t); t++ {
		if r.Has(t) {
			r.merge(t)
			return
		}
	}
}

// merge adds the events that were kept to those of a tick, which is a value then.
func (r *Reader) merge(tick entangle.Tick) {
	v := r.value(tick)
	if r.kind(tick) == none {
		clear(v)
		r.set(tick, value, v)
	}
	r.codec.MergeEvents(r.carry, v)
	r.codec.MergeEvents(v, r.carry)
}

// open returns the first tick from one on that may still be changed.
func (r *Reader) open(from entangle.Tick) entangle.Tick {
	low := r.now + 1
	if r.late {
		low = r.now - entangle.Tick(r.back)
	}
	if from.Before(low) {
		return low
	}
	return from
}

// outcome is what became of a tick.
type outcome uint8

const (
	isNew outcome = iota
	isKnown
	isLate
	isFar
)

// put takes what is said of a tick, unless something is known already.
func (r *Reader) put(tick entangle.Tick, k kind, v []byte) outcome {
	d := tick.Sub(r.now)
	switch {
	case d > r.ahead || d < -Behind || r.late && !r.holds(tick):
		r.stats.Far++
		return isFar
	case r.Has(tick):
		return isKnown
	case d <= 0 && !r.late:
		r.stats.Late++
		return isLate
	}
	r.set(tick, k, v)
	r.changed(tick)
	return isNew
}
