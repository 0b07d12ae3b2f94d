package smooth

import "time"

// Kind describes the values of a track. Its functions get the memory of values and must not keep
// it.
type Kind struct {
	Size int // bytes of one value, at least 1

	// Blend sets dst to the values at t, from 0 to 1, between a and b. It is called for any number
	// of values at once.
	Blend func(dst, a, b []byte, t float64)
	// Carry moves dst by the share t of the difference between two values. If it is nil, a
	// correction blends from the value that was displayed.
	Carry func(dst, from, to []byte, t float64)
	// TooFar reports whether two values differ too much to be blended. If it is nil, they never do.
	TooFar func(a, b []byte) bool
	// Over is the duration of a correction. 0 or less means that corrections are shown at once.
	Over time.Duration
}

// Track holds the values of one component. The package documentation shows how to use it.
type Track struct {
	kind Kind
	rows int

	marks     []mark
	unblended []int32 // rows that show their true values, in ascending order
	waiting   int     // number of rows with less than two samples
	stale     bool    // unblended and waiting must be recomputed

	last   plane // samples at the end of the latest tick
	before plane // samples at the end of the previous tick
	open   bool  // a tick has begun since last was sampled

	shown   plane // the displayed values
	present plane // the true values, if peeked
	peeked  bool  // present has the true values, because last is older
	showing bool  // the columns contain displayed values

	ease easing
	rearranging
}

// mark is a set of flags of a row.
type mark uint8

const (
	hasLast   mark = 1 << iota // last has a sample of the row
	hasBefore                  // before has a sample of the row
	excluded                   // the row always shows its true value
	eased                      // a correction is in progress
	listed                     // the row is in easing.rows
	ready     = hasLast | hasBefore
)

// New returns a track without rows.
func New(kind Kind) *Track {
	t := &Track{kind: kind}
	for _, p := range []*plane{&t.last, &t.before, &t.shown, &t.present, &t.ease.wasLast, &t.ease.wasBefore, &t.ease.right, &t.ease.wrong} {
		p.size = kind.Size
	}
	return t
}

// Len returns the number of rows.
func (t *Track) Len() int { return t.rows }

// Exclude makes a row show its true value for as long as it exists.
func (t *Track) Exclude(row int) {
	t.marks[row] |= excluded | ready
	t.stale = true
}

// Ready reports whether a row has two samples, or is excluded.
func (t *Track) Ready(row int) bool { return t.marks[row]&ready == ready }

// Unblended returns the rows that show their true values, in ascending order: those with less than
// two samples, and excluded ones. It is valid until the next call of another method.
func (t *Track) Unblended() []int32 {
	if !t.stale {
		return t.unblended
	}
	t.stale, t.unblended, t.waiting = false, t.unblended[:0], 0
	for row, m := range t.marks {
		if m&(ready|excluded) == ready {
			continue
		}
		t.unblended = append(t.unblended, int32(row))
		if m&excluded == 0 {
			t.waiting++
		}
	}
	return t.unblended
}

// Open reports whether the values at the end of a tick must be sampled: the tick is over, and they
// were not sampled yet.
func (t *Track) Open() bool { return t.open }

// Sample sets the values at the end of the last tick, for as many rows as column has values,
// beginning with the given one.
func (t *Track) Sample(row int, column []byte) {
	copy(t.last.from(row, column), column)
	t.mark(row, len(column), hasLast)
}

// Sampled records that Sample was called for all rows.
func (t *Track) Sampled() { t.open, t.peeked = false, false }

// Advance begins a tick: the latest sample becomes the previous one.
func (t *Track) Advance() {
	t.last, t.before = t.before, t.last
	t.open = true
	if t.allReady() {
		return
	}
	for i, m := range t.marks {
		t.marks[i] = m&^ready | m&hasLast<<1
	}
	t.stale = true
}

// allReady reports whether no row lacks a sample.
func (t *Track) allReady() bool { return !t.stale && t.waiting == 0 }

// mark sets flags of a range of rows. bytes is the length of their values.
func (t *Track) mark(row, bytes int, m mark) {
	if t.allReady() {
		return
	}
	marks := t.marks[row : row+bytes/t.kind.Size]
	for i := range marks {
		marks[i] |= m
	}
	t.stale = true
}

// Peek sets the true values of rows in a frame without a tick.
func (t *Track) Peek(row int, column []byte) {
	copy(t.present.from(row, column), column)
	t.peeked = true
}
