package group

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

// withDefaults returns a rate with its defaults filled in.
func (r Rate) withDefaults() Rate {
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

// defaultRate is that of a group of which nobody said anything.
var defaultRate = Rate{Every: 1, Priority: 1}

// rates is the requested rates of entities and the resulting rates of groups. Both are empty until
// a rate is requested.
type rates struct {
	Requested []Rate // by slot
	Groups    []Rate // by group
	Pace      []pace // by group

	Waiting        set.Bitset    // public groups that changed and wait for their tick
	WaitingPrivate []ident.Group // private ones, and those that waited
}

// SetRate says how often the group of an entity is to be sent, and how urgent it is. It
// counts for as long as the entity is taken in.
func (w *State) SetRate(s repl.Slot, r Rate) {
	if !w.Slots.Used.Has(int(s)) {
		return
	}
	r = r.withDefaults()
	r.Every = w.roundInterval(r.Every)
	if len(w.Rates.Requested) <= int(s) {
		if r == defaultRate {
			return
		}
		w.Rates.growSlots(len(w.Slots.Mask))
	}
	if w.Rates.Requested[s] == r {
		return
	}
	w.Rates.Requested[s] = r
	w.Rates.growGroups(len(w.Groups))
	w.rerate(w.Slots.Group[s])
}

// SetStride says how many ticks lie from one Begin to the next, as a rule: in between
// nothing is sent. Intervals that are set from then on are rounded up to a multiple of it.
func (w *State) SetStride(ticks int) { w.Stride = ticks }

// roundInterval rounds an interval up to whole strides.
func (w *State) roundInterval(every uint16) uint16 {
	stride := max(w.Stride, 1)
	return uint16(min((int(every)+stride-1)/stride*stride, math.MaxUint16))
}

func (r *rates) growSlots(n int) {
	for len(r.Requested) < n {
		r.Requested = append(r.Requested, defaultRate)
	}
}

func (r *rates) growGroups(n int) {
	for len(r.Groups) < n {
		r.Groups, r.Pace = append(r.Groups, defaultRate), append(r.Pace, pace{})
	}
}

// rateOf returns the rate of an entity.
func (r *rates) rateOf(s repl.Slot) Rate {
	if int(s) >= len(r.Requested) {
		return defaultRate
	}
	return r.Requested[s]
}

// Of returns the rate of a group.
func (r *rates) Of(id ident.Group) Rate {
	if int(id) >= len(r.Groups) {
		return defaultRate
	}
	return r.Groups[id]
}

// rerate works out a group's rate from its members.
func (w *State) rerate(id ident.Group) {
	if int(id) >= len(w.Rates.Groups) {
		return
	}
	gr, rate := &w.Groups[id], defaultRate
	for i := range gr.Members {
		if r := w.Rates.rateOf(gr.Members[i].Slot); i == 0 {
			rate = r
		} else {
			rate = rate.with(r)
		}
	}
	w.setRate(id, rate)
}

// setRate gives a group a rate. With another interval it waits for a tick no more.
func (w *State) setRate(id ident.Group, r Rate) {
	gr := &w.Groups[id]
	w.Rates.Groups[id] = r
	if r.Every == gr.Every || !w.WaitsForTurn(id) {
		gr.Every = r.Every
		return
	}
	gr.Every = r.Every
	w.endWait(id, gr)
	if gr.Private {
		w.ChangedPrivate = append(w.ChangedPrivate, id)
		return
	}
	w.Rates.Pace[id].Released = w.Tick
	w.Moved.Set(int(gr.Handle))
}

// joinRate takes a new member into account.
func (w *State) joinRate(id ident.Group, s repl.Slot) {
	if len(w.Rates.Requested) == 0 {
		return
	}
	w.Rates.growGroups(len(w.Groups))
	gr, rate := &w.Groups[id], w.Rates.rateOf(s)
	if len(gr.Members) > 1 {
		rate = rate.with(w.Rates.Groups[id])
	}
	w.setRate(id, rate)
}

// leaveRate takes into account that a member is gone.
func (w *State) leaveRate(id ident.Group, s repl.Slot) {
	gone, of := w.Rates.rateOf(s), w.Rates.Of(id)
	if gone.Every == of.Every || gone.Priority == of.Priority || gone.MaxAge == of.MaxAge {
		w.rerate(id)
	}
}

// forgetRate forgets the requested rate of an entity that has ended.
func (r *rates) forgetRate(s repl.Slot) {
	if int(s) < len(r.Requested) {
		r.Requested[s] = defaultRate
	}
}
