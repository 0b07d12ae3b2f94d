package order

import (
	mathbits "math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Queue is the records of one group that wait. Its zero value is empty; a [Pool] changes it.
type Queue struct {
	Group   repl.Handle
	Waiting []*Waiting
	counts  [lists]uint16 // of Waiting, the records of each list
	indexes [lists]uint32 // the queue's index in the lists of the pool, where it counts any
}

// Waiting is a record that arrived before others that it needs.
type Waiting struct {
	Record
	Since entangle.Tick // the tick since when something has waited in its place
	Body  []byte        // the part of the record behind its needs
	Needs []repl.Need   // those that were not met when last examined; see Pool.SetNeeds
	size  int           // bytes that it counts for
}

// Passable reports whether a group that is requested in full gets back all that an action says: the
// state of its own members. Joins are sent once, since they count for several groups, and so is the end
// of a group. A full does not say what became of members that left.
func (rec *Record) Passable(needs []repl.Need) bool {
	return rec.Kind == repl.Change && !rec.Leaves && !rec.Takes && len(needs) == 0
}

// Updates returns how many updates wait.
func (q *Queue) Updates() int { return int(q.counts[updates]) }

// Actions returns how many actions wait.
func (q *Queue) Actions() int { return len(q.Waiting) - q.Updates() }

// HoldsNeeds reports whether an action waits for other groups.
func (q *Queue) HoldsNeeds() bool { return q.counts[needing] > 0 }

// WaitsLonger reports whether a record has waited for more than a number of ticks.
func (q *Queue) WaitsLonger(now entangle.Tick, ticks int32) bool {
	return slices.ContainsFunc(q.Waiting, func(w *Waiting) bool { return now.Sub(w.Since) > ticks })
}

// EndBefore returns a waiting end of the group from before a tick, or nil.
func (q *Queue) EndBefore(before entangle.Tick) *Waiting {
	for _, w := range q.Waiting {
		if w.Kind == repl.Gone && w.Tick.Before(before) {
			return w
		}
	}
	return nil
}

// OldestUpdate returns the oldest update, or nil.
func (q *Queue) OldestUpdate() (oldest *Waiting) {
	for _, w := range q.Waiting {
		if w.Kind == repl.Update && (oldest == nil || w.Tick.Before(oldest.Tick)) {
			oldest = w
		}
	}
	return oldest
}

// setBody copies what was read from start on. Its room is a power of two, so that it grows a few times
// at most, and never beyond what the pool takes back for a body that the pool has room for.
func (w *Waiting) setBody(start *bits.Reader, width int) {
	length := (width + 7) / 8
	if cap(w.Body) < length {
		w.Body = make([]byte, length, 1<<mathbits.Len(uint(length-1)))
	}
	w.Body = w.Body[:length]
	start.Copy(w.Body, width)
}
