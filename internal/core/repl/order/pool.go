package order

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// MaxUpdates bounds the updates of one group that wait for an action. A sender has as many
	// different baselines in flight as actions, and of one baseline the newest is kept. For more, the
	// oldest is dropped.
	MaxUpdates = 16

	// MaxActions bounds the actions of one group that wait: for one before them, of which there are
	// few, or for other groups. More find no room. Those that can't be passed over do, up to twice as
	// many.
	MaxActions = 64

	// waitingOverhead is the size that a waiting record counts for beside its body, and needBytes that
	// of each need.
	waitingOverhead = 64
	needBytes       = 8

	// maxFree bounds the records that are kept for reuse, maxFreeBody and maxFreeNeeds the memory of
	// each.
	maxFree      = 1 << 10
	maxFreeBody  = 1 << 10
	maxFreeNeeds = 1 << 6
	leastBody    = 1 << 6
)

// Pool counts the waiting records of all groups, and finds the queues that hold some of a kind without
// a search: a hostile server may make many queues.
type Pool struct {
	Limit int // bytes
	bytes int
	free  []*Waiting
	lists [lists][]*Queue // the queues with a record of a kind, in any order
}

// Which records a list of queues is about.
const (
	all      = iota
	updates  // updates
	passable // actions that a full makes up for
	needing  // actions that wait for other groups
	lists
)

// Bytes returns the size of all waiting records.
func (p *Pool) Bytes() int { return p.bytes }

// Over reports whether more waits than may.
func (p *Pool) Over() bool { return p.bytes > p.Limit }

// Queues returns the queues that are not empty, in any order.
func (p *Pool) Queues() []*Queue { return p.lists[all] }

// Needing returns the queues with actions that wait for other groups, in any order.
func (p *Pool) Needing() []*Queue { return p.lists[needing] }

// Add makes a record wait. start stands at the beginning of its body of some bits.
func (p *Pool) Add(q *Queue, rec *Record, needs []repl.Need, since entangle.Tick, start bits.Reader, width int) *Waiting {
	var w *Waiting
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &Waiting{Body: make([]byte, 0, leastBody)}
	}
	*w = Waiting{Record: *rec, Since: since, Body: w.Body, Needs: append(w.Needs[:0], needs...)}
	w.size = (width+7)/8 + len(needs)*needBytes + waitingOverhead
	w.setBody(&start, width)
	q.Waiting = append(q.Waiting, w)
	p.count(q, w, 1)
	return w
}

// Drop removes a record from its queue.
func (p *Pool) Drop(q *Queue, w *Waiting) { p.dropAt(q, slices.Index(q.Waiting, w)) }

// DropIf removes the records for which f returns true.
func (p *Pool) DropIf(q *Queue, f func(*Waiting) bool) {
	for i := len(q.Waiting) - 1; i >= 0; i-- {
		if f(q.Waiting[i]) {
			p.dropAt(q, i)
		}
	}
}

func (p *Pool) dropAt(q *Queue, i int) {
	w := q.Waiting[i]
	p.count(q, w, -1)
	q.Waiting = slices.Delete(q.Waiting, i, i+1)
	if len(p.free) < maxFree && cap(w.Body) <= maxFreeBody && cap(w.Needs) <= maxFreeNeeds {
		p.free = append(p.free, w)
	}
}

// SetNeeds sets the needs of a waiting action that are not met, if any were before.
func (p *Pool) SetNeeds(q *Queue, w *Waiting, unmet []repl.Need) {
	if len(unmet) > 0 || len(w.Needs) == 0 {
		w.Needs = unmet
		return
	}
	p.count(q, w, -1)
	w.Needs = unmet
	p.count(q, w, 1)
}

// count counts a record in, or out.
func (p *Pool) count(q *Queue, w *Waiting, sign int) {
	p.bytes += sign * w.size
	p.countIn(all, q, sign)
	switch {
	case w.Kind == repl.Update:
		p.countIn(updates, q, sign)
	case len(w.Needs) > 0:
		p.countIn(needing, q, sign)
	case w.Passable(w.Needs):
		p.countIn(passable, q, sign)
	}
}

// countIn counts a record of a queue for a list, and adds the queue to the list or removes it: the last
// one takes its place.
func (p *Pool) countIn(list int, q *Queue, sign int) {
	l := &p.lists[list]
	q.counts[list] += uint16(sign)
	switch {
	case sign > 0 && q.counts[list] == 1:
		q.indexes[list] = uint32(len(*l))
		*l = append(*l, q)
	case q.counts[list] == 0:
		last := len(*l) - 1
		moved := (*l)[last]
		(*l)[q.indexes[list]], moved.indexes[list] = moved, q.indexes[list]
		(*l)[last] = nil
		*l = (*l)[:last]
	}
}

// Supersede drops the waiting updates that a new one makes superfluous: those that are older, and have
// no older baseline. One that needs a later action never displaces one that needs an earlier. It returns
// since when something has waited in the place that the new record takes, and how many it dropped.
func (p *Pool) Supersede(q *Queue, rec *Record) (since entangle.Tick, dropped int) {
	since = rec.Tick
	if rec.Kind != repl.Update {
		return since, 0
	}
	for i := len(q.Waiting) - 1; i >= 0; i-- {
		if w := q.Waiting[i]; w.Kind == repl.Update && w.Tick.Before(rec.Tick) && !w.Base.Before(rec.Base) {
			if w.Since.Before(since) {
				since = w.Since
			}
			p.dropAt(q, i)
			dropped++
		}
	}
	return since, dropped
}

// Expendable returns a record that can be sent again, and its queue; nil if none waits. Updates come
// first, since most of them are sent again anyway, and of a group the oldest; then passable actions.
func (p *Pool) Expendable() (q *Queue, w *Waiting) {
	if l := p.lists[updates]; len(l) > 0 {
		q = l[len(l)-1]
		return q, q.OldestUpdate()
	}
	l := p.lists[passable]
	if len(l) == 0 {
		return nil, nil
	}
	q = l[len(l)-1]
	for i := len(q.Waiting) - 1; ; i-- {
		if w = q.Waiting[i]; w.Passable(w.Needs) {
			return q, w
		}
	}
}
