package stepcode

import (
	mathbits "math/bits"
)

// book is a prefix code of places. A symbol is twice the place, and 1 more where the
// sign is not the expected one.
type book struct {
	code, width [symbols]uint8
	symbols     [1 << longest]symbol // by the bits that a code begins with
}

// symbol is what a code stands for. A width of 0 is no code.
type symbol struct{ symbol, width uint8 }

// longest bounds the bits of a code.
const longest = 8

// lengths are the bits of the codes of a book, by place: for the expected sign, or
// for any where none is; and for the other sign.
type lengths [2][places]uint8

// bookOfAny is the index in books of the book for an unknown class of numbers; that of rotations
// follows it.
const bookOfAny = 2*nearby + 1

// chainedBooks are the books of numbers without a sign that is expected, where the expected
// class is 0, 1, 2, and 3 or more.
var chainedBooks = [nearby + 1]uint8{0, 1, bookOfAny + 2, bookOfAny + 3}

// books are the codes where the expected class is 0, 1, 2, and 3 or more, of rotations;
// 1, 2, and 3 or more, with a sign that is expected; unknown, of numbers and of rotations;
// and 2, and 3 or more, of numbers without a sign that is expected.
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

// newBook gives out codes by rising length and, within one, by rising symbol.
func newBook(all lengths) (b book) {
	var widths [symbols]uint8
	for s := range widths {
		widths[s] = all[s&1][s>>1]
	}
	if !full(&widths) {
		panic("protocol: a book of codes that leave bits over, or are too short")
	}
	b.fill(&widths)
	return b
}

// symbols is how many a book has, at most.
const symbols = 2 * places

// full reports whether codes of such widths take up all bits and no more.
func full(widths *[symbols]uint8) bool {
	taken := 0
	for _, width := range widths {
		if width > 0 {
			taken += 1 << (longest - width)
		}
	}
	return taken == 1<<longest
}

// fill gives out codes of such widths, which are full.
func (b *book) fill(widths *[symbols]uint8) {
	next := 0 // the code to come, as a share of 1<<longest
	for width := uint8(1); width <= longest; width++ {
		for s := range uint8(symbols) {
			if widths[s] == width {
				b.setCode(s, width, next)
				next += 1 << (longest - width)
			}
		}
	}
}

// setCode gives a symbol the code that is the first bits of share, which go onto the wire
// highest first.
func (b *book) setCode(s, width uint8, share int) {
	code := mathbits.Reverse8(uint8(share))
	b.code[s], b.width[s] = code, width
	for more := 0; more < 1<<(longest-width); more++ {
		b.symbols[int(code)|more<<width] = symbol{s, width}
	}
}
