package rewind

import (
	"bytes"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// findBase writes the value at which the last movement of a target begins into the scratch row. If a column is
// blended with another one, each movement begins with the values of both at that time.
func (v *View) findBase(col int, r *run) {
	h, m, slot := v.history, &v.special[r.special-1], r.first.Slot
	for i := 1; i < m.n; i++ {
		before, begin := &m.legs[i-1], m.legs[i].start
		v.writeShown(col, r, before, begin, m.legs[i].to, h.values(col, h.scratch(slot), 1))
		for c := col; h.kinds[c].Curve != nil; { // after the column, which needs the value of the movement before
			c = h.kinds[c].With
			v.writeShown(c, r, before, begin, m.legs[i].to, h.values(c, h.scratch(slot), 1))
		}
	}
}

// writeShown writes the value of a target at a time of one of its movements into dst, which may be the
// scratch row. A component that the target gets only with the next update begins with the value of that.
func (v *View) writeShown(col int, r *run, l *leg, now timesync.Shown, next entangle.Tick, dst []byte) {
	one, x, h := *r, &v.scratch, v.history
	if !h.has(col, h.clampFrom(r.oldest, l.to), r.first.Slot) {
		copy(dst, h.values(col, h.index(h.clampFrom(r.oldest, next), r.first.Slot), 1))
		return
	}
	one.setLate(h, l)
	one.pair = h.pairAt(l, r.first.Slot, now, r.oldest)
	v.had(col, &one) // it moves from no value that the target lacked
	x.one = slices.Grow(x.one[:0], len(dst))[:len(dst)]
	v.blend(col, &one, x.one)
	copy(dst, x.one)
	v.continueRest(col, r, l, now, dst)
}

// carry overwrites the value of a target that continues after its last sample.
func (v *View) carry(col int, r *run, dst []byte) {
	v.continueRest(col, r, v.special[r.special-1].last(), r.first.Shown, dst)
}

// continueRest overwrites a value at rest, if the column continues in the direction of its last
// movement: for Kind.Extrapolate ticks, and back in as many.
func (v *View) continueRest(col int, r *run, l *leg, now timesync.Shown, dst []byte) {
	h, k, slot := v.history, &v.history.kinds[col], r.first.Slot
	if k.Extrapolate == 0 || !l.rests || l.from == l.to || l.from.Before(r.oldest) || h.jumped(l.from, l.to, slot) || !h.has(col, l.from, slot) {
		return
	}
	p := pair{from: h.index(l.from, slot), to: h.index(l.to, slot)}
	if a, b := h.values(col, p.from, 1), h.values(col, p.to, 1); bytes.Equal(a, b) || k.TooFar != nil && k.TooFar(a, b) {
		return
	}
	most := timesync.Shown(k.Extrapolate) << 8
	beyond := now - l.end
	if most < beyond {
		beyond = 2*most - min(beyond, 2*most)
	}
	if p.share = float32(float64(l.end+beyond-l.start) / float64(l.end-l.start)); p.share > 1 {
		x := &v.scratch
		x.begin()
		x.add(p)
		k.Each(dst, h.planes[col], x.from, x.to, x.share)
	}
}
