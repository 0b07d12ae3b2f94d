package budget

import "time"

// MaxRate is the highest rate of a bucket, in bytes per second. It is small enough that twice the
// largest size of a bucket fits into 32 bits.
const MaxRate = 1 << 28

// scale is the number of parts into which a byte is divided. At a rate of one byte per second, one
// part is earned in each nanosecond.
const scale = int64(time.Second)

// Bucket limits bytes to a rate. Unused bytes are saved up to the size of the bucket. If a time is
// before an earlier one, it adds nothing.
type Bucket struct {
	rate  int64
	size  int64 // the most parts that are saved
	level int64 // in parts; negative if there is a debt
	at    time.Time
}

// NewBucket returns a full bucket for rate bytes per second, from 1 to MaxRate. It saves at most
// the bytes that are earned in span, from 1 ns to 2 s.
func NewBucket(rate int, span time.Duration) Bucket {
	r := int64(min(max(rate, 1), MaxRate))
	size := r * int64(min(max(span, 1), 2*time.Second))
	return Bucket{rate: r, size: size, level: size}
}

// Level returns how many bytes may be sent now. It is negative while there is a debt.
func (b *Bucket) Level(now time.Time) int {
	if past := now.Sub(b.at); past > 0 {
		if !b.at.IsZero() {
			b.earn(past)
		}
		b.at = now
	}
	return int(floorDiv(b.level, scale))
}

// earn adds the bytes that were earned in a time. It compares before it multiplies, because the
// product for a long time could overflow.
func (b *Bucket) earn(past time.Duration) {
	if lacks := b.size - b.level; int64(past) > lacks/b.rate {
		b.level = b.size
	} else {
		b.level += b.rate * int64(past)
	}
}

// Spend subtracts sent bytes. A debt is limited to the bytes of one second: a larger one was made
// by traffic that cannot be held back, and must not silence everything else for long.
func (b *Bucket) Spend(bytes int) {
	most := b.level + b.rate*scale
	if int64(bytes) > most/scale {
		b.level = -b.rate * scale
	} else {
		b.level -= int64(bytes) * scale
	}
}

// floorDiv divides and rounds down, also below zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
