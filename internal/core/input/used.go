package input

import "github.com/entangle-ecs/entangle"

// used records the inputs with which the ticks of a Reader with Late ran, and the oldest tick whose
// input may have changed since then. A tick without an input counts as zeros, like its component.
type used struct {
	values  []byte        // indexed like the slots of the ring
	from    entangle.Tick // the first tick for which values is known
	changed entangle.Tick // the oldest tick whose input changed since the last call of Revised
	some    bool
}

// restart resets u for an empty stream, in which earlier ticks ran without inputs.
func (u *used) restart(r *ring) {
	clear(u.values)
	*u = used{values: u.values, from: r.now - entangle.Tick(r.back)}
}

// recordUsed records the input with which a tick ran.
func (r *Reader) recordUsed(tick entangle.Tick, value []byte, status Status) {
	if !r.late {
		return
	}
	to := r.usedAt(tick)
	switch status {
	case Fresh, Repeated:
		copy(to, value)
	default:
		clear(to)
	}
}

func (r *Reader) usedAt(tick entangle.Tick) []byte {
	at := r.index(tick) * r.size
	return r.used.values[at : at+r.size : at+r.size]
}

// slide moves used.from past ticks without a known value: those that a jump of the clock skipped or
// will repeat, and those with a slot that is reused.
func (r *Reader) slide(to entangle.Tick) {
	if by := to.Sub(r.now); by > 1 || to.Before(r.used.from) {
		r.used.from = to
	}
	r.used.from = later(r.used.from, to-entangle.Tick(r.back))
}

// markChanged records that the input of a tick, or of later ones, may have changed.
func (r *Reader) markChanged(tick entangle.Tick) {
	if r.late && !r.now.Before(tick) && (!r.used.some || tick.Before(r.used.changed)) {
		r.used.changed, r.used.some = tick, true
	}
}

// Rerun is At for a tick that is replayed; all later ticks up to now must be replayed after it. For
// a tick that has not run yet it calls Take.
func (r *Reader) Rerun(tick entangle.Tick) ([]byte, Status) {
	if r.now.Before(tick) {
		return r.Take(tick)
	}
	value, status := r.inputAt(tick)
	if r.holds(tick) {
		r.recordUsed(tick, value, status)
		if tick.Before(r.used.from) {
			r.used.from = tick // the clock had skipped it
		}
	}
	return value, status
}

// Revised returns the oldest tick, after the given one and up to now, that ran with another input
// than At returns now. It returns each change once, so the caller must replay the tick or ignore the
// change.
func (r *Reader) Revised(after, now entangle.Tick) (tick entangle.Tick, ok bool) {
	if !r.used.some {
		return 0, false
	}
	r.used.some = false
	first := later(later(after+1, r.used.changed), r.used.from)
	for t := first; !now.Before(t) && !r.now.Before(t); t++ {
		if r.differs(t) {
			return t, true
		}
	}
	return 0, false
}

func (r *Reader) differs(tick entangle.Tick) bool {
	value, status := r.inputAt(tick)
	if status == None || status == Unknown {
		clear(r.scratch)
		value = r.scratch
	}
	return !r.codec.Equal(value, r.usedAt(tick))
}
