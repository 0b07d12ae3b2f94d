package stepcode

// Codes are codes of steps that fit one component of one game. StepCounts derives them from the
// steps that were sent. They have books for those contexts in which they are shorter than the
// built-in codes.
type Codes struct {
	books [contexts]*book // by context; nil for the built-in book
	n     int             // number of books that are not nil
}

// Books returns the number of learned books, at most MaxBooks. c may be nil.
func (c *Codes) Books() int {
	if c == nil {
		return 0
	}
	return c.n
}

// A context is the number of a step in its value, which must be below Trailed, together with what
// is expected of it: a class below manyClasses, a class from manyClasses on, or no class; with a
// sign or without.
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

// signedContext reports whether a sign is expected in the context at.
func signedContext(at int) bool { return at&1 == 1 }

// expected returns the hint of the context at; its sign is 1 for either sign. ok reports whether
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

// BookFor returns the book for the next number, which has hint h.
func (c *Course) BookFor(h Hint) *book {
	if c.codes != nil && c.At < Trailed {
		if b := c.codes.books[h.context(c.At)]; b != nil {
			return b
		}
	}
	return h.book()
}
