package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// Place says which group an entity is in.
type Place struct {
	// Name joins all entities of the same name; zero is a group of its own.
	Name uint32
	// Family is a second kind of name, with numbers of its own.
	Family uint32
	// Private groups are seen only by the peers that they are shown to, and have a
	// handle of its own at each of them. Others are seen by all.
	Private bool
}

// Alone reports whether it is a group of its own.
func (p Place) Alone() bool { return p.Name == 0 && p.Family == 0 }

// group is what all peers share of a group. What a change of value touches comes
// first, so that it lies together: the whole is two lines of the cache.
type group struct {
	changed entangle.Tick // newest change of a value or of structure
	shaped  entangle.Tick // newest change of structure
	handle  repl.Handle   // of a public group
	private bool
	open    bool
	every   uint16 // ticks from one sending to the next, above 1; else 0 or 1
	// tooLarge: the group's record exceeds repl.MaxGroupBytes. Nothing is sent until its structure
	// changes again.
	tooLarge bool
	// withheld: the group was too large the last time. Entities that move to it are not visible
	// meanwhile.
	withheld bool
	numbers  repl.Member
	active   int32    // members that do not rest
	members  []member // by rising number

	natives int32          // entities that were born here and live, wherever they are now
	holders int32          // peers that were sent it and have not acknowledged its end
	viewers []ident.Viewer // peers that have a handle of this private group, in World.lists
	place   Place
	kept    int32    // how many of left there were when they were last looked through
	left    []leaver // those that some peer may not have heard of yet
	queued  bool     // it is in World.tidying
}

// member is an entity in a group.
type member struct {
	slot   repl.Slot
	number repl.Member
	astray bool // it was paused before all peers had heard that it came from elsewhere
	// joined is the tick since which it is stated whole to whoever was last sent
	// the group's structure before it.
	joined entangle.Tick
	// since is when it came: a peer that was last sent the structure since may have it,
	// though it is stated anew after a pause.
	since entangle.Tick
}

// rests reports whether a member is paused and stays as the peers have it. One that is
// astray is stated as it was before, or it would be in no group for those that hear
// only now that it left its last.
func (w *State) rests(m *member) bool { return w.isPaused(m.slot) && !m.astray }

// leaver is a member that is no longer one.
type leaver struct {
	slot         repl.Slot // of one that moved, as long as it lives
	number       repl.Member
	fate         repl.Fate
	joined, left entangle.Tick
	news         news
}

// openGroup makes a group. When no handle is left it is not ok.
func (w *State) openGroup(at Place) (id ident.Group, ok bool) {
	id = ident.Group(len(w.groups))
	if n := len(w.idle); n > 0 {
		id = w.idle[n-1]
	}
	h := 0
	if !at.Private {
		if h, ok = w.public.Take(id); !ok {
			w.counts.GroupsRefused++
			return 0, false
		}
		w.moved.Grow(w.public.Len())
		w.reshaped.Grow(w.public.Len())
	}
	if n := len(w.idle); n > 0 {
		w.idle = w.idle[:n-1]
	} else {
		w.groups = append(w.groups, group{})
	}
	old := &w.groups[id]
	w.groups[id] = group{
		place: at, private: at.Private, handle: repl.Handle(h), open: true, changed: w.tick, shaped: w.tick,
		members: old.members[:0], left: old.left[:0], queued: old.queued,
	}
	w.live++
	return id, true
}

// closeGroup ends a group that has no members any more.
func (w *State) closeGroup(id ident.Group) {
	w.touch(id, true)
	gr := &w.groups[id]
	gr.open = false
	if !gr.place.Alone() {
		delete(w.named, gr.place)
	}
	if !gr.private {
		w.moved.Clear(int(gr.handle))
	}
	w.live--
	w.freeLater(id)
}

// release takes one holder off a group.
func (w *State) release(id ident.Group) {
	w.groups[id].holders--
	w.freeLater(id)
}

// freeLater schedules a group to be freed that has ended everywhere and names nobody any more.
func (w *State) freeLater(id ident.Group) {
	gr := &w.groups[id]
	if !gr.open && gr.holders == 0 && gr.natives == 0 {
		w.unused = append(w.unused, id)
	}
}

// reclaim frees the groups that are to be freed, except for those that the caller says to keep for now.
func (w *State) reclaim(keep func(ident.Group) bool) {
	unused := w.unused
	w.unused = w.unused[:0]
	for _, id := range unused {
		if keep(id) {
			w.unused = append(w.unused, id)
			continue
		}
		gr := &w.groups[id]
		w.lists.Put(gr.viewers)
		gr.viewers = nil
		if !gr.private {
			w.public.Free(int(gr.handle), true)
		}
		for _, l := range gr.left {
			w.forgetTrail(l.slot, id)
		}
		gr.members, gr.left = fitted(gr.members[:0]), fitted(gr.left[:0])
		w.idle = append(w.idle, id)
	}
}

// keptRoom is for how many members, and as many leavers, a group always keeps its memory: as
// many leave one in which entities come and go in most ticks, before all have heard of it.
const keptRoom = 8 * minTidy

// fitted returns a list in an array of at most four times its length, or keptRoom. It is copied
// only after it has become much shorter, so that the cost follows the number of added items.
func fitted[T any](list []T) []T {
	if cap(list) <= max(keptRoom, 4*len(list)) {
		return list
	}
	return append(make([]T, 0, max(keptRoom, 2*len(list))), list...)
}

// searchNumber returns where a number stands among the members, or belongs.
func (gr *group) searchNumber(n repl.Member) (i int, there bool) {
	return slices.BinarySearchFunc(gr.members, n, func(m member, n repl.Member) int { return int(m.number) - int(n) })
}

// indexOfSlot returns where a slot stands among the members.
func (gr *group) indexOfSlot(s repl.Slot) int {
	return slices.IndexFunc(gr.members, func(m member) bool { return m.slot == s })
}

// viewer returns the entry of a peer, given by its number, among the viewers of a private group, or nil.
func (gr *group) viewer(peer uint16) *ident.Viewer {
	for i := range gr.viewers {
		if gr.viewers[i].Peer() == peer {
			return &gr.viewers[i]
		}
	}
	return nil
}

// refuse takes note of a group that is too large to be sent.
func (w *State) refuse(id ident.Group) {
	gr := &w.groups[id]
	gr.tooLarge, gr.withheld = true, true
	w.counts.TooLarge++
	if len(w.refused) < maxRefusedHeld && len(gr.members) > 0 {
		w.refused = append(w.refused, gr.members[0].slot)
	}
}

// maxRefusedHeld bounds the reports that wait for PollRefused; the counter in
// Stats goes on.
const maxRefusedHeld = 64

// PollRefused returns an entity of a group that is not sent because it is larger than
// repl.MaxGroupBytes, once for each change of the group's structure.
func (w *State) PollRefused() (s repl.Slot, ok bool) {
	n := len(w.refused)
	if n == 0 {
		return repl.NoSlot, false
	}
	s = w.refused[n-1]
	w.refused = w.refused[:n-1]
	return s, true
}
