package columns

import (
	"slices"
	"unsafe"
)

// smallRows is up to how many rows a segment is compared without blocks. With a
// relation there may be thousands of such segments.
const smallRows = 16

// compareSmall is compare for a segment of few rows.
func (t *Table) compareSmall(seg *segment) {
	for i := seg.nextDiffering(0); i < len(seg.views); i = seg.nextDiffering(i + 1) {
		c, v := &seg.shape.cols[i], &seg.views[i]
		if c.inexact {
			t.takeInexact(seg, c, v)
		} else {
			t.reports.changed[c.col] = takeDiffering(t.reports.changed[c.col], seg.rows, v, c.size)
		}
	}
}

func (t *Table) takeInexact(seg *segment, c *shapeCol, v *view) {
	n := len(seg.rows) * c.size
	now, old := unsafe.Slice((*byte)(v.base), n), unsafe.Slice((*byte)(v.shadow), n)
	t.compareBlock(c, seg.rows, now, old)
	copy(old, now)
}

// nextDiffering returns the first column from i on whose bytes differ from the
// shadow, or the number of columns. Nearly all of the time of a still world with
// relations is spent here, so there are no calls in it.
func (seg *segment) nextDiffering(i int) int {
	rows, cols, views := len(seg.rows), seg.shape.cols, seg.views
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

// takeDiffering adds the rows that differ to a report and refreshes the shadow,
// without a branch for each row: which of some children changed cannot be guessed.
func takeDiffering(out, rows []Slot, v *view, size int) []Slot {
	n := len(out)
	out = slices.Grow(out, len(rows))[:n+len(rows)]
	switch size {
	case 8:
		a, b := unsafe.Slice((*uint64)(v.base), len(rows)), unsafe.Slice((*uint64)(v.shadow), len(rows))
		for r, slot := range rows {
			out[n] = slot
			n += int(bit(a[r] != b[r]))
			b[r] = a[r]
		}
	case 4:
		a, b := unsafe.Slice((*uint32)(v.base), len(rows)), unsafe.Slice((*uint32)(v.shadow), len(rows))
		for r, slot := range rows {
			out[n] = slot
			n += int(bit(a[r] != b[r]))
			b[r] = a[r]
		}
	default:
		for r, slot := range rows {
			out[n] = slot
			n += int(bit(differ(unsafe.Add(v.base, r*size), unsafe.Add(v.shadow, r*size), size) != 0))
		}
		copy(unsafe.Slice((*byte)(v.shadow), len(rows)*size), unsafe.Slice((*byte)(v.base), len(rows)*size))
	}
	return out[:n]
}
