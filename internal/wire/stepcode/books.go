package stepcode

import (
	mathbits "math/bits"
)

// book is a prefix code. A symbol is twice the number of a place (see placeOf), plus 1 if the sign
// is not the expected one.
type book struct {
	code, width [symbols]uint8
	symbols     [1 << longest]symbol // by the first bits of the code
}

// symbol is the symbol of a code and the width of the code.
type symbol struct{ symbol, width uint8 }

// longest is the most bits of a code.
const longest = 8

// lengths are the lengths of the codes of a book, by place: first for the expected sign, or for
// both if no sign is expected; then for the other sign.
type lengths [2][places]uint8

// bookOfAny is the index in books of the book for numbers without an expected class. The book for
// rotations without an expected class follows it.
const bookOfAny = 2*nearby + 1

// chainedBooks are the indexes of the books for numbers without an expected sign, if the expected
// class is 0, 1, 2, or 3 and more.
var chainedBooks = [nearby + 1]uint8{0, 1, bookOfAny + 2, bookOfAny + 3}

// books are the codes, in this order: for rotations, with the expected classes 0, 1, 2, and 3 or
// more (the first two also for numbers); with an expected sign, for 1, 2, and 3 or more; without an
// expected class, for numbers and for rotations; and for numbers without an expected sign, for 2,
// and 3 or more.
var books = [...]book{
	newBook(lengths{{1, 2, 3, 4, 5, 7, 7, 8, 8, 8, 8}}),
	newBook(lengths{{2, 2, 2, 3, 4, 5, 6, 8, 8, 8, 8}}),
	newBook(lengths{{3, 3, 2, 2, 3, 4, 5, 6, 7, 8, 8}}),
	newBook(lengths{{4, 5, 4, 3, 3, 2, 3, 3, 4, 6, 6}}),
	newBook(lengths{{2, 2, 3, 4, 6, 6, 7, 8, 8, 8, 8}, {0, 3, 4, 5, 6, 7, 8, 8, 8, 8}}),
	newBook(lengths{{3, 3, 2, 3, 4, 5, 7, 7, 8, 8, 8}, {0, 4, 4, 4, 5, 6, 7, 8, 8, 8}}),
	newBook(lengths{{5, 7, 6, 5, 3, 1, 3, 5, 7, 8, 6}, {0, 8, 7, 6, 5, 6, 6, 7, 8, 8}}),
	newBook(lengths{{4, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4}}),
	newBook(lengths{{3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 6}}),
	newBook(lengths{{2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 8}}),
	newBook(lengths{{4, 5, 4, 3, 3, 3, 3, 3, 3, 4, 5}}),
}

// newBook returns a book with codes of the given lengths, assigned by rising length, and for equal
// lengths by rising symbol. It panics if they are no complete prefix code.
func newBook(all lengths) (b book) {
	next := 0 // the next code, left-aligned in longest bits
	for width := uint8(1); width <= longest; width++ {
		for s := range uint8(symbols) {
			if all[s&1][s>>1] == width {
				b.setCode(s, width, next)
				next += 1 << (longest - width)
			}
		}
	}
	if next != 1<<longest {
		panic("protocol: a book of codes that leave bits over, or are too short")
	}
	return b
}

// symbols is the number of symbols of a book.
const symbols = 2 * places

// setCode assigns to a symbol the first width bits of share. They are sent highest bit first.
func (b *book) setCode(s, width uint8, share int) {
	code := mathbits.Reverse8(uint8(share))
	b.code[s], b.width[s] = code, width
	for more := 0; more < 1<<(longest-width); more++ {
		b.symbols[int(code)|more<<width] = symbol{s, width}
	}
}
