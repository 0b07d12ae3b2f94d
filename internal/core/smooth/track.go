package smooth

import "time"

// Kind is how the values of a track are worked with. Functions take the memory of values
// and keep nothing of it.
type Kind struct {
	Size int // bytes of one value, at least 1

	// Blend sets dst to what lies at t, 0 to 1, between a and b: of any number of values.
	Blend func(dst, a, b []byte, t float64)
	// Carry moves dst by the share t of what leads from one value to another. Nil: a
	// correction then blends from the picture as it was.
	Carry func(dst, from, to []byte, t float64)
	// TooFar reports that nothing lies between two values. Nil: something always does.
	TooFar func(a, b []byte) bool
	// Over is how long a correction shows; 0 and less: not at all.
	Over time.Duration
}

// Track is the values of one component. See the package documentation for how to drive one.
type Track struct {
	kind Kind
	rows int

	marks   []mark
	odd     []int32 // the rows that are shown as they are, in order
	waiting int     // how many of them have less than two samples
	stale   bool    // odd and waiting have to be found anew

	last   plane // the end of the latest tick
	before plane // the end of the tick before that
	open   bool  // a tick has begun since last was sampled

	shown   plane // what the picture has in the place of true values
	aside   plane // what is true, where last is not
	peeked  bool  // aside is what is true
	showing bool

	ease easing
	rearranging
}

// mark is what is known of a row.
type mark uint8

const (
	hasLast   mark = 1 << iota // last is a sample of it
	hasBefore                  // before is
	leftOut                    // it is shown as it is
	eased                      // a correction of it shows
	listed                     // it is among the rows of which one may show
	ripe      = hasLast | hasBefore
)

// New returns a track without rows.
func New(kind Kind) *Track {
	t := &Track{kind: kind}
	for _, p := range []*plane{&t.last, &t.before, &t.shown, &t.aside, &t.ease.wasLast, &t.ease.wasBefore, &t.ease.right, &t.ease.wrong} {
		p.size = kind.Size
	}
	return t
}

// Len returns the number of rows.
func (t *Track) Len() int { return t.rows }

// Leave has a row shown as it is, for as long as it is there.
func (t *Track) Leave(row int) {
	t.marks[row] |= leftOut | ripe
	t.stale = true
}

// Ripe reports whether a row has two samples, or is left out.
func (t *Track) Ripe(row int) bool { return t.marks[row]&ripe == ripe }

// Odd returns the rows that are shown as they are, in order: they have less than two
// samples, or are left out. It is valid until the next call of another method.
func (t *Track) Odd() []int32 {
	if !t.stale {
		return t.odd
	}
	t.stale, t.odd, t.waiting = false, t.odd[:0], 0
	for row, m := range t.marks {
		if m&(ripe|leftOut) == ripe {
			continue
		}
		t.odd = append(t.odd, int32(row))
		if m&leftOut == 0 {
			t.waiting++
		}
	}
	return t.odd
}

// Open reports whether the values at the end of a tick are to be sampled: it is over, and
// they were not.
func (t *Track) Open() bool { return t.open }

// Sample takes values as those at the end of the tick that is over: of all rows from this
// one on that the column has.
func (t *Track) Sample(row int, column []byte) {
	copy(t.last.from(row, column), column)
	t.mark(row, len(column), hasLast)
}

// Sampled says that Sample was called for all rows.
func (t *Track) Sampled() { t.open, t.peeked = false, false }

// Advance begins a tick: what was the latest sample is the one before.
func (t *Track) Advance() {
	t.last, t.before = t.before, t.last
	t.open = true
	if t.allRipe() {
		return
	}
	for i, m := range t.marks {
		t.marks[i] = m&^ripe | m&hasLast<<1
	}
	t.stale = true
}

// allRipe reports whether no row waits for a sample.
func (t *Track) allRipe() bool { return !t.stale && t.waiting == 0 }

// mark sets a mark of rows of which some may not have it.
func (t *Track) mark(row, bytes int, m mark) {
	if t.allRipe() {
		return
	}
	marks := t.marks[row : row+bytes/t.kind.Size]
	for i := range marks {
		marks[i] |= m
	}
	t.stale = true
}

// Peek takes values as what is true, in a frame without a tick.
func (t *Track) Peek(row int, column []byte) {
	copy(t.aside.from(row, column), column)
	t.peeked = true
}
