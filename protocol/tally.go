package protocol

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Tally counts the steps of a component's differences, by what was expected of them, and
// derives codes from that. All is whole numbers: of the same values come the same codes, on
// every machine. It takes some 35 KB.
type Tally struct {
	counts [contexts]*[symbols]uint32
	turns  [contexts]bool // it is of a rotation
	spare  bits.Writer
	buf    []byte
}

// Values that are counted by Tally.
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

// Add counts the steps of a difference as EncodeDelta would write them. The bases must
// have a trail. A component with a difference of the game's own has no steps.
func (t *Tally) Add(p *Plan, from *Bases, value []byte) {
	if p.differ != nil {
		return
	}
	t.spare.Reset(t.buf[:0])
	d := deltaWriter{w: &t.spare, refs: noEntities{}, motion: from.motion(), course: newCourse(from.Trail, nil), tally: t}
	d.fields(p.fields, p.origin(from), p.at(value))
	t.buf = t.spare.Finish()
}

// noEntities is a table in which nobody is.
type noEntities struct{}

// Index implements RefWriter.
func (noEntities) Index(ecs.Entity) uint32 { return 0 }

func (t *Tally) add(h hint, number int, step int64) {
	at := h.context(number)
	if t.counts[at] == nil {
		t.counts[at] = new([symbols]uint32)
	}
	t.turns[at] = h.turns
	t.counts[at][h.symbol(classOf(step), step, h.signed())]++
}

// fitting is a book that would be better than the present one.
type fitting struct {
	at    int
	saves int // bits, of what was counted
	takes int // bits to tell of it
	book  *book
}

// Derive returns codes that would have made what was counted so much shorter than the
// present ones that it is worth telling of them, or nil. present may be nil. Older counts
// count for less with each call.
func (t *Tally) Derive(present *Codes) *Codes {
	saves, takes := 0, 0
	var better []fitting
	for at, counts := range t.counts {
		if counts == nil {
			continue
		}
		if f := t.fit(at, counts, present); f.saves > worth*f.takes {
			better = append(better, f)
		}
		for s := range counts {
			counts[s] -= counts[s] / agedBy
		}
	}
	slices.SortStableFunc(better, func(a, b fitting) int { return cmp.Compare(b.saves-b.takes, a.saves-a.takes) })
	next := present.copied()
	for _, f := range better {
		if next.put(f.at, f.book) {
			saves, takes = saves+f.saves, takes+f.takes
		}
	}
	if saves <= worth*takes+worthAnyway {
		return nil
	}
	return next
}

// copied is what codes begin with that follow others.
func (c *Codes) copied() *Codes {
	if c == nil {
		return &Codes{}
	}
	next := *c
	return &next
}

// put takes a book in, unless there are too many.
func (c *Codes) put(at int, b *book) bool {
	if c.books[at] == nil {
		if c.n == MaxBooks {
			return false
		}
		c.n++
	}
	c.books[at] = b
	return true
}

// fit makes a book for what was counted in a context.
func (t *Tally) fit(at int, counts *[symbols]uint32, present *Codes) (f fitting) {
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
	f = fitting{at: at, book: &book{}, takes: bookBits(at, &widths)}
	f.book.fill(&widths)
	have := always
	if present != nil && present.books[at] != nil {
		have = present.books[at]
	}
	for s, n := range counts {
		f.saves += int(n) * (have.bits(s) - f.book.bits(s))
	}
	return f
}

// bits is what the code of a symbol takes, and more if it has none.
func (b *book) bits(s int) int {
	if b.width[s] > 0 {
		return int(b.width[s])
	}
	return int(b.width[far<<1]) + farBits
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
	type tree struct {
		weight uint64
		leaves uint32 // a bit for each symbol
	}
	var all []tree
	for s, w := range weights {
		if w > 0 {
			all = append(all, tree{max(uint64(w)>>shift, 1), 1 << s})
		}
	}
	for len(all) > 1 {
		slices.SortStableFunc(all, func(a, b tree) int { return cmp.Compare(a.weight, b.weight) })
		joined := tree{all[0].weight + all[1].weight, all[0].leaves | all[1].leaves}
		for s := range widths {
			widths[s] += uint8(joined.leaves >> s & 1)
		}
		all = append(all[2:], joined)
	}
	return widths
}
