package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// pageSize is how many handles share a page. A sender numbers its groups densely
// in either space, so few pages hold them all; handles scattered to do harm cost a
// page each, and all pages of both spaces together 25 MiB, 42 with their loans.
const pageSize = 256

// table finds groups by handle, public and private. Handles are dense, and an index is much cheaper
// than a hash for a lookup that every record does. It also stores when each handle's last group
// ended, as long as the table lives: records not after that tick belong to an ended group.
type table struct {
	pages []*page
	n     int
}

type page struct {
	groups [pageSize]*group
	ended  [pageSize]entangle.Tick
	ends   [pageSize / 64]uint64 // bit by handle: ended holds
	lent   *[pageSize]loan       // by handle; nil: nothing is
}

// loan is a copy of what an update needs of a group, in an array by handle, so that a run of updates
// reads few lines of memory. lend makes one only for a group that is known, begins with member 0 and
// has nothing waiting for it. As long as there is a loan, its held is the tick of the replica, and
// that of the group is out of date. table.get writes it back to the group and ends the loan.
type loan struct {
	slot repl.Slot // of member 0; repl.NoSlot: there is no loan
	held entangle.Tick
}

// loansOf returns the places of the loans of a page, and the first of some rising handles that are on
// it. The page is that of the first handle. If it does not exist, no handles are returned.
func (t *table) loansOf(handles []repl.Handle) (loans *[pageSize]loan, page []repl.Handle) {
	first := handles[0]
	at := int(first / pageSize)
	if at >= len(t.pages) || t.pages[at] == nil {
		return nil, nil
	}
	n, end := min(len(handles), pageSize-int(first%pageSize)), first|(pageSize-1)
	if handles[n-1] > end { // they have gaps
		n, _ = slices.BinarySearch(handles[:n], end+1)
	}
	p := t.pages[at]
	if p.lent == nil {
		p.lent = new([pageSize]loan)
		for i := range p.lent {
			p.lent[i].slot = repl.NoSlot
		}
	}
	return p.lent, handles[:n]
}

// lend makes a loan of a handle's group, if it is one that can be lent.
func (t *table) lend(h repl.Handle) bool {
	p, i := t.pages[h/pageSize], h%pageSize
	g := p.groups[i]
	if g == nil || !g.known || !g.leads() || len(g.waits) > 0 {
		return false
	}
	p.lent[i] = loan{slot: g.members[0].slot, held: g.held}
	return true
}

// regain ends a loan.
func (p *page) regain(i repl.Handle) {
	p.groups[i].held = p.lent[i].held
	p.lent[i].slot = repl.NoSlot
}

// get returns a group, or nil.
func (t *table) get(h repl.Handle) *group {
	at := int(h / pageSize)
	if at >= len(t.pages) || t.pages[at] == nil {
		return nil
	}
	p, i := t.pages[at], h%pageSize
	if p.lent != nil && p.lent[i].slot != repl.NoSlot {
		p.regain(i)
	}
	return p.groups[i]
}

// put adds a group. Its handle must be free and below 2 * repl.Private.
func (t *table) put(g *group) {
	at := int(g.handle / pageSize)
	if missing := at + 1 - len(t.pages); missing > 0 {
		t.pages = append(t.pages, make([]*page, missing)...)
	}
	if t.pages[at] == nil {
		t.pages[at] = new(page)
	}
	t.pages[at].groups[g.handle%pageSize] = g
	t.n++
}

// removeGroup takes a group out that is there.
func (t *table) removeGroup(g *group) {
	t.pages[g.handle/pageSize].groups[g.handle%pageSize] = nil
	t.n--
}

// end notes the end of a handle's group, which is there.
func (t *table) end(h repl.Handle, tick entangle.Tick) {
	p, i := t.pages[h/pageSize], h%pageSize
	p.ended[i] = tick
	p.ends[i/64] |= 1 << (i % 64)
}

// ended returns when a handle's last group ended, if one did.
func (t *table) ended(h repl.Handle) (tick entangle.Tick, ok bool) {
	at := int(h / pageSize)
	if at >= len(t.pages) || t.pages[at] == nil {
		return 0, false
	}
	p, i := t.pages[at], h%pageSize
	return p.ended[i], p.ends[i/64]&(1<<(i%64)) != 0
}

// met reports whether a group has reached a tick, or has ended at it or later. A met need stays
// met.
func (t *table) met(need repl.Need) bool {
	if g := t.get(need.Group); g != nil && g.known && !g.held.Before(need.Tick) {
		return true
	}
	ended, ok := t.ended(need.Group)
	return ok && !ended.Before(need.Tick)
}

// Unmet returns needs without the met ones at the end: none if all are met. An unmet need stays
// last, so that the next look ends there. It implements confirm.Replica.
func (t *table) Unmet(needs []repl.Need) []repl.Need {
	n := len(needs)
	for n > 0 && t.met(needs[n-1]) {
		n--
	}
	return needs[:n]
}

// each calls f for every group, by rising handle. f may drop the group.
func (t *table) each(f func(*group)) {
	for at, p := range t.pages {
		if p == nil {
			continue
		}
		for i := range repl.Handle(pageSize) {
			if g := t.get(repl.Handle(at)*pageSize + i); g != nil {
				f(g)
			}
		}
	}
}
