package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Lane is a *Writer or a *Reader: what a body is encoded of.
type Lane interface {
	ticks() *ring
	era() Epoch
}

func (w *Writer) ticks() *ring { return &w.ring }
func (w *Writer) era() Epoch   { return w.epoch }
func (r *Reader) ticks() *ring { return &r.ring }
func (r *Reader) era() Epoch   { return r.epoch }

// Body is a lane as it travels, but for its head: it is encoded once, and put into the
// frames of all that get it. The zero value is ready and allocates as it grows.
type Body struct {
	w     bits.Writer
	bytes []byte
	width int // in bits
	count int // ticks
	last  entangle.Tick
}

// Encode writes the newest ticks of a lane, at most MaxTicks, for packets with the given
// tick. It reports false if the lane has none, or is too far from that tick. The codec's
// table of entities is then that of the body; keep a copy if it is put into a frame later.
func (b *Body) Encode(lane Lane, header entangle.Tick, ticks int) bool {
	r := lane.ticks()
	b.count = 0
	distance := r.newest.Sub(header)
	if !r.known || distance < -maxDistance || distance > maxDistance {
		return false
	}
	b.last, b.count = r.newest, r.filled(min(max(ticks, 1), MaxTicks))
	w := &b.w
	w.Reset(b.bytes[:0])
	w.Bits(uint64(lane.era()), epochBits)
	w.Varint(int64(distance))
	w.Uvarint(uint64(b.count - 1))
	r.codec.Begin()
	r.append(w, b.count)
	b.width = w.LenBits()
	b.bytes = w.Finish()
	return true
}

// Bits returns how long the body is.
func (b *Body) Bits() int { return b.width }

// Ticks returns how many ticks the body has; 0 before the first Encode.
func (b *Body) Ticks() int { return b.count }

// filled cuts holes off the old end of the newest n ticks.
func (r *ring) filled(n int) int {
	for n > 1 {
		oldest := r.newest - entangle.Tick(n) + 1
		if r.holds(oldest) && r.kind(oldest) != hole {
			break
		}
		n--
	}
	return n
}

// append writes the newest n ticks, the newest first, in runs of what is the same.
func (r *ring) append(w *bits.Writer, n int) {
	tick := r.newest
	for rest := n; rest > 0; {
		r.appendKind(w, tick)
		run := r.run(tick, rest)
		appendRun(w, run, rest)
		tick -= entangle.Tick(run)
		rest -= run
	}
}

func (r *ring) appendKind(w *bits.Writer, tick entangle.Tick) {
	k := r.kind(tick)
	w.Bool(k == value)
	if k == value {
		r.codec.Encode(w, r.value(tick))
	} else {
		w.Bool(k == hole)
	}
}

// run returns for how many ticks back from one all is the same, at most n.
func (r *ring) run(tick entangle.Tick, n int) int {
	for i := 1; i < n; i++ {
		if !r.same(tick, tick-entangle.Tick(i)) {
			return i
		}
	}
	return n
}

func (r *ring) same(a, b entangle.Tick) bool {
	k := r.kind(a)
	return k == r.kind(b) && (k != value || r.codec.Equal(r.value(a), r.value(b)))
}
