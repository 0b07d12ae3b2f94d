package group

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
	// Hierarchy is a second kind of name, with numbers of its own.
	Hierarchy uint32
	// Private groups are seen only by the peers that they are shown to, and have a
	// handle of its own at each of them. Others are seen by all.
	Private bool
}

// Alone reports whether it is a group of its own.
func (p Place) Alone() bool { return p.Name == 0 && p.Hierarchy == 0 }

// Group is what all peers share of a group: entities that are always sent together. The fields that a change of a
// value touches come first, so that they are in one cache line; the whole is two.
type Group struct {
	Changed entangle.Tick // newest change of a value or of structure
	Shaped  entangle.Tick // newest change of structure
	Handle  repl.Handle   // of a public group
	Private bool
	Open    bool
	Every   uint16 // ticks from one sending to the next, above 1; else 0 or 1
	// TooLarge: the group's record exceeds repl.MaxGroupBytes. Nothing is sent until its structure
	// changes again.
	TooLarge bool
	// Withheld: the group was too large the last time. Entities that move to it are not visible
	// meanwhile.
	Withheld bool
	numbers  repl.Member
	active   int32    // members that are sent: not Unchanged
	Members  []Member // by rising number

	natives int32          // entities that were born here and live, wherever they are now
	Holders int32          // peers that were sent it and have not acknowledged its end
	Viewers []ident.Viewer // peers that have a handle of this private group, in State.Lists
	Place   Place
	kept    int32    // length of Left when it was last scanned
	Left    []Leaver // members that left, which some peer may not have acknowledged
	queued  bool     // it is in State.tidying
}

// Member is an entity in a group.
type Member struct {
	Slot         repl.Slot
	Number       repl.Member
	movedUnacked bool // it was paused before all peers had acknowledged that it came from another group
	// Whole is the tick from which on it is sent whole to the peers that were last sent the structure of
	// the group before.
	Whole entangle.Tick
	// Joined is when it came: a peer that was sent the structure since then may have it. Whole is later
	// after a pause.
	Joined entangle.Tick
}

// Unchanged reports whether a member is paused and stays as the peers have it. A member whose move some peer has
// not acknowledged is sent as it was before the pause: it would be in no group at that peer otherwise.
func (w *State) Unchanged(m *Member) bool { return w.IsPaused(m.Slot) && !m.movedUnacked }

// Leaver is a former member.
type Leaver struct {
	Slot         repl.Slot // of one that moved, as long as it lives
	Number       repl.Member
	Fate         repl.Fate
	Joined, Left entangle.Tick
	Progress     progress
}

// openGroup makes a group. When no handle is left it is not ok.
func (w *State) openGroup(at Place) (id ident.Group, ok bool) {
	id = ident.Group(len(w.Groups))
	if n := len(w.idle); n > 0 {
		id = w.idle[n-1]
	}
	h := 0
	if !at.Private {
		if h, ok = w.Public.Allocate(id); !ok {
			w.Counts.GroupsRefused++
			return 0, false
		}
		w.Moved.Grow(w.Public.Len())
		w.Reshaped.Grow(w.Public.Len())
	}
	if n := len(w.idle); n > 0 {
		w.idle = w.idle[:n-1]
	} else {
		w.Groups = append(w.Groups, Group{})
	}
	old := &w.Groups[id]
	w.Groups[id] = Group{
		Place: at, Private: at.Private, Handle: repl.Handle(h), Open: true, Changed: w.Tick, Shaped: w.Tick,
		Members: old.Members[:0], Left: old.Left[:0], queued: old.queued,
	}
	w.Live++
	return id, true
}

// closeGroup ends a group without members.
func (w *State) closeGroup(id ident.Group) {
	w.noteChange(id, true)
	gr := &w.Groups[id]
	gr.Open = false
	if !gr.Place.Alone() {
		delete(w.named, gr.Place)
	}
	if !gr.Private {
		w.Moved.Clear(int(gr.Handle))
	}
	w.Live--
	w.freeLater(id)
}

// Release notes that a peer has acknowledged the end of a group.
func (w *State) Release(id ident.Group) {
	w.Groups[id].Holders--
	w.freeLater(id)
}

// freeLater schedules a group to be freed if it has ended everywhere, and no entity that was born in it is alive.
func (w *State) freeLater(id ident.Group) {
	gr := &w.Groups[id]
	if !gr.Open && gr.Holders == 0 && gr.natives == 0 {
		w.unused = append(w.unused, id)
	}
}

// Reclaim frees the groups that are to be freed, except for those that the caller says to keep for now.
func (w *State) Reclaim(keep func(ident.Group) bool) {
	unused := w.unused
	w.unused = w.unused[:0]
	for _, id := range unused {
		if keep(id) {
			w.unused = append(w.unused, id)
			continue
		}
		gr := &w.Groups[id]
		w.Lists.Release(gr.Viewers)
		gr.Viewers = nil
		if !gr.Private {
			w.Public.Free(int(gr.Handle), true)
		}
		for _, l := range gr.Left {
			w.forgetTrail(l.Slot, id)
		}
		gr.Members, gr.Left = fitted(gr.Members[:0]), fitted(gr.Left[:0])
		w.idle = append(w.idle, id)
	}
}

// keptRoom is the number of members, and of leavers, for which a group always keeps its memory: so many leave a
// group in which entities come and go in most ticks, before all peers have acknowledged it.
const keptRoom = 8 * minTidy

// fitted returns a list in an array of at most four times its length, or keptRoom. It is copied
// only after it has become much shorter, so that the cost follows the number of added items.
func fitted[T any](list []T) []T {
	if cap(list) <= max(keptRoom, 4*len(list)) {
		return list
	}
	return append(make([]T, 0, max(keptRoom, 2*len(list))), list...)
}

// SearchNumber returns the index of the member with a number, or the index at which it would be inserted.
func (gr *Group) SearchNumber(n repl.Member) (i int, there bool) {
	return slices.BinarySearchFunc(gr.Members, n, func(m Member, n repl.Member) int { return int(m.Number) - int(n) })
}

// indexOfSlot returns the index of the member with a slot.
func (gr *Group) indexOfSlot(s repl.Slot) int {
	return slices.IndexFunc(gr.Members, func(m Member) bool { return m.Slot == s })
}

// Viewer returns the entry of a peer, given by its number, among the viewers of a private group, or nil.
func (gr *Group) Viewer(peer uint16) *ident.Viewer {
	for i := range gr.Viewers {
		if gr.Viewers[i].Peer() == peer {
			return &gr.Viewers[i]
		}
	}
	return nil
}

// Refuse notes that a group is too large to be sent.
func (w *State) Refuse(id ident.Group) {
	gr := &w.Groups[id]
	gr.TooLarge, gr.Withheld = true, true
	w.Counts.TooLarge++
	if len(w.refused) < maxRefusedHeld && len(gr.Members) > 0 {
		w.refused = append(w.refused, gr.Members[0].Slot)
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

// Alone reports whether a group has one member with number 0, which need not be
// written.
func (gr *Group) Alone() bool { return len(gr.Members) == 1 && gr.Members[0].Number == 0 }
