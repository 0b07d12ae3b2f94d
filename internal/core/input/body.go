package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Stream is a *Writer or a *Reader. Body.Encode encodes it.
type Stream interface {
	ticks() *ring
	era() Epoch
}

func (w *Writer) ticks() *ring { return &w.ring }
func (w *Writer) era() Epoch   { return w.epoch }
func (r *Reader) ticks() *ring { return &r.ring }
func (r *Reader) era() Epoch   { return r.epoch }

// Body is an encoded stream without its head. It is encoded once and copied into the frames for all
// receivers. The zero value is ready for use; its memory grows on demand.
type Body struct {
	w     bits.Writer
	bytes []byte
	width int // in bits
	count int // ticks
	last  entangle.Tick
}

// Encode encodes the newest ticks of a stream, at most MaxTicks, for a packet with tick header. It
// returns false if the stream has no ticks, or if its newest is too far from that tick. Afterwards
// the codec has the table of entities for this body; copy the table if the body is put into a frame
// later.
func (b *Body) Encode(stream Stream, header entangle.Tick, ticks int) bool {
	r := stream.ticks()
	b.count = 0
	distance := r.newest.Sub(header)
	if !r.known || distance < -maxDistance || distance > maxDistance {
		return false
	}
	b.last, b.count = r.newest, r.filled(min(max(ticks, 1), MaxTicks))
	w := &b.w
	w.Reset(b.bytes[:0])
	w.Bits(uint64(stream.era()), epochBits)
	w.Varint(int64(distance))
	w.Uvarint(uint64(b.count - 1))
	r.codec.Begin()
	r.appendNewest(w, b.count)
	b.width = w.LenBits()
	b.bytes = w.Finish()
	return true
}

// Bits returns the length of the body in bits.
func (b *Body) Bits() int { return b.width }

// Ticks returns how many ticks the body has, or 0 before the first Encode.
func (b *Body) Ticks() int { return b.count }

// filled returns how many of the newest n ticks there are if holes at the oldest end are left out.
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

// appendNewest writes the newest n ticks, newest first, as runs of equal ticks.
func (r *ring) appendNewest(w *bits.Writer, n int) {
	tick := r.newest
	for rest := n; rest > 0; {
		r.appendKind(w, tick)
		run := r.equalRun(tick, rest)
		appendRun(w, run, rest)
		tick -= entangle.Tick(run)
		rest -= run
	}
}

func (r *ring) appendKind(w *bits.Writer, tick entangle.Tick) {
	k := r.kind(tick)
	w.Bool(k == value)
	if k == value {
		r.codec.Encode(w, r.valueAt(tick))
	} else {
		w.Bool(k == hole)
	}
}

// equalRun returns how many ticks in a row are equal, from tick backwards, and at most n.
func (r *ring) equalRun(tick entangle.Tick, n int) int {
	for i := 1; i < n; i++ {
		if !r.same(tick, tick-entangle.Tick(i)) {
			return i
		}
	}
	return n
}

func (r *ring) same(a, b entangle.Tick) bool {
	k := r.kind(a)
	return k == r.kind(b) && (k != value || r.codec.Equal(r.valueAt(a), r.valueAt(b)))
}
