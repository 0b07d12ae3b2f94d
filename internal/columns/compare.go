package columns

import (
	"bytes"
	"math/bits"
	"unsafe"
)

// blockRows is the number of rows in a block. It is 64, so that one word has a bit for each row.
const blockRows = 64

// chunkBytes is how many bytes of a column are compared at once. Only if they differ are the blocks
// among them compared one by one.
const chunkBytes = 4096

// compare finds changed values in all columns and updates the shadows.
func (t *Table) compare() {
	for s := range t.segments.outlines {
		o := &t.segments.outlines[s]
		switch {
		case o.rows > smallRows:
			for i := range o.views {
				t.compareColumn(t.segments.all[s], i)
			}
		case o.rows > 0:
			if i := o.nextDiffering(0); i < len(o.views) {
				t.takeSmall(t.segments.all[s], o, i)
			}
		}
	}
}

func (t *Table) compareColumn(seg *segment, i int) {
	c, v := &seg.shape.cols[i], &seg.views[i]
	n := len(seg.rows) * c.size
	cur, shadow := unsafe.Slice((*byte)(v.base), n), unsafe.Slice((*byte)(v.shadow), n)
	step := blockRows * c.size
	chunk := max(step, chunkBytes/step*step)
	for at := 0; at < n; at += chunk {
		end := min(at+chunk, n)
		switch {
		case bytes.Equal(cur[at:end], shadow[at:end]):
		case t.overlooked.Has(c.col):
			copy(shadow[at:end], cur[at:end])
		default:
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

// compareBlock finds the rows of one block that have changed values, and reports their slots.
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

// diffRows returns a word in which bit i is set if row i differs. It works for values of any size
// and for up to blockRows rows.
func diffRows(now, old []byte, size int) (m uint64) {
	for r, at := 0, 0; at < len(now); r, at = r+1, at+size {
		m |= bit(differ(unsafe.Pointer(&now[at]), unsafe.Pointer(&old[at]), size) != 0) << (r & 63)
	}
	return m
}
