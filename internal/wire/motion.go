package wire

import (
	"unsafe"
)

// motion says how far beyond two bases a value lies. All is whole numbers, which
// come out the same on every machine.
type motion struct{ ahead, between uint32 }

func (b *Bases) motion() motion { return motion{b.Ahead, b.Between} }

// expect is the index that number i of a run has if it moves on as it did from the
// older base to the base, or else that of the base.
func (m motion) expect(o *op, from origin, i uintptr) uint64 {
	var ignored int
	base := o.indexAt(from.base, i, &ignored)
	if from.older == unsafe.Pointer(nil) {
		return base
	}
	older := o.indexAt(from.older, i, &ignored)
	return o.goOn(base, m.scaled(o.stepTo(older, base)))
}

// scaled is a step between the bases, stretched to the way ahead and rounded, halves
// away from zero. Where that makes no sense, and the numbers could get too large, it
// is 0.
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

// goOn is the index at a step from another, no further than to the ends; angles go
// around as often as it takes.
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
