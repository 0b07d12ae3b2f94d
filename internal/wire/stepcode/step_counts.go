package stepcode

import (
	"cmp"
	"slices"
)

// StepCounts counts the steps of a component's differences by their contexts, and derives codes
// from the counts. It computes with integers, so that the same values give the same codes on all
// machines. It takes about 35 KB.
type StepCounts struct {
	counts [contexts]*[symbols]uint32
	turns  [contexts]bool // by context: its steps are of rotations
	better []fitting
}

// Constants of StepCounts.Derive.
const (
	// priorShare shifted right by the width of a symbol's built-in code is the count that the
	// symbol starts with.
	priorShare = 1 << 8
	// rare masks out the lowest bits of that start count: symbols that are so rare do not need a
	// code unless they occur.
	rare = 3
	// One part in agedBy of all counts is dropped each time codes are derived.
	agedBy = 16
	// New codes are used if they would have saved worth times the bits that it takes to send them,
	worth = 2
	// and worthAnyway bits more.
	worthAnyway = 1 << 9
)

// Add counts one occurrence of a step, which is the change of the number with that index.
func (t *StepCounts) Add(h Hint, number int, step int64) {
	at := h.context(number)
	if t.counts[at] == nil {
		t.counts[at] = new([symbols]uint32)
	}
	t.turns[at] = h.turns
	t.counts[at][h.symbol(ClassOf(step), step, h.signed())]++
}

// fitting is a book that would be better than the present one of its context.
type fitting struct {
	at    int // the context
	saves int // bits, in the counted steps
	takes int // bits to send the book
	width [symbols]uint8
}

// Derive returns new codes, or nil if they are not worth sending: with them, the counted steps
// would have to be enough shorter than with present, which may be nil. The new codes have at most
// most books, and at most MaxBooks. With each call, older counts lose weight.
func (t *StepCounts) Derive(present *Codes, most int) *Codes {
	t.better = t.better[:0]
	for at, counts := range t.counts {
		if counts == nil {
			continue
		}
		if f := t.fit(at, counts, present); f.saves > worth*f.takes {
			t.better = append(t.better, f)
		}
		for s := range counts {
			counts[s] -= counts[s] / agedBy
		}
	}
	slices.SortStableFunc(t.better, func(a, b fitting) int { return cmp.Compare(b.saves-b.takes, a.saves-a.takes) })
	n, saves, takes := t.choose(present, min(most, MaxBooks))
	if saves <= worth*takes+worthAnyway {
		return nil
	}
	next := present.copied()
	for i := range t.better[:n] {
		f := &t.better[i]
		b := &book{}
		b.fill(&f.width)
		next.addBook(f.at, b)
	}
	return next
}

// choose moves those of the better books for which there is space to the front, in their order, and
// returns how many these are, how many bits they save, and how many bits it takes to send them.
func (t *StepCounts) choose(present *Codes, most int) (n, saves, takes int) {
	left := most - present.Books()
	for _, f := range t.better {
		if present == nil || present.books[f.at] == nil {
			if left <= 0 {
				continue
			}
			left--
		}
		t.better[n] = f
		n, saves, takes = n+1, saves+f.saves, takes+f.takes
	}
	return n, saves, takes
}

// copied returns a copy of c, or empty Codes if c is nil.
func (c *Codes) copied() *Codes {
	if c == nil {
		return &Codes{}
	}
	next := *c
	return &next
}

// addBook sets the book of the context at. It returns false if there would be too many books.
func (c *Codes) addBook(at int, b *book) bool {
	if c.books[at] == nil {
		if c.n == MaxBooks {
			return false
		}
		c.n++
	}
	c.books[at] = b
	return true
}

// fit derives a book for the counted steps of the context at.
func (t *StepCounts) fit(at int, counts *[symbols]uint32, present *Codes) (f fitting) {
	h, _ := expected(at)
	h.turns = t.turns[at]
	always := h.book()
	weights := *counts
	for s, width := range always.width {
		if width > 0 {
			weights[s] += priorShare >> width &^ rare
		}
	}
	weights[far<<1]++
	widths := widthsFor(&weights)
	f = fitting{at: at, width: widths, takes: bookBits(at, &widths)}
	have := always
	if present != nil && present.books[at] != nil {
		have = present.books[at]
	}
	for s, n := range counts {
		f.saves += int(n) * (bitsOf(&have.width, s) - bitsOf(&widths, s))
	}
	return f
}

// bitsOf returns the bits of a symbol's code, or of the code for far and the class if it has none.
func bitsOf(width *[symbols]uint8, s int) int {
	if width[s] > 0 {
		return int(width[s])
	}
	return int(width[far<<1]) + farBits
}

// widthsFor returns the widths of the shortest codes, of at most longest bits each, for symbols
// with these weights. At least two weights must not be 0.
func widthsFor(weights *[symbols]uint32) (widths [symbols]uint8) {
	for shift := uint(0); ; shift++ {
		if widths = huffman(weights, shift); slices.Max(widths[:]) <= longest {
			return widths
		}
	}
}

// huffman returns the widths of the codes for symbols with these weights. The weights are shifted
// right by shift bits; those that are not 0 stay at least 1. Among equal weights, the first ones
// are merged first.
func huffman(weights *[symbols]uint32, shift uint) (widths [symbols]uint8) {
	var f forest
	for s, w := range weights {
		if w > 0 {
			f.add(tree{max(uint64(w)>>shift, 1), 1 << s})
		}
	}
	for f.n > 1 {
		joined := f.mergeLightest()
		for s := range widths {
			widths[s] += uint8(joined.leaves >> s & 1)
		}
		f.add(joined)
	}
	return widths
}

// tree is a set of symbols with codes that begin with the same bits.
type tree struct {
	weight uint64
	leaves uint32 // a bit for each symbol
}

// forest lists trees by rising weight. Trees of equal weight are in the order in which they were
// added.
type forest struct {
	trees [symbols]tree
	n     int
}

func (f *forest) add(t tree) {
	at := f.n
	for ; at > 0 && t.weight < f.trees[at-1].weight; at-- {
		f.trees[at] = f.trees[at-1]
	}
	f.trees[at] = t
	f.n++
}

// mergeLightest removes the two lightest trees and returns them as one.
func (f *forest) mergeLightest() tree {
	a, b := f.trees[0], f.trees[1]
	f.n -= 2
	copy(f.trees[:f.n], f.trees[2:])
	return tree{a.weight + b.weight, a.leaves | b.leaves}
}
