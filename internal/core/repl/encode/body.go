package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Key selects the contents of a body of a group. Peers with equivalent keys get the same bits.
type Key struct {
	Kind      repl.Kind
	View      view.ID
	Base      entangle.Tick // values that changed after it; of a Change or Update
	prev      uint8         // how far the base before that is; of an Update
	Structure entangle.Tick // structure that changed after it; of a Change
	// AllMoved: of a Full for a peer that was sent the group before, and may have applied less than it
	// acknowledged. It names all entities that moved to other groups.
	AllMoved bool
	// Resync: of a Full for a peer that asked for it. It has the paused members that were there as of AsOf, as they
	// were before the pause: the peer may have missed them.
	Resync bool
	// Reader is set for a group with leavers that its reader does not see where they went: the body is for that
	// peer alone.
	Reader Reader
	// Retained: the body has only the members that left, of those that were there as of AsOf, and the parts that the
	// peer loses by going from View to NewView.
	Retained bool
	NewView  view.ID
	AsOf     entangle.Tick // of Retained and Resync
	// HiddenSince is the tick since which the group is hidden from the peer, which was not sent that; of a Gone. If
	// the group is not hidden it is the present tick.
	HiddenSince entangle.Tick
}

// Reader is a peer, for bodies that no other peer can have.
type Reader interface {
	// Gets reports whether the peer may see an entity where it is now, and can be sent it.
	Gets(s repl.Slot) bool
	// KeepsMoved reports whether the peer keeps an entity in a group that the entity left.
	KeepsMoved(s repl.Slot) bool
	// Loses returns the components that the peer is to lose of the entity that it keeps in a group which the
	// entity left.
	Loses(id ident.Group) set.Mask
}

// Namer returns the network id of an entity at a peer.
type Namer interface{ ID(s repl.Slot) repl.ID }

// beginRecord begins the contents of a record.
func (w *Encoder) beginRecord() {
	w.Bodies.sets = repl.SetList{}
	if w.differ != nil {
		w.differ.BeginRecord()
	}
}

// beginUpdate begins a body with the contents of a chunk. It sets field by field: the copy of a struct
// waits until the fields that were just written one by one are in memory.
func (w *Encoder) beginUpdate(from repl.From, view view.ID) {
	b, now := &w.Bodies.current, w.state.Tick
	*b = Body{}
	b.key.Kind, b.key.View, b.key.Base, b.key.prev = repl.Update, view, from.Base, from.Prev
	b.key.Structure, b.key.HiddenSince = now, now
	b.bases, b.shapes, b.hidden = group.AllTime(now), group.AllTime(now), group.AllTime(now)
}

// from is what an update starts from.
func (k *Key) from() repl.From {
	return repl.From{Base: k.Base, Prev: k.prev}
}

// Body is one encoded body and the slots that it refers to.
type Body struct {
	key              Key
	bases            group.Span // of bases that it serves as well
	shapes           group.Span // of shaped ticks that it serves as well
	hidden           group.Span // of hidden ticks that it serves as well
	off              int
	Width            int // bits
	refs             int // where its slots start
	RefCount         int
	hasValue         bool  // it has a value
	ChangesStructure bool  // it has a change of structure
	Prefix           int   // bits before the values of its last member
	next             int32 // the group's body before it, 1 more than its number
}

// loses returns the components that the reader is to lose of an entity which it keeps in a group that the entity
// left.
func (k *Key) loses(id ident.Group) (comps set.Mask) {
	if k.Reader != nil {
		comps = k.Reader.Loses(id)
	}
	return comps
}

// serves reports whether the body is what a key asks for.
func (b *Body) serves(key *Key) bool {
	return b.key.Kind == key.Kind && b.key.View == key.View && b.key.Reader == key.Reader && b.key.prev == key.prev &&
		b.key.AllMoved == key.AllMoved && b.key.Resync == key.Resync &&
		b.key.Retained == key.Retained && b.key.NewView == key.NewView && b.key.AsOf == key.AsOf &&
		b.bases.Contains(key.Base) && b.shapes.Contains(key.Structure) && b.hidden.Contains(key.HiddenSince)
}

// bodies holds the encoded bodies of the present tick, found by group and key.
type bodies struct {
	list  []Body
	first []int32 // by group: 1 + index into list, 0 for none
	used  []ident.Group
	arena []byte
	slots []repl.Slot

	w       bits.Writer
	buf     []byte
	refs    repl.RefTable
	current Body // being encoded
	sets    repl.SetList
}

func (b *bodies) grow(groups int) {
	for len(b.first) < groups {
		b.first = append(b.first, 0)
	}
}

// reset forgets the bodies of the last tick. Its cost follows their number.
func (b *bodies) reset() {
	for _, id := range b.used {
		b.first[id] = 0
	}
	b.used, b.list, b.arena, b.slots = b.used[:0], b.list[:0], b.arena[:0], b.slots[:0]
}

func (b *bodies) find(id ident.Group, key *Key) *Body {
	for i := b.first[id]; i != 0; i = b.list[i-1].next {
		if b.list[i-1].serves(key) {
			return &b.list[i-1]
		}
	}
	return nil
}

// add stores the body just written to b.w.
func (b *bodies) add(id ident.Group) *Body {
	made := &b.current
	made.Width = b.w.LenBits()
	b.buf = b.w.Finish()
	made.off, made.refs, made.RefCount, made.next = len(b.arena), len(b.slots), len(b.refs.Slots()), b.first[id]
	if b.first[id] == 0 {
		b.used = append(b.used, id)
	}
	b.list = append(b.list, *made)
	b.first[id] = int32(len(b.list))
	b.arena = append(b.arena, b.buf...)
	b.slots = append(b.slots, b.refs.Slots()...)
	return &b.list[len(b.list)-1]
}

func (b *bodies) Bytes(of *Body) []byte {
	return b.arena[of.off : of.off+(of.Width+7)/8]
}

func (b *bodies) SlotsOf(of *Body) []repl.Slot {
	return b.slots[of.refs : of.refs+of.RefCount]
}

// Body returns the body of a group by key, encoded on first need.
func (w *Encoder) Body(id ident.Group, key Key) *Body {
	if !w.Unshared {
		if have := w.Bodies.find(id, &key); have != nil {
			return have
		}
	}
	w.BodiesMade++
	b := &w.Bodies
	b.w.Reset(b.buf[:0])
	b.refs.Reset()
	w.beginRecord()
	b.current = Body{key: key, bases: group.AllTime(w.state.Tick), shapes: group.AllTime(w.state.Tick), hidden: group.AllTime(w.state.Tick)}
	w.encode(id)
	return b.add(id)
}
