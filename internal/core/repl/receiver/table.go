package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/confirm"
)

// pageSize is how many handles share a page. A sender numbers its groups densely
// in either space, so few pages hold them all; handles scattered to do harm cost a
// page each, and all pages of both spaces together 25 MiB, 42 with their caches.
const pageSize = 256

// table finds groups by handle, public and private. Handles are dense, and an index is much cheaper
// than a hash for a lookup that every record does. It also stores when each handle's last group
// ended, as long as the table lives: records not after that tick belong to an ended group.
type table struct {
	pages   []*page
	known   int      // number of groups with a full
	free    []*group // for reuse: all, since those that came together share memory, which one that stays keeps
	fresh   []group  // for new groups of one member
	members []member // memory for those of fresh
	taken   int      // how many of fresh are in use
}

type page struct {
	groups [pageSize]*group
	ended  [pageSize]entangle.Tick
	ends   [pageSize / 64]uint64 // bit by handle: ended is set
	cache  *[pageSize]cached     // by handle; nil: no group of the page is cached
}

// cached is a copy of what an update needs of a group, in an array by handle, so that a run of updates
// reads few lines of memory. cacheGroup makes one only for a group that is known, begins with member 0 and
// has nothing waiting for it. As long as the group is cached, its tick is written here, and that of the group is
// out of date; find writes it back. Without the cache the case receive/pose takes 12 % longer, and
// client/plain 8 %.
type cached struct {
	slot repl.Slot // of member 0; repl.NoSlot: the group is not cached
	tick entangle.Tick
}

// maxFreeMembers bounds the memory for members that a group keeps for reuse.
const maxFreeMembers = 16

// page returns the page of a handle, or nil.
func (t *table) page(h repl.Handle) *page {
	if at := int(h / pageSize); at < len(t.pages) {
		return t.pages[at]
	}
	return nil
}

// cacheOf returns the cache of a page, and the first of some rising handles that are on it. The page is that of the
// first handle. If it does not exist, no handles are returned.
func (t *table) cacheOf(handles []repl.Handle) (cache *[pageSize]cached, page []repl.Handle) {
	first := handles[0]
	p := t.page(first)
	if p == nil {
		return nil, nil
	}
	n, end := min(len(handles), pageSize-int(first%pageSize)), first|(pageSize-1)
	if handles[n-1] > end { // they have gaps
		n, _ = slices.BinarySearch(handles[:n], end+1)
	}
	if p.cache == nil {
		p.cache = new([pageSize]cached)
		for i := range p.cache {
			p.cache[i].slot = repl.NoSlot
		}
	}
	return p.cache, handles[:n]
}

// cacheGroup caches a handle's group, if it is one that can be.
func (t *table) cacheGroup(h repl.Handle) bool {
	p, i := t.pages[h/pageSize], h%pageSize
	g := p.groups[i]
	if g == nil || !g.known || len(g.members) == 0 || g.members[0].number != 0 || len(g.waiting.all()) > 0 {
		return false
	}
	p.cache[i] = cached{slot: g.members[0].slot, tick: g.tick}
	return true
}

// find returns a group, or nil. If the group is cached, it writes the tick back first, and ends that.
func (t *table) find(h repl.Handle) *group {
	p, i := t.page(h), h%pageSize
	if p == nil {
		return nil
	}
	g := p.groups[i]
	if p.cache != nil && p.cache[i].slot != repl.NoSlot {
		g.tick, p.cache[i].slot = p.cache[i].tick, repl.NoSlot
	}
	return g
}

// add adds a group without a full. Its handle must be free and below repl.EndOfHandles.
func (t *table) add(h repl.Handle) *group {
	if missing := int(h/pageSize) + 1 - len(t.pages); missing > 0 {
		t.pages = append(t.pages, make([]*page, missing)...)
	}
	p := &t.pages[h/pageSize]
	if *p == nil {
		*p = new(page)
	}
	g := t.unused()
	g.handle = h
	(*p).groups[h%pageSize] = g
	return g
}

// unused returns a group without members and records.
func (t *table) unused() (g *group) {
	if n := len(t.free); n > 0 {
		g, t.free = t.free[n-1], t.free[:n-1]
		*g = group{members: g.members[:0], waiting: g.waiting}
		return g
	}
	i := t.taken
	if i == len(t.fresh) {
		return &group{}
	}
	t.taken++
	g = &t.fresh[i]
	g.members = t.members[i : i : i+1]
	return g
}

// grow prepares for the addition of n groups of one member, in two pieces of memory.
func (t *table) grow(n int) {
	if n -= len(t.free); n > len(t.fresh)-t.taken {
		t.fresh, t.members, t.taken = make([]group, n), make([]member, n), 0
	}
}

// remove removes a group that is in the table, without members and waiting records.
func (t *table) remove(g *group) {
	t.pages[g.handle/pageSize].groups[g.handle%pageSize] = nil
	if g.known {
		t.known--
	}
	if cap(g.members) > maxFreeMembers {
		g.members = nil
	}
	t.free = append(t.free, g)
}

// len returns the number of groups with a full.
func (t *table) len() int { return t.known }

// setKnown notes that a group has a full.
func (t *table) setKnown(g *group) {
	if !g.known {
		g.known = true
		t.known++
	}
}

// setEnded notes the end of a handle's group, which is there.
func (t *table) setEnded(h repl.Handle, tick entangle.Tick) {
	p, i := t.pages[h/pageSize], h%pageSize
	p.ended[i] = tick
	p.ends[i/64] |= 1 << (i % 64)
}

// endedBy reports whether the last group under a handle ended at a tick or later. A record of that tick
// is then of an ended group.
func (t *table) endedBy(h repl.Handle, tick entangle.Tick) bool {
	p, i := t.page(h), h%pageSize
	return p != nil && p.ends[i/64]&(1<<(i%64)) != 0 && !p.ended[i].Before(tick)
}

// met reports whether a group has reached a tick, or has ended at it or later. A met need stays
// met.
func (t *table) met(need repl.Need) bool {
	g := t.find(need.Group)
	return g != nil && g.known && !g.tick.Before(need.Tick) || t.endedBy(need.Group, need.Tick)
}

// Unmet returns needs without the met ones at the end: none if all are met. An unmet need stays
// last, so that the next search ends there.
func (t *table) Unmet(needs []repl.Need) []repl.Need {
	n := len(needs)
	for n > 0 && t.met(needs[n-1]) {
		n--
	}
	return needs[:n]
}

var _ confirm.Replica = (*table)(nil)

// each calls f for every group, by rising handle. f may remove the group.
func (t *table) each(f func(*group)) {
	for at, p := range t.pages {
		if p == nil {
			continue
		}
		for i := range repl.Handle(pageSize) {
			if g := t.find(repl.Handle(at)*pageSize + i); g != nil {
				f(g)
			}
		}
	}
}
