package input

import "github.com/entangle-ecs/entangle"

// used holds the inputs with which the ticks of a Reader with Late ran, and the oldest tick
// with an input that may have changed since. A tick without an input counts as zeros, as its component does.
type used struct {
	values  []byte        // by slot of the ring
	from    entangle.Tick // first tick with a known value
	changed entangle.Tick // the oldest tick received since the last call of Revised
	some    bool
}

// restart resets it for an empty stream: earlier ticks ran without inputs.
func (u *used) restart(r *ring) {
	clear(u.values)
	*u = used{values: u.values, from: r.now - entangle.Tick(r.back)}
}

// recordUsed records the input with which a tick runs.
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

// slide drops ticks without a known value: those skipped or repeated by a jump of the clock,
// and those with a reused slot.
func (r *Reader) slide(to entangle.Tick) {
	if by := to.Sub(r.now); by > 1 || to.Before(r.used.from) {
		r.used.from = to
	}
	r.used.from = later(r.used.from, to-entangle.Tick(r.back))
}

// markChanged records that the inputs from a tick on may have changed.
func (r *Reader) markChanged(tick entangle.Tick) {
	if r.late && !r.now.Before(tick) && (!r.used.some || tick.Before(r.used.changed)) {
		r.used.changed, r.used.some = tick, true
	}
}

// Rerun is At for a tick that runs again in a replay; all later ticks up to now run again after it. A
// tick that has not run yet is taken.
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

// Revised returns the oldest tick after the given one, up to now, that ran with another input than At
// returns now. Each change is returned once: the caller runs the tick again, or ignores it.
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
