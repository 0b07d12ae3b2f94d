package columns

import (
	"bytes"
	"math/bits"
	"slices"
	"unsafe"
)

// blockRows is how many rows are compared at once: one bit of a word each.
const blockRows = 64

// smallRows is up to how many rows a segment is compared without blocks. With a
// relation there may be thousands of such segments.
const smallRows = 16

// chunkBytes is how much of a column is compared before looking at blocks.
const chunkBytes = 4096

// compare looks for changed values in all columns and refreshes the shadows.
func (t *Table) compare() {
	for _, seg := range t.segments {
		switch rows := len(seg.rows); {
		case rows > smallRows:
			for i := range seg.views {
				t.compareColumn(seg, i)
			}
		case rows > 0:
			t.compareSmall(seg)
		}
	}
}

func (t *Table) compareSmall(seg *segment) {
	cols, views, rows := seg.shape.cols, seg.views, seg.rows
	for i := range cols {
		c, v := &cols[i], &views[i]
		n := len(rows) * c.size
		if differ(v.base, v.shadow, n) == 0 {
			continue
		}
		now, old := unsafe.Slice((*byte)(v.base), n), unsafe.Slice((*byte)(v.shadow), n)
		if c.inexact {
			t.compareBlock(c, rows, now, old)
		} else {
			t.reports.changed[c.col] = appendDiffering(t.reports.changed[c.col], rows, v, c.size)
		}
		copy(old, now)
	}
}

// appendDiffering adds the rows that differ, without a branch for each: which of
// some children changed cannot be guessed.
func appendDiffering(out, rows []Slot, v *view, size int) []Slot {
	n := len(out)
	out = slices.Grow(out, len(rows))[:n+len(rows)]
	switch size {
	case 8:
		a, b := unsafe.Slice((*uint64)(v.base), len(rows)), unsafe.Slice((*uint64)(v.shadow), len(rows))
		for r, slot := range rows {
			out[n] = slot
			n += int(bit(a[r] != b[r]))
		}
	case 4:
		a, b := unsafe.Slice((*uint32)(v.base), len(rows)), unsafe.Slice((*uint32)(v.shadow), len(rows))
		for r, slot := range rows {
			out[n] = slot
			n += int(bit(a[r] != b[r]))
		}
	default:
		for r, slot := range rows {
			out[n] = slot
			n += int(bit(differ(unsafe.Add(v.base, r*size), unsafe.Add(v.shadow, r*size), size) != 0))
		}
	}
	return out[:n]
}

func (t *Table) compareColumn(seg *segment, i int) {
	c, v := &seg.shape.cols[i], &seg.views[i]
	n := len(seg.rows) * c.size
	cur, shadow := unsafe.Slice((*byte)(v.base), n), unsafe.Slice((*byte)(v.shadow), n)
	step := blockRows * c.size
	chunk := max(step, chunkBytes/step*step)
	for at := 0; at < n; at += chunk {
		end := min(at+chunk, n)
		if !bytes.Equal(cur[at:end], shadow[at:end]) {
			t.compareChunk(c, seg.rows[at/c.size:], cur[at:end], shadow[at:end])
		}
	}
}

func (t *Table) compareChunk(c *shapeCol, rows []Slot, cur, shadow []byte) {
	step := blockRows * c.size
	for at, row := 0, 0; at < len(cur); at, row = at+step, row+blockRows {
		end := min(at+step, len(cur))
		now, old := cur[at:end], shadow[at:end]
		if !bytes.Equal(now, old) {
			t.compareBlock(c, rows[row:min(row+blockRows, len(rows))], now, old)
			copy(old, now)
		}
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

// diffRows is the pass for any size and any number of rows up to blockRows.
func diffRows(now, old []byte, size int) (m uint64) {
	for r, at := 0, 0; at < len(now); r, at = r+1, at+size {
		m |= bit(differ(unsafe.Pointer(&now[at]), unsafe.Pointer(&old[at]), size) != 0) << (r & 63)
	}
	return m
}

// differ returns 0 if n bytes, at least one, are equal. For a few words it is
// faster than a call of bytes.Equal.
func differ(a, b unsafe.Pointer, n int) uint64 {
	if n >= 8 {
		x := *(*uint64)(unsafe.Add(a, n-8)) ^ *(*uint64)(unsafe.Add(b, n-8))
		i := 0
		for ; i < n-32; i += 32 {
			p, q := (*[4]uint64)(unsafe.Add(a, i)), (*[4]uint64)(unsafe.Add(b, i))
			x |= (p[0] ^ q[0]) | (p[1] ^ q[1]) | (p[2] ^ q[2]) | (p[3] ^ q[3])
		}
		for ; i < n-8; i += 8 {
			x |= *(*uint64)(unsafe.Add(a, i)) ^ *(*uint64)(unsafe.Add(b, i))
		}
		return x
	}
	if n >= 4 {
		x := *(*uint32)(a) ^ *(*uint32)(b)
		x |= *(*uint32)(unsafe.Add(a, n-4)) ^ *(*uint32)(unsafe.Add(b, n-4))
		return uint64(x)
	}
	// The first, the last and the middle byte are all there are.
	x := *(*byte)(a) ^ *(*byte)(b)
	x |= *(*byte)(unsafe.Add(a, n-1)) ^ *(*byte)(unsafe.Add(b, n-1))
	x |= *(*byte)(unsafe.Add(a, n>>1)) ^ *(*byte)(unsafe.Add(b, n>>1))
	return uint64(x)
}
