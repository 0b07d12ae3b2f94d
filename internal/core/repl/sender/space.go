package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// phase is how far a group has come at a peer.
type phase uint8

const (
	unknown phase = iota // never sent, or its end acknowledged
	known                // its full was sent
	ending               // its end was sent
)

// space is what a peer was sent of the groups of one space of handles, in columns by handle: a loop
// over all groups reads only the columns it needs.
type space struct {
	// What every tick reads of every peer comes first, together: most of the memory of
	// so many peers is far from the processor.
	due    set.Bitset // has values to send
	since  []uint32   // of a metered peer: when the due changes became due, in parts of ticks
	cursor int        // where the next tick's updates go on
	first  repl.Handle
	acted  entangle.Tick   // last tick of which structure of any group was sent
	base   []entangle.Tick // newest tick that the peer holds before anything later applies
	ids    *ident.Table    // its handles: of the world, or the own ones of the peer
	steady set.Bitset      // known, seen whole, not predicted, and no structure waits

	predicted set.Bitset      // the peer predicts some of it, or may think so
	sent      []entangle.Tick // last tick of which anything was sent, but for whole runs; see asOf
	apart     []uint8         // how far the base was that the update to base started from; nil where that does not count
	shapeDue  set.Bitset      // has structure to send
	doubted   set.Bitset      // is to be sent in full
	behind    set.Bitset      // the peer asked for a resync: it may lack parts of what it was sent
	pending   set.Bitset      // an action of it is not acknowledged; see flight.Sent.Unproven

	phase   []phase
	shaped  []entangle.Tick // last tick of which it has all structure that it may see
	told    []entangle.Tick // last tick of which structure was sent
	seq     []repl.Seq      // of the last action
	unacked []uint8         // bit i: the action i before the last one is under way
	view    []view.ID       // nil while the peer sees all of every group
	bulky   set.Bitset      // travels as one transfer, which is not through yet

	// Of private groups.
	hidden   set.Bitset // to be ended at this peer alone
	before   set.Bitset // the peer had the group, under this handle
	referred set.Bitset // the peer was sent references to entities born there
	retained set.Bitset // not shown any more, and kept by the peer as it was
	thawed   set.Bitset // shown again, and kept by the peer as it was until its full is sent

	doubts int // where the next tick's answers go on
}

// grow makes room for n handles. None of them was ever sent: not in half of the time
// in which before and after can be told.
func (sp *space) grow(n int, now entangle.Tick) {
	if sp.phase == nil && sp.first == repl.Private {
		sp.reserveUsual()
	}
	for len(sp.phase) < n {
		sp.phase = append(sp.phase, unknown)
		sp.base = append(sp.base, 0)
		sp.sent = append(sp.sent, 0)
		sp.shaped = append(sp.shaped, now-1<<30)
		sp.told = append(sp.told, now-1<<30)
		sp.seq = append(sp.seq, 0)
		sp.unacked = append(sp.unacked, 0)
	}
	if sp.view != nil {
		sp.showAll(n)
	}
	if sp.since != nil {
		sp.growSince(n, now)
	}
	if sp.apart != nil {
		sp.apart = append(sp.apart, make([]uint8, n-len(sp.apart))...)
	}
	sp.growSets(n)
}

// reserveUsual makes room for a usual number of private handles. Where entities come and go, the number of handles
// in use rises for a while by one now and then, and columns would be moved in many ticks.
func (sp *space) reserveUsual() {
	const usual = usualWords * 64
	sp.phase = make([]phase, 0, usual)
	sp.base, sp.sent = make([]entangle.Tick, 0, usual), make([]entangle.Tick, 0, usual)
	sp.shaped, sp.told = make([]entangle.Tick, 0, usual), make([]entangle.Tick, 0, usual)
	sp.seq, sp.unacked = make([]repl.Seq, 0, usual), make([]uint8, 0, usual)
	sp.ids.Reserve(usual)
}

// usualWords is for how many handles there is room at once, in 64: enough for what is near somebody.
const usualWords = 16

func (sp *space) growSets(n int) {
	sets := [...]*set.Bitset{
		&sp.due, &sp.shapeDue, &sp.doubted, &sp.behind, &sp.pending, &sp.bulky, &sp.steady, &sp.predicted,
		&sp.hidden, &sp.before, &sp.referred, &sp.retained, &sp.thawed,
	}
	if cap(sp.due) == 0 {
		all := make(set.Bitset, len(sets)*usualWords)
		for i, groups := range sets {
			*groups = all[i*usualWords : i*usualWords : (i+1)*usualWords]
		}
	}
	for _, groups := range sets {
		groups.Grow(n)
	}
}

// from returns what an update of a group starts from.
func (sp *space) from(i int) repl.From {
	if sp.apart == nil {
		return repl.From{Base: sp.base[i]}
	}
	return repl.From{Base: sp.base[i], Apart: sp.apart[i]}
}

// rebase moves a group's base on. claimed is the base that what brought it started
// from, of an update; an action starts from none.
func (sp *space) rebase(i int, tick, claimed entangle.Tick) {
	sp.base[i] = tick
	if sp.apart == nil {
		return
	}
	if sp.apart[i] = 0; claimed.Before(tick) && tick.Sub(claimed) <= repl.MaxApart {
		sp.apart[i] = uint8(tick - claimed)
	}
}

// showAll gives every handle below n without a view the one of all.
func (sp *space) showAll(n int) {
	sp.view = append(sp.view, make([]view.ID, n-len(sp.view))...)
}

// viewOf returns what the peer sees of a group.
func (sp *space) viewOf(i int) view.ID {
	if sp.view == nil {
		return 0
	}
	return sp.view[i]
}

// sendAgain makes a group due of which the last that was to be sent does not arrive.
func (sp *space) sendAgain(i int) {
	if sp.retained.Has(i) || sp.thawed.Has(i) {
		return
	}
	sp.due.Set(i)
	if sp.viewOf(i) != 0 {
		sp.sent[i] = sp.base[i]
	}
}

// resetHandle returns a handle to the state of one that was never used.
func (sp *space) resetHandle(i int) {
	sp.phase[i] = unknown
	sp.due.Clear(i)
	sp.shapeDue.Clear(i)
	sp.doubted.Clear(i)
	sp.behind.Clear(i)
	sp.pending.Clear(i)
	sp.bulky.Clear(i)
	sp.steady.Clear(i)
	sp.hidden.Clear(i)
	sp.before.Clear(i)
	sp.retained.Clear(i)
	sp.thawed.Clear(i)
	sp.referred.Clear(i)
}

// settle works out whether values alone can be sent of a group.
func (sp *space) settle(i int) {
	if sp.phase[i] == known && sp.viewOf(i) == 0 && !sp.predicted.Has(i) && !sp.shapeDue.Has(i) && !sp.bulky.Has(i) && !sp.retained.Has(i) {
		sp.steady.Set(i)
	} else {
		sp.steady.Clear(i)
	}
}

// idle reports whether nothing waits to be sent.
func (sp *space) idle() bool { return sp.due.Empty() && sp.shapeDue.Empty() && sp.doubted.Empty() }
