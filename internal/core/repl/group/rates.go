package group

import (
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Rate says how often the group of an entity is sent, and how urgent it is if the byte budget is too small for all
// groups. A group has the lowest Every, the highest Priority and the lowest MaxAge other than 0 of its members.
type Rate struct {
	Every    uint16  // interval between updates in ticks; 0 means 1
	Priority float32 // share of the budget relative to other groups, up to MaxPriority; 0 or an invalid value means 1
	MaxAge   uint16  // bound on the ticks for which a change may wait for the budget; 0 means none
}

// MaxPriority is the highest priority. Higher ones count as MaxPriority.
const MaxPriority = 1e6

// minPriority is the lowest priority. With it, a long wait outweighs any priority of others.
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

// combine returns the rate of a group with members of both rates.
func (r Rate) combine(o Rate) Rate {
	r.Every, r.Priority = min(r.Every, o.Every), max(r.Priority, o.Priority)
	if r.MaxAge == 0 || o.MaxAge != 0 && o.MaxAge < r.MaxAge {
		r.MaxAge = o.MaxAge
	}
	return r
}

// defaultRate is the rate of an entity without SetRate.
var defaultRate = Rate{Every: 1, Priority: 1}

// rates is the requested rates of entities and the resulting rates of groups. All columns are empty until a rate
// other than the default is requested.
type rates struct {
	Requested []Rate // by slot
	Groups    []Rate // by group
	Pace      []pace // by group

	stale set.Bitset // groups with an outdated rate

	Waiting        set.Bitset         // public groups with a change that waits for their turn, by handle
	WaitingPrivate []ident.GroupIndex // private groups for which pace.Listed is set

	previousTick    entangle.Tick // of the Begin before the last one
	Stride          int           // number of ticks from one Begin to the next, as set by SetStride; 0 and 1 both mean 1
	intervalComp    int           // the component with the interval of its entity's group as its value
	statesIntervals bool          // there is one
}

// SetRate sets the rate of an entity, which lasts until the entity ends. UpdateRates computes the rate of its group.
func (st *State) SetRate(s repl.Slot, r Rate) {
	if !st.Slots.Used.Has(int(s)) {
		return
	}
	r = r.withDefaults()
	r.Every = st.roundInterval(r.Every)
	if len(st.Rates.Requested) <= int(s) {
		if r == defaultRate {
			return
		}
		st.Rates.Requested = extend(st.Rates.Requested, len(st.Slots.Mask), defaultRate)
	}
	if st.Rates.Requested[s] == r {
		return
	}
	st.Rates.Requested[s] = r
	st.Rates.markStale(st.Slots.Group[s])
}

// markStale makes UpdateRates compute the rate of a group.
func (r *rates) markStale(id ident.GroupIndex) {
	if len(r.Requested) > 0 {
		r.stale.Grow(int(id) + 1)
		r.stale.Set(int(id))
	}
}

// UpdateRates computes the rates of the groups of which members got another rate, joined or left in this tick: each once,
// as a group may have thousands of members.
func (st *State) UpdateRates() {
	if st.Rates.stale.Empty() {
		return
	}
	st.Rates.Groups = extend(st.Rates.Groups, len(st.Groups), defaultRate)
	st.Rates.Pace = extend(st.Rates.Pace, len(st.Groups), pace{})
	for i := st.Rates.stale.Next(0); i >= 0; i = st.Rates.stale.Next(i + 1) {
		st.Rates.stale.Clear(i)
		id, rate := ident.GroupIndex(i), defaultRate
		for i, m := range st.Groups[id].Members {
			if r := st.Rates.rateOf(m.Slot); i == 0 {
				rate = r
			} else {
				rate = rate.combine(r)
			}
		}
		st.setRate(id, rate)
	}
}

// SetStride sets the expected number of ticks from one Begin to the next, if not every tick is sent. Later calls of
// SetRate round intervals up to a multiple of it.
func (st *State) SetStride(ticks int) { st.Rates.Stride = ticks }

// StateIntervals makes a component part of an update whenever the interval of its entity's group has changed: the value
// of the component states the interval.
func (r *rates) StateIntervals(comp int) { r.intervalComp, r.statesIntervals = comp, true }

// IntervalComp returns the component with the interval; ok is false if there is none.
func (r *rates) IntervalComp() (comp int, ok bool) { return r.intervalComp, r.statesIntervals }

// roundInterval rounds an interval up to a multiple of the stride.
func (st *State) roundInterval(every uint16) uint16 {
	stride := max(st.Rates.Stride, 1)
	return uint16(min((int(every)+stride-1)/stride*stride, math.MaxUint16))
}

// rateOf returns the requested rate of an entity.
func (r *rates) rateOf(s repl.Slot) Rate {
	if int(s) >= len(r.Requested) {
		return defaultRate
	}
	return r.Requested[s]
}

// Of returns the rate of a group.
func (r *rates) Of(id ident.GroupIndex) Rate {
	if int(id) >= len(r.Groups) {
		return defaultRate
	}
	return r.Groups[id]
}

// setRate sets a group's rate. If that changes the interval of a group whose change waits for its turn, the change
// becomes due in this tick.
func (st *State) setRate(id ident.GroupIndex, r Rate) {
	gr := &st.Groups[id]
	same := r.Every == gr.Every
	st.Rates.Groups[id], gr.Every = r, r.Every
	if !same && st.Rates.statesIntervals {
		defer st.markIntervals(id)
	}
	if same || !st.WaitsForTurn(id) {
		return
	}
	st.cancelWait(id, gr)
	if gr.Private {
		st.Changed.Private = append(st.Changed.Private, id)
		return
	}
	st.Rates.Pace[id].Released = st.Tick
	st.Changed.Public.Set(int(gr.Handle))
}

// Interval returns the number of ticks from one update of an entity's group to the next.
func (st *State) Interval(s repl.Slot) int {
	return max(int(st.Groups[st.Slots.Group[s]].Every), st.Rates.Stride, 1)
}

// markIntervals makes the component with the interval changed, at all members of a group that have it.
func (st *State) markIntervals(id ident.GroupIndex) {
	for i := range st.Groups[id].Members {
		if s := st.Groups[id].Members[i].Slot; st.Slots.Mask[s].Has(st.Rates.intervalComp) && !st.IsPaused(s) {
			st.Slots.changed[st.Rates.intervalComp][s], st.Slots.Touched[s] = st.Tick, st.Tick
			st.markChanged(id, false)
		}
	}
}

// forgetRate resets the requested rate of an entity that ended.
func (r *rates) forgetRate(s repl.Slot) {
	if int(s) < len(r.Requested) {
		r.Requested[s] = defaultRate
	}
}
