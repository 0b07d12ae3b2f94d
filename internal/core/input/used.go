package input

import "github.com/entangle-ecs/entangle"

// used is what the ticks of a Reader with Late ran with, and since when something else may be
// known of them. What is not an input counts as zeros, which is what an entity holds then.
type used struct {
	values []byte        // by the ring's places
	from   entangle.Tick // it is known from here on
	news   entangle.Tick // the oldest tick of which something has come since Revised was asked
	some   bool
}

// begin is for a lane without anything: what ran before now ran without it.
func (u *used) begin(r *ring) {
	clear(u.values)
	*u = used{values: u.values, from: r.now - entangle.Tick(r.back)}
}

// keep takes down what a tick runs with.
func (r *Reader) keep(tick entangle.Tick, value []byte, status Status) {
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
	at := r.place(tick) * r.size
	return r.used.values[at : at+r.size : at+r.size]
}

// slide takes off ticks that are no more known: those before one that the clock has gone to
// past others, or back to, and those whose place another has taken.
func (r *Reader) slide(to entangle.Tick) {
	if by := to.Sub(r.now); by > 1 || to.Before(r.used.from) {
		r.used.from = to
	}
	r.used.from = later(r.used.from, to-entangle.Tick(r.back))
}

// changed takes note that something has come of a tick, and so of those after it.
func (r *Reader) changed(tick entangle.Tick) {
	if r.late && !r.now.Before(tick) && (!r.used.some || tick.Before(r.used.news)) {
		r.used.news, r.used.some = tick, true
	}
}

// Again is At for a tick that has run and runs again, and after which all up to now do so.
// One that is still to come is taken.
func (r *Reader) Again(tick entangle.Tick) ([]byte, Status) {
	if r.now.Before(tick) {
		return r.Take(tick)
	}
	value, status := r.at(tick)
	if r.holds(tick) {
		r.keep(tick, value, status)
		if tick.Before(r.used.from) {
			r.used.from = tick // the clock had gone past it
		}
	}
	return value, status
}

// Revised returns the oldest tick after one, up to now, that has run, and with another input
// than At has for it by now. It is told once: whoever asks has it run Again, or lets it be.
func (r *Reader) Revised(after, now entangle.Tick) (tick entangle.Tick, ok bool) {
	if !r.used.some {
		return 0, false
	}
	r.used.some = false
	first := later(later(after+1, r.used.news), r.used.from)
	for t := first; !now.Before(t) && !r.now.Before(t); t++ {
		if r.differs(t) {
			return t, true
		}
	}
	return 0, false
}

func (r *Reader) differs(tick entangle.Tick) bool {
	value, status := r.at(tick)
	if status == None || status == Unheard {
		clear(r.spare)
		value = r.spare
	}
	return !r.codec.Equal(value, r.usedAt(tick))
}
