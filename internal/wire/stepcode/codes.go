package stepcode

// Codes are codes of steps that fit one component of one game. StepCounts derives them from
// the steps that were sent, for the numbers and the expected classes where they are shorter
// than the built-in codes.
type Codes struct {
	books [contexts]*book // nil: the built-in one
	n     int             // that are not nil
}

// Books returns how many books there are, of the MaxBooks that may be. c may be nil.
func (c *Codes) Books() int {
	if c == nil {
		return 0
	}
	return c.n
}

// A context is one of the value's numbers with a trail, together with its expectation:
// a class below manyClasses, a class from manyClasses on, or none; with a sign or without.
const (
	manyClasses = 9
	expecteds   = 2 * (manyClasses + 2)
	contexts    = Trailed * expecteds
)

// context returns the index of the book for a number with this expectation.
func (h Hint) context(number int) int {
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

// expected returns the expectation of a context, without the sign itself. ok reports whether
// that context can occur.
func expected(at int) (h Hint, ok bool) {
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

// BookFor returns the book that the next number is in.
func (c *Course) BookFor(h Hint) *book {
	if c.codes != nil && c.At < Trailed {
		if b := c.codes.books[h.context(c.At)]; b != nil {
			return b
		}
	}
	return h.book()
}
