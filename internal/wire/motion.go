package wire

import (
	"unsafe"
)

// motion tells how far in ticks a value is ahead of its baseline, and how far the baseline is ahead
// of the previous one. All numbers are integers, so that results are the same on all machines.
type motion struct{ ahead, between uint32 }

func (b *Bases) motion() motion { return motion{b.Ahead, b.Between} }

// expect returns the index of number i of a run if it moves on as it did from the previous baseline
// to the baseline. Without a previous baseline it returns the index at the baseline.
func (m motion) expect(o *op, from origin, i uintptr) uint64 {
	var ignored int
	base := o.indexAt(from.base, i, &ignored)
	if from.older == unsafe.Pointer(nil) {
		return base
	}
	older := o.indexAt(from.older, i, &ignored)
	return o.goOn(base, m.scaled(o.stepTo(older, base)))
}

// scaled returns the step between the baselines multiplied by ahead/between and rounded, with
// halves away from zero. It returns 0 if the numbers are so large that the product could overflow
// or the result would make no sense.
func (m motion) scaled(step int64) int64 {
	const most = 1 << 30
	switch {
	case m.ahead == m.between:
		return step
	case m.between == 0 || max(m.ahead, m.between) > most || step > most || step < -most:
		return 0
	}
	ahead, between := int64(m.ahead), int64(m.between)
	if step < 0 {
		return -((-2*step*ahead + between) / (2 * between))
	}
	return (2*step*ahead + between) / (2 * between)
}

// goOn returns the index that is step away from another, limited to the range. Angles wrap around
// as often as necessary.
func (o *op) goOn(from uint64, step int64) uint64 {
	if o.kind == opAngle {
		return o.stepFrom(from, step%int64(o.circle.count))
	}
	switch to, last := from+uint64(step), o.lastIndex(); {
	case step < 0 && to > from:
		return 0
	case step > 0 && (to < from || to > last):
		return last
	default:
		return to
	}
}
