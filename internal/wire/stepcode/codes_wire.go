package stepcode

import (
	"errors"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ErrCodes means that Append cannot have written the bytes: a context does not exist, or its codes
// use up too few or too many bit patterns.
var ErrCodes = errors.New("protocol: malformed codes of differences")

// MaxBooks is the most books of Codes, and MaxCodesBits the most bits that Append writes.
const (
	MaxBooks     = 64
	MaxCodesBits = 7 + MaxBooks*(16+symbols*4)
)

// Append writes the codes. over may be nil; otherwise it is the codes that the reader has already,
// and Append writes only what differs from them. Codes that Derive returned always differ from
// those that were passed to it.
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

// tells reports whether the book of the context at has to be written, because over has another one.
func (c *Codes) tells(at int, over *Codes) bool {
	return c.books[at] != nil && (over == nil || c.books[at] != over.books[at])
}

// appendBook writes the widths of the symbols of a book that can occur in the context at.
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

// hasSymbol reports whether symbol s can occur in the context at. A symbol with the unexpected sign
// occurs only in contexts with an expected sign, and not for class 0 or far.
func hasSymbol(at, s int) bool {
	if s&1 == 0 {
		return true
	}
	return signedContext(at) && s != 1 && s != far<<1|1
}

// bookBits bounds the bits that a context and its book take on the wire.
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

// ReadCodes reads what Append wrote with the same over, which may be nil. It returns the errors of
// package bits and ErrCodes; r keeps them too.
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
