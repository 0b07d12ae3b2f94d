package columns

import (
	"slices"
	"unsafe"
)

// smallRows is the most rows of a segment that is compared without dividing it into blocks. With a
// relation there may be thousands of such segments.
const smallRows = 16

// outline is the part of a segment that is needed to find out whether anything in it changed. The
// outlines of all segments are in one array, because fetching a thousand segments from memory takes
// as long as comparing them.
type outline struct {
	views []view
	cols  []shapeCol
	rows  int
}

// takeSmall reports the changes of a segment with few rows, from column i on.
func (t *Table) takeSmall(seg *segment, o *outline, i int) {
	for ; i < len(o.views); i = o.nextDiffering(i + 1) {
		c, v := &o.cols[i], &o.views[i]
		switch {
		case t.overlooked.Has(c.col):
			n := len(seg.rows) * c.size
			copy(unsafe.Slice((*byte)(v.shadow), n), unsafe.Slice((*byte)(v.base), n))
		case c.inexact:
			t.takeInexact(seg, c, v)
		default:
			takeDiffering(&t.reports.changed[c.col], seg.rows, v, c.size)
		}
	}
}

func (t *Table) takeInexact(seg *segment, c *shapeCol, v *view) {
	n := len(seg.rows) * c.size
	now, old := unsafe.Slice((*byte)(v.base), n), unsafe.Slice((*byte)(v.shadow), n)
	t.compareBlock(c, seg.rows, now, old)
	copy(old, now)
}

// nextDiffering returns the first column from i on that differs from its shadow, or the number of
// columns if none does. It makes no calls for comparing more than a word, because in an unchanged
// world with relations nearly all time is spent here.
func (o *outline) nextDiffering(i int) int {
	rows, cols, views := o.rows, o.cols, o.views
	for ; i < len(cols) && i < len(views); i++ {
		n, a, b := rows*cols[i].size, views[i].base, views[i].shadow
		var x uint64
		switch {
		case n > 32:
			for at := 0; at < n-32; at += 32 {
				x |= differ32(unsafe.Add(a, at), unsafe.Add(b, at))
			}
			x |= differ32(unsafe.Add(a, n-32), unsafe.Add(b, n-32))
		case n > 16:
			x = differ16(a, b) | differ16(unsafe.Add(a, n-16), unsafe.Add(b, n-16))
		case n >= 8:
			x = differ8(a, b) | differ8(unsafe.Add(a, n-8), unsafe.Add(b, n-8))
		default:
			x = differLittle(a, b, n)
		}
		if x != 0 {
			return i
		}
	}
	return len(views)
}

// takeDiffering adds the rows that differ to a report and updates the shadow. It has no branch for
// each row, because which rows have changed is unpredictable.
func takeDiffering(report *[]Slot, rows []Slot, v *view, size int) {
	n := len(*report)
	if cap(*report)-n < len(rows) {
		*report = slices.Grow(*report, len(rows))
	}
	out := (*report)[n : n+len(rows)]
	switch size {
	case 1:
		n += takeWords[uint8](out, rows, v)
	case 4:
		n += takeWords[uint32](out, rows, v)
	case 8:
		n += takeWords[uint64](out, rows, v)
	case 24:
		n += take24(out, rows, v)
	default:
		n += takeBytes(out, rows, v, size)
	}
	*report = (*report)[:n]
}

// takeWords is takeDiffering for values of one word. out must have space for all rows. It returns
// how many differ.
func takeWords[T uint8 | uint32 | uint64](out, rows []Slot, v *view) (n int) {
	now, old := unsafe.Slice((*T)(v.base), len(rows)), unsafe.Slice((*T)(v.shadow), len(rows))
	for r, slot := range rows {
		out[n] = slot
		n += int(bit(now[r] != old[r]))
		old[r] = now[r]
	}
	return n
}

func take24(out, rows []Slot, v *view) (n int) {
	now, old := unsafe.Slice((*[3]uint64)(v.base), len(rows)), unsafe.Slice((*[3]uint64)(v.shadow), len(rows))
	for r, slot := range rows {
		a, b := &now[r], &old[r]
		out[n] = slot
		n += int(bit((a[0]^b[0])|(a[1]^b[1])|(a[2]^b[2]) != 0))
		*b = *a
	}
	return n
}

func takeBytes(out, rows []Slot, v *view, size int) (n int) {
	for r, slot := range rows {
		out[n] = slot
		n += int(bit(differ(unsafe.Add(v.base, r*size), unsafe.Add(v.shadow, r*size), size) != 0))
	}
	copy(unsafe.Slice((*byte)(v.shadow), len(rows)*size), unsafe.Slice((*byte)(v.base), len(rows)*size))
	return n
}
