package input

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

// ReaderConfig configures a Reader. Do not change it after use.
type ReaderConfig struct {
	Codec    Codec
	TickRate int // ticks per second
	// Late makes the Reader accept inputs for ticks that have run too, which changes the results of
	// At for earlier ticks. It is for a client, which predicts ticks before the inputs of other
	// players for them arrive. On the server a tick runs once, and a late input is counted and
	// dropped.
	Late bool
}

// ReaderStats counts received ticks of a stream that had no effect.
type ReaderStats struct {
	Late uint64 // the tick had run
	Far  uint64 // the tick was outside of the window
	Old  uint64 // the input was sent before a jump of the sender's clock
}

// Reader is a remote stream, which a peer writes.
type Reader struct {
	ring
	late         bool
	lastReceived bool
	epoch        Epoch
	stats        ReaderStats
	used         used

	carry   []byte // events of inputs that a newer epoch has replaced
	carries bool

	merged   bool
	mergedAt entangle.Tick // the tick that got such events last, if merged
	unmerged []byte        // the value that it had before
	had      Status        // Fresh if it had a value
}

// NewReader returns an empty stream. now is the last tick that has run.
func NewReader(cfg ReaderConfig, now entangle.Tick) *Reader {
	r := &Reader{
		ring: newRing(cfg.Codec, cfg.TickRate, Ahead(cfg.TickRate), now), late: cfg.Late,
		carry: make([]byte, cfg.Codec.Size()), unmerged: make([]byte, cfg.Codec.Size()),
	}
	if r.late {
		r.used.values = make([]byte, len(r.values))
		r.used.restart(&r.ring)
	}
	return r
}

// Take returns the input that acts at a tick and fixes it: on a Reader without Late it does not
// change afterwards. Call it once for each tick, in order; a client's clock may jump. The value is
// read-only, and valid until the next call of the Reader.
func (r *Reader) Take(tick entangle.Tick) ([]byte, Status) {
	r.slide(tick)
	r.move(tick)
	value, status := r.inputAt(tick)
	r.recordUsed(tick, value, status)
	return value, status
}

// At returns the input that acted at a tick, or that would act according to the inputs received so
// far. The tick must be one of the last History ticks, or a later one. The value is read-only, and
// valid until the next call of the Reader.
func (r *Reader) At(tick entangle.Tick) ([]byte, Status) { return r.inputAt(tick) }

// Received is At without the events of replaced inputs: the input as it arrived.
func (r *Reader) Received(tick entangle.Tick) ([]byte, Status) {
	if r.merged && tick == r.mergedAt {
		return r.unmerged, r.had
	}
	return r.inputAt(tick)
}

// Newest returns the newest tick that was received.
func (r *Reader) Newest() (entangle.Tick, bool) { return r.newest, r.known }

// Has reports whether it was received which input a tick has, or that it has none.
func (r *Reader) Has(tick entangle.Tick) bool { return r.holds(tick) && r.kind(tick) != hole }

// Stats returns the counters.
func (r *Reader) Stats() ReaderStats { return r.stats }

// Reset empties the stream, for example for another player. It keeps the counters.
func (r *Reader) Reset(now entangle.Tick) {
	r.reset(now)
	r.lastReceived, r.merged = false, false
	r.used.restart(&r.ring)
}

// beginBody begins a body. If its epoch is newer, the waiting inputs from its oldest tick on are
// discarded. It returns false if the epoch is older; but if the stream has had no inputs for a
// second, any epoch is accepted.
func (r *Reader) beginBody(epoch Epoch, oldest entangle.Tick) bool {
	silent := !r.lastReceived || !r.known || r.now.Sub(r.newest) > r.repeat
	if epoch != r.epoch && !silent && !epoch.newer(r.epoch) {
		return false
	}
	if r.lastReceived && epoch != r.epoch {
		r.discardFrom(r.firstOpen(oldest))
	}
	r.lastReceived, r.epoch = true, epoch
	return true
}

// discardFrom discards the waiting inputs from a tick on and keeps their events, the newest of each
// field. On a Reader with Late it keeps none, because the server has merged them already.
func (r *Reader) discardFrom(from entangle.Tick) {
	clear(r.carry)
	r.merged = r.merged && r.mergedAt.Before(from)
	for t := from; !r.late && r.known && !r.newest.Before(t); t++ {
		if r.kind(t) == value {
			r.codec.MergeEvents(r.carry, r.valueAt(t))
		}
	}
	r.carries = slices.ContainsFunc(r.carry, func(b byte) bool { return b != 0 })
	r.cut(from - 1)
	r.markChanged(from)
}

// endBody ends a body. The first tick of the body that has not run gets the kept events, except for
// fields where it has newer ones.
func (r *Reader) endBody(oldest, newest entangle.Tick) {
	if !r.carries {
		return
	}
	r.carries = false
	for t := r.firstOpen(oldest); !newest.Before(t); t++ {
		if r.Has(t) {
			r.merge(t)
			return
		}
	}
}

// merge adds the kept events to a tick. If the tick had no input, it gets one.
func (r *Reader) merge(tick entangle.Tick) {
	v := r.valueAt(tick)
	r.merged, r.mergedAt, r.had = true, tick, Fresh
	copy(r.unmerged, v)
	if r.kind(tick) == none {
		r.had = None
		clear(v)
		r.setTick(tick, value, v)
	}
	r.codec.MergeEvents(r.carry, v)
	r.codec.MergeEvents(v, r.carry)
}

// firstOpen returns the first tick, at or after the given one, that may still change.
func (r *Reader) firstOpen(from entangle.Tick) entangle.Tick {
	low := r.now + 1
	if r.late {
		low = r.now - entangle.Tick(r.back)
	}
	if from.Before(low) {
		return low
	}
	return from
}

// outcome is the effect of a received tick.
type outcome uint8

const (
	isNew outcome = iota
	isKnown
	isLate
	isFar
)

// storeTick stores the content of a tick, unless it was received before.
func (r *Reader) storeTick(tick entangle.Tick, k kind, v []byte) outcome {
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
	r.setTick(tick, k, v)
	r.markChanged(tick)
	return isNew
}
