package protocol

// Codes are codes of steps that fit one component of one game: learned from what was
// sent of it, for those of its numbers and those expected classes where that is shorter
// than what always fits. See Tally for how they come about.
type Codes struct {
	books [contexts]*book // nil: that of what is expected, as without codes
	n     int             // that are not nil
}

// Books returns how many books there are, of the MaxBooks that may be. c may be nil.
func (c *Codes) Books() int {
	if c == nil {
		return 0
	}
	return c.n
}

// A context is a number of the value, of those that have a trail, and what is expected
// of it: a class below manyClasses, that or above, or nothing, with a sign or not.
const (
	manyClasses = 9
	expecteds   = 2 * (manyClasses + 2)
	contexts    = trailed * expecteds
)

// context is where the codes keep the book of a number.
func (h hint) context(number int) int {
	class := min(int(h.class), manyClasses)
	if h.class == unknown {
		class = manyClasses + 1
	}
	at := number*expecteds + 2*class
	if h.signed() {
		at++
	}
	return at
}

// signedContext reports whether a sign is expected in a context.
func signedContext(at int) bool { return at&1 == 1 }

// expected is what is expected in a context, but for the sign itself; and whether that can
// be.
func expected(at int) (h hint, ok bool) {
	class := uint8(at % expecteds / 2)
	h.class = class
	if class == manyClasses+1 {
		h.class = unknown
	}
	if signedContext(at) {
		h.sign = 1
		ok = h.signed()
		return h, ok
	}
	return h, true
}

// bookFor returns the book that the next number is in.
func (c *course) bookFor(h hint) *book {
	if c.codes != nil && c.at < trailed {
		if b := c.codes.books[h.context(c.at)]; b != nil {
			return b
		}
	}
	return h.book()
}

// step writes a step.
func (d *deltaWriter) step(h hint, step int64) {
	if d.tally != nil && d.at < trailed && d.trail != nil {
		d.tally.add(h, d.at, step)
	}
	writeStep(d.w, d.bookFor(h), h, step)
	d.note(step)
}
