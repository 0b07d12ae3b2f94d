package rewind

import (
	"bytes"
	"slices"
)

// column has the values of the targets in one column.
type column struct {
	known  bool
	values []byte
	absent []bool
}

// scratch is memory for blending.
type scratch struct {
	one            []byte // a value
	rows           []int  // targets of a run that move in curves
	from, to       []uint32
	share, seconds []float32
	values         []byte
}

func (x *scratch) begin() {
	x.rows, x.from, x.to, x.share, x.seconds = x.rows[:0], x.from[:0], x.to[:0], x.share[:0], x.seconds[:0]
}

func (x *scratch) add(p pair) {
	x.from, x.to, x.share, x.seconds = append(x.from, p.from), append(x.to, p.to), append(x.share, p.share), append(x.seconds, p.seconds)
}

// Values returns the values of a column of all targets, in their order. absent says which of them did not
// have the column. Both are valid until the next Reset.
func (v *View) Values(col int) (values []byte, absent []bool) {
	c, n, size := &v.columns[col], len(v.entities), v.history.kinds[col].Size
	if c.known {
		return c.values, c.absent
	}
	c.known = true
	c.values, c.absent = slices.Grow(c.values[:0], n*size)[:n*size], slices.Grow(c.absent[:0], n)[:n]
	for i := range v.runs {
		r := &v.runs[i]
		end := r.at + r.count
		v.writeRun(col, r, c.values[r.at*size:end*size], c.absent[r.at:end])
	}
	for _, hidden := range v.hidden {
		c.absent[hidden.target] = c.absent[hidden.target] || hidden.cols.Has(col)
	}
	return c.values, c.absent
}

// writeRun writes the values of a run, and which of its targets did not have the column.
func (v *View) writeRun(col int, r *run, values []byte, absent []bool) {
	if r.special > 0 {
		v.findBase(col, r)
	}
	if v.hadAll(col, r) {
		clear(absent)
		v.blend(col, r, values)
	} else {
		size := v.history.kinds[col].Size
		for i := range absent {
			one := r.part(i)
			absent[i] = !v.had(col, &one)
			v.blend(col, &one, values[i*size:(i+1)*size])
		}
	}
	if r.special > 0 {
		v.carry(col, r, values)
	}
}

// hadAll reports whether all targets of a run had a column at all ticks that matter.
func (v *View) hadAll(col int, r *run) bool {
	h, s := v.history, r.first.Slot
	return h.hadAll(col, h.row(r.held), s, r.count) && (!r.first.Rewound || h.hadAll(col, h.row(h.sentAt(r.there)), s, r.count)) &&
		h.hadAll(col, h.rowOf(r.from), s, r.count) && h.hadAll(col, h.rowOf(r.to), s, r.count)
}

// had reports whether the target of a run of one had a column. A component is not blended when it is inserted, nor
// when it is removed. What was removed is gone also if the client had not got to know that yet.
func (v *View) had(col int, r *run) bool {
	h, s := v.history, r.first.Slot
	if !h.hadAll(col, h.rowOf(r.to), s, 1) {
		r.to = r.from
	} else if !h.hadAll(col, h.rowOf(r.from), s, 1) {
		r.from = r.to
	}
	return h.hadAll(col, h.row(r.held), s, 1) && (!r.first.Rewound || h.hadAll(col, h.row(h.sentAt(r.there)), s, 1))
}

// blend writes the values of a run by its pair.
func (v *View) blend(col int, r *run, values []byte) {
	v.blendPair(col, r, values)
	h := v.history
	if discrete := h.kinds[col].Discrete; discrete != nil && r.late && h.hadAll(col, h.rowOf(r.like), r.first.Slot, r.count) {
		discrete(values, h.values(col, r.like, r.count))
	}
}

// blendPair writes the values of a run by its pair. A column that is not blended has those of the last update.
func (v *View) blendPair(col int, r *run, values []byte) {
	h, k := v.history, &v.history.kinds[col]
	if k.Blend == nil {
		copy(values, h.values(col, h.index(r.held, r.first.Slot), r.count))
		return
	}
	a, b := h.values(col, r.from, r.count), h.values(col, r.to, r.count)
	if r.from == r.to || !(r.share > 0) {
		copy(values, a)
		return
	}
	k.Blend(values, a, b, float64(r.share))
	if k.Curve != nil {
		v.blendCurves(col, r, values)
	}
	if k.TooFar == nil {
		return
	}
	for i := 0; i < len(values); i += k.Size {
		if a, b := a[i:i+k.Size], b[i:i+k.Size]; k.TooFar(a, b) {
			copy(values[i:], a)
		}
	}
}

// blendCurves overwrites the values of targets that have both columns, and are not at rest.
func (v *View) blendCurves(col int, r *run, values []byte) {
	h, k, x := v.history, &v.history.kinds[col], &v.scratch
	x.begin()
	for i := range r.count {
		one := r.part(i)
		if h.has(k.With, r.held, one.first.Slot) && !bytes.Equal(h.values(col, one.from, 1), h.values(col, one.to, 1)) {
			x.rows = append(x.rows, i)
			x.add(one.pair)
		}
	}
	if len(x.rows) == 0 {
		return
	}
	x.values = slices.Grow(x.values[:0], len(x.rows)*k.Size)[:len(x.rows)*k.Size]
	k.Curve(x.values, h.planes[col], h.planes[k.With], x.from, x.to, x.share, x.seconds)
	for i, row := range x.rows {
		copy(values[row*k.Size:(row+1)*k.Size], x.values[i*k.Size:])
	}
}
