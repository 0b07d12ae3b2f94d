package stepcode

import (
	"errors"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ErrCodes are codes that Append does not write: of contexts that there are not, or that
// leave bits over, or are too short.
var ErrCodes = errors.New("protocol: malformed codes of differences")

// MaxBooks bounds the books of Codes, and MaxCodesBits what Append writes of them.
const (
	MaxBooks     = 64
	MaxCodesBits = 7 + MaxBooks*(16+symbols*4)
)

// Append writes the codes, or what of them is not the same in those that the reader holds
// already: over, which may be nil. Codes that Derive returned differ from those that it was
// given.
func (c *Codes) Append(w *bits.Writer, over *Codes) {
	n := 0
	for at := range c.books {
		if c.tells(at, over) {
			n++
		}
	}
	w.Bits(uint64(n), 7)
	last := -1
	for at := range c.books {
		if c.tells(at, over) {
			w.Uvarint(uint64(at - last - 1))
			appendBook(w, at, &c.books[at].width)
			last = at
		}
	}
}

// tells reports whether a context has another book than in older codes.
func (c *Codes) tells(at int, over *Codes) bool {
	return c.books[at] != nil && (over == nil || c.books[at] != over.books[at])
}

// appendBook writes the widths of a book: of each symbol up to far, of far and for an
// expected sign.
func appendBook(w *bits.Writer, at int, widths *[symbols]uint8) {
	for s, width := range widths {
		if !hasSymbol(at, s) {
			continue
		}
		if s != far<<1 {
			w.Bool(width > 0)
		}
		if width > 0 {
			w.Bits(uint64(width-1), 3)
		}
	}
}

// hasSymbol reports whether a symbol may occur in a context. A symbol with the unexpected sign
// occurs only in contexts that expect a sign, and not for class 0 nor for far.
func hasSymbol(at, s int) bool {
	if s&1 == 0 {
		return true
	}
	return signedContext(at) && s != 1 && s != far<<1|1
}

// bookBits bounds what appendBook and its context take.
func bookBits(at int, widths *[symbols]uint8) (n int) {
	const context = 8
	n = context + 3
	for s, width := range widths {
		if hasSymbol(at, s) && s != far<<1 {
			n++
			if width > 0 {
				n += 3
			}
		}
	}
	return n
}

// ReadCodes reads what Append wrote over the same codes. over may be nil. Errors, which r
// has as well, are those of package bits and ErrCodes.
func ReadCodes(r *bits.Reader, over *Codes) (*Codes, error) {
	n := r.Bits(7)
	if r.Err() == nil && n == 0 {
		r.Fail(ErrCodes)
	}
	c, at := over.copied(), -1
	for range n {
		skipped := r.Uvarint()
		if r.Err() == nil && skipped >= uint64(contexts-at-1) {
			r.Fail(ErrCodes)
		}
		if r.Err() != nil {
			return nil, r.Err()
		}
		at += 1 + int(skipped)
		if err := c.readBook(r, at); err != nil {
			return nil, err
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return c, nil
}

func (c *Codes) readBook(r *bits.Reader, at int) error {
	var widths [symbols]uint8
	for s := range widths {
		if hasSymbol(at, s) && (s == far<<1 || r.Bool()) {
			widths[s] = uint8(r.Bits(3)) + 1
		}
	}
	if _, ok := expected(at); r.Err() == nil && (!ok || !full(&widths)) {
		r.Fail(ErrCodes)
	}
	if r.Err() != nil {
		return r.Err()
	}
	b := &book{}
	b.fill(&widths)
	if !c.addBook(at, b) {
		r.Fail(ErrCodes)
	}
	return r.Err()
}
