package rewind

import (
	"bytes"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// findBase writes the value at which the last movement of a target begins into the scratch row.
func (v *View) findBase(col int, s *special) {
	h, k := v.history, &v.history.kinds[col]
	if k.Curve != nil {
		v.findBase(k.With, s) // the curve begins with both
	}
	for i := 1; i < s.n; i++ {
		v.writeShown(col, s, i-1, s.legs[i].start, h.value(col, h.scratch(v.Targets[s.target].Slot)))
	}
}

// writeShown writes the value of a target at a time of one of its movements into dst, which may be the
// scratch row.
func (v *View) writeShown(col int, s *special, i int, now timesync.Shown, dst []byte) {
	t := s.target
	from, to, share, seconds := v.from[t], v.to[t], v.share[t], float32(0)
	if v.history.curves {
		seconds = v.seconds[t]
	}
	was := places{v.pairOf.from[t : t+1 : t+1], v.pairOf.to[t : t+1 : t+1]}
	wasFrom, wasTo := was.from[0], was.to[0]
	v.setPair(t, &s.legs[i], now)
	was.from[0], was.to[0] = v.from[t], v.to[t]
	size := v.history.kinds[col].Size
	if len(v.one) < size {
		v.one = make([]byte, size)
	}
	v.blend(col, v.one[:size], t, t+1)
	copy(dst, v.one[:size])
	v.from[t], v.to[t], v.share[t] = from, to, share
	if v.history.curves {
		v.seconds[t] = seconds
	}
	was.from[0], was.to[0] = wasFrom, wasTo
	if s.legs[i].rests {
		v.continueRest(col, t, &s.legs[i], now, dst)
	}
}

// carry overwrites the value of a target that continues after its last sample.
func (v *View) carry(col int, s *special) {
	l := &s.legs[s.n-1]
	if l.rests {
		size := v.history.kinds[col].Size
		v.continueRest(col, s.target, l, v.Targets[s.target].Shown, v.columns[col].values[s.target*size:(s.target+1)*size])
	}
}

// continueRest overwrites a value at rest, if the column continues in the direction of its last
// movement: for Kind.Extrapolate ticks, and back in as many.
func (v *View) continueRest(col, target int, l *leg, now timesync.Shown, dst []byte) {
	h, k, slot := v.history, &v.history.kinds[col], v.Targets[target].Slot
	if k.Extrapolate == 0 || l.from == l.to || h.jumped(l.from, l.to, slot) {
		return
	}
	x := &v.pair
	x.from[0], x.to[0] = h.index(l.from, slot), h.index(l.to, slot)
	a, b := h.value(col, x.from[0]), h.value(col, x.to[0])
	if bytes.Equal(a, b) || k.TooFar != nil && k.TooFar(a, b) {
		return
	}
	most := timesync.Shown(k.Extrapolate) << 8
	beyond := now - l.end
	if most < beyond {
		beyond = 2*most - min(beyond, 2*most)
	}
	if x.share[0] = float32(float64(l.end+beyond-l.start) / float64(l.end-l.start)); x.share[0] > 1 {
		k.Each(dst, h.planes[col], x.from[:], x.to[:], x.share[:])
	}
}
