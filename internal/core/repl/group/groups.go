package group

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Place is the key by which a caller chooses the group of an entity: entities with equal places share a group, except
// that without Name and Hierarchy each entity is a group of one.
type Place struct {
	// Name is the number of a group that the game made; 0: none.
	Name uint32
	// Hierarchy is the number of a group that a hierarchy of entities made; 0: none.
	Hierarchy uint32
	// Private groups are visible only to the peers that they are shown to, and have a handle of each of those peers.
	// Public groups are visible to all peers under the same handle.
	Private bool
}

// Alone reports whether an entity at this place is a group of one.
func (p Place) Alone() bool { return p.Name == 0 && p.Hierarchy == 0 }

// Group is the part of a group's state that all peers share. The fields that a changed value touches come first, in
// one cache line. A Group takes two.
type Group struct {
	Changed entangle.Tick // newest change of a value or of structure
	Shaped  entangle.Tick // newest change of structure
	Handle  repl.Handle   // of a public group
	Private bool
	Open    bool   // it has members
	Every   uint16 // interval between updates in ticks; 0 and 1 both mean every tick
	// TooLarge means that the group's record exceeds repl.MaxGroupBytes. Nothing is sent until its structure changes.
	TooLarge bool
	// Withheld means that the group was too large when it was last due. Entities that move to it count as invisible
	// until it is sent.
	Withheld   bool
	nextNumber repl.Member // numbers from here on were never used
	Members    []Member    // by rising number

	natives    int32          // live entities that have this group as their home, in whatever group they are now
	Holders    int32          // peers that were sent it and have not acknowledged its end
	Viewers    []ident.Viewer // peers that have a handle of this private group; memory from State.ViewerLists
	Place      Place
	Left       []Leaver // former members that some peer may still have here, in the order in which they left
	tidyQueued bool     // it is in State.tidy
}

// Member is an entity in a group.
type Member struct {
	Slot       repl.Slot
	Number     repl.Member
	moveUnsent bool // it was paused before every peer was sent its move to this group
	// WholeSince is the tick of its last join or resume: a peer that has older structure of the group is sent the
	// whole member.
	WholeSince entangle.Tick
	// Joined is the tick of its join: a peer that has structure of the group from then on may have the member.
	Joined entangle.Tick
}

// IsFrozen reports whether a member is paused and not sent, so that the peers keep it as it is. A paused member is
// sent, as it was before the pause, if some peer was not sent its move to this group: that peer would have the
// member in no group otherwise.
func (st *State) IsFrozen(m *Member) bool { return st.IsPaused(m.Slot) && !m.moveUnsent }

// Leaver is a former member of a group.
type Leaver struct {
	Slot         repl.Slot // of a moved entity that is alive; else repl.NoSlot
	Number       repl.Member
	Fate         repl.Fate
	Joined, Left entangle.Tick
	Progress     ackProgress
}

// openGroup creates a group without members. ok is false if no public handle is free.
func (st *State) openGroup(at Place) (id ident.GroupIndex, ok bool) {
	id = ident.GroupIndex(len(st.Groups))
	if n := len(st.free.entries); n > 0 {
		id = st.free.entries[n-1]
	}
	h := 0
	if !at.Private {
		if h, ok = st.Public.Allocate(id); !ok {
			st.Counts.GroupsRefused++
			return 0, false
		}
		for _, groups := range [...]*set.Bitset{&st.Open.Public, &st.Changed.Public, &st.Changed.Reshaped} {
			groups.Grow(st.Public.Len())
		}
		st.Open.Public.Set(h)
	}
	if n := len(st.free.entries); n > 0 {
		st.free.entries = st.free.entries[:n-1]
	} else {
		st.Groups = append(st.Groups, Group{})
	}
	old := &st.Groups[id]
	st.Groups[id] = Group{
		Place: at, Private: at.Private, Handle: repl.Handle(h), Open: true, Changed: st.Tick, Shaped: st.Tick,
		Members: old.Members[:0], Left: old.Left[:0], tidyQueued: old.tidyQueued,
	}
	st.Open.Count++
	return id, true
}

