package group

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// trails is, for each entity that moved, its trail: the former groups that some peer may still have it in.
type trails struct {
	Of     map[repl.Slot][]ident.GroupIndex
	unused [][]ident.GroupIndex // memory for new trails
}

const (
	trailCapacity = 4  // groups in the memory of a new trail
	newTrails     = 64 // trails that are allocated at once
)

// Extend appends a group, which an entity has just left, to the entity's trail.
func (t *trails) Extend(s repl.Slot, id ident.GroupIndex) {
	groups, ok := t.Of[s]
	if !ok {
		if len(t.unused) == 0 {
			for room := range slices.Chunk(make([]ident.GroupIndex, newTrails*trailCapacity), trailCapacity) {
				t.unused = append(t.unused, room[:0:trailCapacity])
			}
		}
		last := len(t.unused) - 1
		groups, t.unused = t.unused[last], t.unused[:last]
	}
	if !slices.Contains(groups, id) {
		t.Of[s] = append(groups, id)
	}
}

// drop deletes a trail, and keeps its memory for another one.
func (t *trails) drop(s repl.Slot) {
	if groups, ok := t.Of[s]; ok {
		t.unused = append(t.unused, groups[:0])
		delete(t.Of, s)
	}
}

// forget removes a group from an entity's trail.
func (t *trails) forget(s repl.Slot, id ident.GroupIndex) {
	groups, ok := t.Of[s]
	if !ok {
		return
	}
	t.Of[s] = slices.DeleteFunc(groups, func(of ident.GroupIndex) bool { return of == id })
	if len(t.Of[s]) == 0 {
		t.drop(s)
	}
}

// tidyAfter is the number of ticks after which the leavers of a group are scanned. Most peers have acknowledged the first
// of them by that time.
const tidyAfter = 32

// tidyPerTick bounds the work of TidyDue in one call: the number of scanned leavers and peers. The bound rises with the
// length of the queue, so that no group waits for longer than another tidyAfter ticks. At least one group is scanned.
const tidyPerTick = 1024

// tidying is the groups with leavers to scan.
type tidying struct {
	queue     ring.Queue[tidyEntry] // each group once
	forgotten []Leaver              // scratch of dropAckedLeavers
}

// tidyEntry is a group with leavers to scan, and the tick in which the scan was scheduled.
type tidyEntry struct {
	id   ident.GroupIndex
	tick entangle.Tick
}

// scheduleTidy schedules a scan of a group's leavers in tidyAfter ticks.
func (st *State) scheduleTidy(id ident.GroupIndex) {
	if gr := &st.Groups[id]; !gr.tidyQueued {
		gr.tidyQueued = true
		st.tidy.queue.Push(tidyEntry{id, st.Tick})
	}
}

// TidyDue scans the leavers of the groups that are due for it, and drops the leavers that every peer has acknowledged. It
// schedules another scan of groups with leavers that some peer has not acknowledged.
func (st *State) TidyDue() {
	for budget := tidyPerTick + st.tidy.queue.Len()*len(st.Peers)/tidyAfter; budget > 0 && st.tidy.queue.Len() > 0; {
		first := *st.tidy.queue.At(0)
		if st.Tick.Sub(first.tick) < tidyAfter {
			return
		}
		st.tidy.queue.Drop(1)
		id := first.id
		gr := &st.Groups[id]
		gr.tidyQueued = false
		if len(gr.Left) == 0 {
			continue
		}
		budget -= len(gr.Left) + len(st.Peers)
		if st.dropAckedLeavers(id) {
			st.scheduleTidy(id)
		}
	}
}

// dropAckedLeavers removes the leavers that every peer has acknowledged as gone. It keeps natives that live on in other
// groups, since State.Native finds them here. waits reports that some peer has not acknowledged a leaver.
func (st *State) dropAckedLeavers(id ident.GroupIndex) (waits bool) {
	gr := &st.Groups[id]
	toAll, toAny := st.structureAsOf(id)
	kept, forgotten := gr.Left[:0], st.tidy.forgotten[:0]
	for _, l := range gr.Left {
		acked := l.Progress.update(l.Left, toAll, toAny, st.OldestInFlight)
		if acked && l.Slot != repl.NoSlot {
			forgotten = append(forgotten, l)
		}
		if waits = waits || !acked; !acked || st.IsNative(l.Slot, id, l.Number) {
			kept = append(kept, l)
			continue
		}
		st.forgetDenied(id, &l)
	}
	gr.Left, st.tidy.forgotten = shrink(kept), forgotten
	for _, l := range forgotten {
		if !gr.mayStillHave(l.Slot) {
			st.Trails.forget(l.Slot, id)
		}
	}
	return waits
}

// mayStillHave reports whether some peer may still have an entity in this group that left it, maybe more than once.
func (gr *Group) mayStillHave(s repl.Slot) bool {
	return slices.ContainsFunc(gr.Left, func(l Leaver) bool { return l.Slot == s && !l.Progress.Acked })
}

// structureAsOf returns the ticks as of which the peers that have a group were sent its structure: the oldest, up to which
// each peer was sent all structure, and the newest.
func (st *State) structureAsOf(id ident.GroupIndex) (toAll, toAny entangle.Tick) {
	toAll, toAny = st.Tick, st.Tick-1<<30
	for _, p := range st.Peers {
		sp, i := p.Locate(id)
		if i < 0 || sp.IsAbsent(i) {
			continue
		}
		if asOf := sp.StructureAsOf[i]; asOf.Before(toAll) {
			toAll = asOf
		}
		if asOf := sp.StructureAsOf[i]; toAny.Before(asOf) {
			toAny = asOf
		}
	}
	return toAll, toAny
}

// ackProgress is the progress of one leaver: whether the peers were sent that it left, and have acknowledged that.
type ackProgress struct {
	sent  bool          // every peer was sent it
	tick  entangle.Tick // if sent: no peer was sent it later than at this tick
	Acked bool          // every peer has acknowledged it
}

// update reports whether every peer has acknowledged an event of a tick: the event was sent to each peer, and nothing
// that was sent until then is in flight.
func (n *ackProgress) update(happened, toAll, toAny, oldestInFlight entangle.Tick) bool {
	if !n.sent && !toAll.Before(happened) {
		n.sent, n.tick = true, toAny
		if toAny.Before(happened) { // no peer has the group, but data in flight may refer to its leavers
			n.tick = happened
		}
	}
	n.Acked = n.Acked || n.sent && n.tick.Before(oldestInFlight)
	return n.Acked
}
