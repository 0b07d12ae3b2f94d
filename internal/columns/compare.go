package columns

import (
	"bytes"
	"math/bits"
	"unsafe"
)

// blockRows is how many rows are compared at once: one bit of a word each.
const blockRows = 64

// compare looks for changed values in all columns and refreshes the shadows.
func (t *Table) compare() {
	for _, seg := range t.segments {
		if len(seg.rows) == 0 {
			continue
		}
		for i := range seg.views {
			t.compareColumn(seg, i)
		}
	}
}

func (t *Table) compareColumn(seg *segment, i int) {
	c, v := &seg.shape.cols[i], &seg.views[i]
	n := len(v.shadow)
	cur := unsafe.Slice((*byte)(v.base), n)
	if n <= blockRows*8 && bytes.Equal(cur, v.shadow) {
		return
	}
	step := blockRows * c.size
	for at, row := 0, 0; at < n; at, row = at+step, row+blockRows {
		end := min(at+step, n)
		now, old := cur[at:end], v.shadow[at:end]
		if bytes.Equal(now, old) {
			continue
		}
		t.compareBlock(c, seg.rows[row:min(row+blockRows, len(seg.rows))], now, old)
		copy(old, now)
	}
}

// compareBlock adds the rows of one block that differ to the report.
func (t *Table) compareBlock(c *shapeCol, rows []Slot, now, old []byte) {
	var differ uint64
	if len(rows) == blockRows && c.diff != nil {
		differ = c.diff(unsafe.Pointer(&now[0]), unsafe.Pointer(&old[0]))
	} else {
		differ = diffRows(now, old, c.size)
	}
	if equal := t.cols[c.col].Equal; equal != nil {
		for rest := differ; rest != 0; rest &= rest - 1 {
			r := bits.TrailingZeros64(rest)
			at, end := r*c.size, (r+1)*c.size
			if equal(old[at:end:end], now[at:end:end]) {
				differ &^= 1 << r
			}
		}
	}
	out := t.reports.changed[c.col]
	if differ == ^uint64(0) {
		out = append(out, rows...)
	} else {
		for ; differ != 0; differ &= differ - 1 {
			out = append(out, rows[bits.TrailingZeros64(differ)])
		}
	}
	t.reports.changed[c.col] = out
}

// diffFunc returns, for blockRows rows of one size, which of them differ.
type diffFunc = func(cur, old unsafe.Pointer) uint64

// diffOf returns the fastest pass for a size, or nil for diffRows.
func diffOf(size int) diffFunc {
	switch size {
	case 1:
		return diff1
	case 4:
		return diff4
	case 8:
		return diff8
	}
	return nil
}

// differs is 1 if the words differ, without a branch.
func differs(x uint64) uint64 { return (x | -x) >> 63 }

func diff8(cur, old unsafe.Pointer) (m uint64) {
	a, b := (*[blockRows]uint64)(cur), (*[blockRows]uint64)(old)
	for i := range a {
		m |= differs(a[i]^b[i]) << i
	}
	return m
}

func diff4(cur, old unsafe.Pointer) (m uint64) {
	a, b := (*[blockRows]uint32)(cur), (*[blockRows]uint32)(old)
	for i := range a {
		m |= differs(uint64(a[i]^b[i])) << i
	}
	return m
}

func diff1(cur, old unsafe.Pointer) (m uint64) {
	a, b := (*[blockRows]uint8)(cur), (*[blockRows]uint8)(old)
	for i := range a {
		m |= differs(uint64(a[i]^b[i])) << i
	}
	return m
}

// diffRows is the pass for any size and any number of rows up to blockRows.
func diffRows(now, old []byte, size int) (m uint64) {
	for r, at := 0, 0; at < len(now); r, at = r+1, at+size {
		if !bytes.Equal(now[at:at+size], old[at:at+size]) {
			m |= 1 << r
		}
	}
	return m
}
