package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// group is the replica of one group.
type group struct {
	state
	handle repl.Handle
	// generation of the handle, as of the last full.
	generation repl.Generation
	asked      bool     // a full was requested and has not arrived yet
	needy      bool     // it is in the list of groups that may wait for others
	newest     newest   // the newest action that arrived
	passed     uint64   // bit by place behind the last applied: an action that found no room
	planned    int      // its place in the current plan, from 1; 0: it is in none
	inPool     int      // its place in pool.groups, from 1; 0: nothing waits for it
	members    []member // by rising number
	waits      []*waiting
}

// state is the state of a group that decides which records can follow.
type state struct {
	known bool          // its full was applied
	at    int64         // place of the last action applied or passed over
	held  entangle.Tick // the tick of the replica
}

// newest is the place and tick of an action.
type newest struct {
	at   int64
	tick entangle.Tick
}

// advance goes on to a place.
func (g *group) advance(at int64) {
	g.passed >>= max(at-g.at, 0)
	g.at = at
}

// bit returns the bit of passed for a place ahead, or 0 if the place has none.
func (g *group) bit(at int64) uint64 {
	if at <= g.at {
		return 0
	}
	return 1 << (at - g.at - 1)
}

// member is one entity of a group.
type member struct {
	slot   repl.Slot
	id     repl.ID
	number repl.Member
	mark   mark
}

// mark is the current record's statement on a member.
type mark uint8

const (
	unmarked mark = iota
	stated        // it is in the group, as of this record
	leaving       // and above: it is not, with its fate added
)

// member returns a member by its number, or nil. Numbers are usually dense, and then a member's
// place is its number.
func (g *group) member(number repl.Member) *member {
	i := int(number)
	if i >= len(g.members) || g.members[i].number != number {
		var found bool
		if i, found = g.search(number); !found {
			return nil
		}
	}
	return &g.members[i]
}

// search returns where a number is or belongs: never behind the place that it has
// if there is no gap.
func (g *group) search(number repl.Member) (at int, found bool) {
	low, high := 0, min(len(g.members), int(number)+1)
	for low < high {
		mid := (low + high) / 2
		if g.members[mid].number < number {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(g.members) && g.members[low].number == number
}

// insert adds a member, the number of which must be free.
func (g *group) insert(m member) {
	at, _ := g.search(m.number)
	g.members = slices.Insert(g.members, at, m)
}

// removeMember removes an existing member.
func (g *group) removeMember(number repl.Member) {
	at, _ := g.search(number)
	g.members = slices.Delete(g.members, at, at+1)
}

// maxStrangers bounds the groups for which records arrived but no full did: as many fulls of eight
// bytes as a sender has in flight. Updates find room up to that, changes and ends up to twice as
// many, and a full up to three times.
const maxStrangers = 64 << 10 / 8

// groupFor returns a record's group, and makes it if it is new; nil if there is no room for it.
func (r *Receiver) groupFor(rec *record) *group {
	if g := r.groups.get(rec.Group); g != nil {
		return g
	}
	room := maxStrangers
	switch rec.Kind {
	case repl.Update:
	case repl.Full:
		room *= 3
	default:
		room *= 2 // updates, of which many come early, take no room from it
	}
	if r.strangers >= room && !r.sweep(rec.Tick, room) {
		return nil
	}
	g := r.fresh()
	g.handle = rec.Group
	r.groups.put(g)
	r.strangers++
	return g
}

// crowded reports whether a record's new group exceeds the limit. Of groups without a full there
// may be maxStrangers more.
func (r *Receiver) crowded(rec *record) bool {
	return r.bounded != nil && rec.Kind == repl.Full && r.Len() >= r.bounded.Most()
}

// fresh returns an empty group.
func (r *Receiver) fresh() *group {
	n := len(r.spare)
	if n == 0 {
		return new(group)
	}
	g := r.spare[n-1]
	r.spare = r.spare[:n-1]
	*g = group{members: g.members[:0], waits: g.waits[:0]}
	return g
}

// patience is the number of ticks that a record may wait for an earlier one, and an entity for a
// group that takes it. After that the earlier one is not expected to arrive: actions are resent
// many times a second.
const patience = 256

// sweep forgets groups without a full, except for those with a full that has arrived and waits for
// another group. It reports whether there is room now.
func (r *Receiver) sweep(now entangle.Tick, room int) bool {
	if now.Sub(r.swept) < patience/4 && r.swept != 0 {
		return false
	}
	r.swept = now
	r.groups.each(func(g *group) {
		if !g.known && !g.holdsFull() && (len(g.waits) == 0 || now.Sub(g.waits[len(g.waits)-1].rec.Tick) > patience) {
			r.releaseGroup(g)
		}
	})
	return r.strangers < room
}

// maxSpare bounds the groups and the waiting records that are kept for reuse, and
// maxSpareMembers the memory of each group.
const (
	maxSpare        = 1 << 10
	maxSpareMembers = 16
)

// releaseGroup drops a group that has no members.
func (r *Receiver) releaseGroup(g *group) {
	if !g.known {
		r.strangers--
	}
	r.waiting.dropAll(g)
	r.needy.removeGroup(g)
	r.groups.removeGroup(g)
	if len(r.spare) < maxSpare && cap(g.members) <= maxSpareMembers {
		r.spare = append(r.spare, g)
	}
}

// end finishes the end of a group without members. Records of the next group under that
// handle may have arrived already: they wait for its full.
func (r *Receiver) end(g *group, tick entangle.Tick) {
	r.groups.end(g.handle, tick)
	for i := len(g.waits) - 1; i >= 0; i-- {
		if !tick.Before(g.waits[i].rec.Tick) {
			r.waiting.dropWaiting(g, i)
		}
	}
	if len(g.waits) == 0 {
		r.releaseGroup(g)
		return
	}
	if g.known {
		r.strangers++
	}
	g.state, g.asked, g.passed = state{at: g.at}, false, 0
}

// ask requests a group in full, once until the full arrives.
func (r *Receiver) ask(g *group) {
	r.stats.Resyncs++
	if !g.asked {
		g.asked = true
		r.requests.add(g.handle)
	}
}