// closeGroup ends a group after its last member has left.
func (st *State) closeGroup(id ident.GroupIndex) {
	gr := &st.Groups[id]
	gr.Open = false
	if !gr.Place.Alone() {
		delete(st.named, gr.Place)
	}
	if !gr.Private {
		st.Open.Public.Clear(int(gr.Handle))
	}
	st.Open.Count--
	st.scheduleFree(id)
}

// RemoveHolder records that a peer has acknowledged the end of a group.
func (st *State) RemoveHolder(id ident.GroupIndex) {
	st.Groups[id].Holders--
	st.scheduleFree(id)
}

// scheduleFree schedules a group to be freed with its handles, if it has no members, every peer that was sent it has
// acknowledged its end (Holders), and no native of it is alive in another group. A peer's handle of a private group is free
// earlier if the group has ended or is hidden there, the peer has no native of it in another group, and was sent no
// reference to one (Space.Referred): see sender/retire.go.
func (st *State) scheduleFree(id ident.GroupIndex) {
	gr := &st.Groups[id]
	if !gr.Open && gr.Holders == 0 && gr.natives == 0 {
		st.free.closed = append(st.free.closed, id)
	}
}

// FreeUnused frees the scheduled groups. Those for which keep reports true stay scheduled.
func (st *State) FreeUnused(keep func(ident.GroupIndex) bool) {
	unused := st.free.closed
	st.free.closed = st.free.closed[:0]
	for _, id := range unused {
		if keep(id) {
			st.free.closed = append(st.free.closed, id)
			continue
		}
		gr := &st.Groups[id]
		st.ViewerLists.Release(gr.Viewers)
		gr.Viewers = nil
		if !gr.Private {
			st.Public.Free(int(gr.Handle), true)
		}
		for _, l := range gr.Left {
			st.Trails.forget(l.Slot, id)
			st.forgetDenied(id, &l)
		}
		gr.Members, gr.Left = shrink(gr.Members[:0]), shrink(gr.Left[:0])
		st.free.entries = append(st.free.entries, id)
	}
}

// minKeptCapacity is the capacity up to which a group keeps the memory of its members and of its leavers. About as
// many entities leave a group in which entities come and go in most ticks, before all peers have acknowledged that.
const minKeptCapacity = 128

// shrink returns a list in an array of at most four times its length, or minKeptCapacity. It is copied
// only after it has become much shorter, so that the cost follows the number of added items.
func shrink[T any](list []T) []T {
	if cap(list) <= max(minKeptCapacity, 4*len(list)) {
		return list
	}
	return append(make([]T, 0, max(minKeptCapacity, 2*len(list))), list...)
}

// SearchNumber returns the index of the member with a number, or the index at which to insert it.
func (gr *Group) SearchNumber(n repl.Member) (i int, there bool) {
	return slices.BinarySearchFunc(gr.Members, n, func(m Member, n repl.Member) int { return int(m.Number) - int(n) })
}

// Viewer returns the viewer with a peer index, or nil if the peer has no handle of this private group.
func (gr *Group) Viewer(peer uint16) *ident.Viewer {
	for i := range gr.Viewers {
		if gr.Viewers[i].Peer() == peer {
			return &gr.Viewers[i]
		}
	}
	return nil
}

// MarkTooLarge records that a group is too large to be sent.
func (st *State) MarkTooLarge(id ident.GroupIndex) {
	gr := &st.Groups[id]
	gr.TooLarge, gr.Withheld = true, true
	st.Counts.TooLarge++
	if len(st.refused) < maxRefused && len(gr.Members) > 0 {
		st.refused = append(st.refused, gr.Members[0].Slot)
	}
}

// maxRefused bounds the reports that wait for PollRefused. Counts.TooLarge counts the others too.
const maxRefused = 64

// PollRefused returns an entity of a group that is not sent because it exceeds repl.MaxGroupBytes. Each change of the
// group's structure causes one more report. ok is false when there is none.
func (st *State) PollRefused() (s repl.Slot, ok bool) {
	n := len(st.refused)
	if n == 0 {
		return repl.NoSlot, false
	}
	s = st.refused[n-1]
	st.refused = st.refused[:n-1]
	return s, true
}

// Alone reports whether the group has one member, with number 0. Its records need not state that number.
func (gr *Group) Alone() bool { return len(gr.Members) == 1 && gr.Members[0].Number == 0 }
