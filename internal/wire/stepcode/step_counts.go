package stepcode

import (
	"cmp"
	"slices"
)

// StepCounts counts the steps of a component's differences by their contexts, and derives codes
// from the counts. All is whole numbers: the same values give the same codes on every machine.
// It takes some 35 KB.
type StepCounts struct {
	counts [contexts]*[symbols]uint32
	turns  [contexts]bool // it is of a rotation
	better []fitting
}

// Constants of StepCounts.
const (
	// priorShare is what a code of no bits counts for before anything is counted: one of
	// two bits a quarter of that.
	priorShare = 1 << 8
	// rare is what counts for nothing of that: what never occurs needs no code.
	rare = 3
	// agedBy is the share of all counts that is forgotten when codes are derived.
	agedBy = 16
	// worth is how many times what new codes take they must have saved by now.
	worth = 2
	// worthAnyway is how many bits more.
	worthAnyway = 1 << 9
)

// Add counts a step of a number.
func (t *StepCounts) Add(h Hint, number int, step int64) {
	at := h.context(number)
	if t.counts[at] == nil {
		t.counts[at] = new([symbols]uint32)
	}
	t.turns[at] = h.turns
	t.counts[at][h.symbol(ClassOf(step), step, h.signed())]++
}

// fitting is the widths of a book that would be better than the present one.
type fitting struct {
	at    int
	saves int // bits, of the counted steps
	takes int // bits to tell of it
	width [symbols]uint8
}

// Derive returns codes that would have made the counted steps so much shorter than the
// present ones that it is worth telling of them, or nil. present may be nil. They have so
// many books at most, and no more than MaxBooks. Older counts count for less with each call.
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

// choose puts those first of the better ones that there is room for, in their order, and
// returns how many they are.
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

// copied is what codes begin with that follow others.
func (c *Codes) copied() *Codes {
	if c == nil {
		return &Codes{}
	}
	next := *c
	return &next
}

// addBook takes a book in, unless there are too many.
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

// fit makes a book for the counted steps of a context.
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

// bitsOf is what the code of a symbol takes, and more if it has none.
func bitsOf(width *[symbols]uint8, s int) int {
	if width[s] > 0 {
		return int(width[s])
	}
	return int(width[far<<1]) + farBits
}

// widthsFor returns the widths of the shortest codes for symbols that are so frequent, of
// at most longest bits. There are two that are not 0, at least.
func widthsFor(weights *[symbols]uint32) (widths [symbols]uint8) {
	for shift := uint(0); ; shift++ {
		if widths = huffman(weights, shift); slices.Max(widths[:]) <= longest {
			return widths
		}
	}
}

// huffman returns the widths of the codes of symbols with such weights, all but 0 of which
// are made smaller by some bits, to 1 at least. Of equal weights the first are joined first.
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

// tree is some symbols that begin with the same bits.
type tree struct {
	weight uint64
	leaves uint32 // a bit for each symbol
}

// forest is trees by rising weight, of equal ones the first that came first.
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

// mergeLightest takes the two lightest out and returns them as one.
func (f *forest) mergeLightest() tree {
	a, b := f.trees[0], f.trees[1]
	f.n -= 2
	copy(f.trees[:f.n], f.trees[2:])
	return tree{a.weight + b.weight, a.leaves | b.leaves}
}
