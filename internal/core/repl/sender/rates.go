package sender

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Rate is how often an entity's group is sent, and how it fares where room is short. A
// group has the lowest Every, the highest Priority and the lowest MaxAge that is not 0
// of its entities.
type Rate struct {
	Every    uint16  // ticks from one sending to the next; 0 is 1
	Priority float32 // share relative to others, up to MaxPriority; 0 or an invalid value counts as 1
	MaxAge   uint16  // ticks that a change may wait for room; 0 is no bound
}

// MaxPriority is the highest share: beyond it all is alike.
const MaxPriority = 1e6

// minPriority is the least that counts, so that a long wait outweighs any priority.
const minPriority = 1e-6

// plain returns a rate with its defaults filled in.
func (r Rate) plain() Rate {
	r.Every = max(r.Every, 1)
	if !(r.Priority > 0) || math.IsInf(float64(r.Priority), 0) {
		r.Priority = 1
	}
	r.Priority = min(max(r.Priority, minPriority), MaxPriority)
	return r
}

// with is the rate of a group of entities of both rates.
func (r Rate) with(o Rate) Rate {
	r.Every, r.Priority = min(r.Every, o.Every), max(r.Priority, o.Priority)
	if r.MaxAge == 0 || o.MaxAge != 0 && o.MaxAge < r.MaxAge {
		r.MaxAge = o.MaxAge
	}
	return r
}

// usualRate is that of a group of which nobody said anything.
var usualRate = Rate{Every: 1, Priority: 1}

// rates is the requested rates of entities and the resulting rates of groups. Both are empty until
// a rate is requested.
type rates struct {
	asked []Rate // by slot
	of    []Rate // by group
	pace  []pace // by group

	waiting        set.Bitset    // public groups that changed and wait for their tick
	waitingPrivate []ident.Group // private ones, and those that waited
}

// SetRate says how often the group of an entity is to be sent, and how urgent it is. It
// counts for as long as the entity is taken in.
func (w *State) SetRate(s repl.Slot, r Rate) {
	if !w.slots.used.Has(int(s)) {
		return
	}
	r = r.plain()
	r.Every = w.beats(r.Every)
	if len(w.rates.asked) <= int(s) {
		if r == usualRate {
			return
		}
		w.rates.growSlots(len(w.slots.mask))
	}
	if w.rates.asked[s] == r {
		return
	}
	w.rates.asked[s] = r
	w.rates.growGroups(len(w.groups))
	w.rerate(w.slots.group[s])
}

// SetStride says how many ticks lie from one Begin to the next, as a rule: in between
// nothing is sent. Intervals that are set from then on are rounded up to a multiple of it.
func (w *State) SetStride(ticks int) { w.stride = ticks }

// beats rounds an interval up to whole strides.
func (w *State) beats(every uint16) uint16 {
	stride := max(w.stride, 1)
	return uint16(min((int(every)+stride-1)/stride*stride, math.MaxUint16))
}

func (r *rates) growSlots(n int) {
	for len(r.asked) < n {
		r.asked = append(r.asked, usualRate)
	}
}

func (r *rates) growGroups(n int) {
	for len(r.of) < n {
		r.of, r.pace = append(r.of, usualRate), append(r.pace, pace{})
	}
}

// rateOf returns the rate of an entity.
func (r *rates) rateOf(s repl.Slot) Rate {
	if int(s) >= len(r.asked) {
		return usualRate
	}
	return r.asked[s]
}

// group returns the rate of a group.
func (r *rates) group(id ident.Group) Rate {
	if int(id) >= len(r.of) {
		return usualRate
	}
	return r.of[id]
}

// rerate works out a group's rate from its members.
func (w *State) rerate(id ident.Group) {
	if int(id) >= len(w.rates.of) {
		return
	}
	gr, rate := &w.groups[id], usualRate
	for i := range gr.members {
		if r := w.rates.rateOf(gr.members[i].slot); i == 0 {
			rate = r
		} else {
			rate = rate.with(r)
		}
	}
	w.setRate(id, rate)
}

// setRate gives a group a rate. With another interval it waits for a tick no more.
func (w *State) setRate(id ident.Group, r Rate) {
	gr := &w.groups[id]
	w.rates.of[id] = r
	if r.Every == gr.every || !w.waitsForTurn(id) {
		gr.every = r.Every
		return
	}
	gr.every = r.Every
	w.endWait(id, gr)
	if gr.private {
		w.stirred = append(w.stirred, id)
		return
	}
	w.rates.pace[id].released = w.tick
	w.moved.Set(int(gr.handle))
}

// joinRate takes a new member into account.
func (w *State) joinRate(id ident.Group, s repl.Slot) {
	if len(w.rates.asked) == 0 {
		return
	}
	w.rates.growGroups(len(w.groups))
	gr, rate := &w.groups[id], w.rates.rateOf(s)
	if len(gr.members) > 1 {
		rate = rate.with(w.rates.of[id])
	}
	w.setRate(id, rate)
}

// leaveRate takes into account that a member is gone.
func (w *State) leaveRate(id ident.Group, s repl.Slot) {
	gone, of := w.rates.rateOf(s), w.rates.group(id)
	if gone.Every == of.Every || gone.Priority == of.Priority || gone.MaxAge == of.MaxAge {
		w.rerate(id)
	}
}

// forgetRate forgets the requested rate of an entity that has ended.
func (r *rates) forgetRate(s repl.Slot) {
	if int(s) < len(r.asked) {
		r.asked[s] = usualRate
	}
}
