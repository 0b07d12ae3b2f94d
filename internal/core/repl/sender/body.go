package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// bodyKey selects the contents of a body of a group. Peers with equivalent keys get the same bits.
type bodyKey struct {
	kind   repl.Kind
	view   view.ID
	base   entangle.Tick // values that changed after it; of a Change or Update
	prev   uint8         // how far the base before that is; of an Update
	shaped entangle.Tick // structure that changed after it; of a Change
	// anew: of a Full for a peer that was sent the group before, and may have applied less than it
	// acknowledged. It names all entities that moved to other groups.
	anew bool
	// whole: of a Full for a peer that asked for it. It is told of paused members as they were, too,
	// if they were there as of a tick: it may have missed that.
	whole bool
	// reader is set for a group with leavers that its reader does not see where they went: the body is for that
	// peer alone.
	reader Reader
	// retained: nothing is told but which of the members that were there as of a tick have left,
	// and what its reader loses by going from the view to another.
	retained bool
	to       view.ID
	asOf     entangle.Tick // of retained and whole
	// hidden is the tick since which the group is hidden from its reader, which was not sent that; of
	// a Gone. Where it is not hidden it is the present one.
	hidden entangle.Tick
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
func (w *World) beginRecord() {
	w.bodies.sets = repl.SetList{}
	if w.differ != nil {
		w.differ.BeginRecord()
	}
}

// updateKey selects the contents of a chunk.
func (w *World) updateKey(from repl.From, view view.ID) bodyKey {
	return bodyKey{kind: repl.Update, view: view, base: from.Base, prev: from.Prev, shaped: w.state.Tick, hidden: w.state.Tick}
}

// from is what an update starts from.
func (k *bodyKey) from() repl.From {
	return repl.From{Base: k.base, Prev: k.prev}
}

// body is one encoded body and the slots that it refers to.
type body struct {
	key    bodyKey
	bases  group.Span // of bases that it serves as well
	shapes group.Span // of shaped ticks that it serves as well
	hidden group.Span // of hidden ticks that it serves as well
	off    int
	width  int // bits
	refs   int // where its slots start
	nrefs  int
	some   bool  // it has a value
	news   bool  // it has a change of structure
	prefix int   // bits before the values of its last member
	next   int32 // the group's body before it, 1 more than its number
}

// loses returns the components that the reader is to lose of an entity which it keeps in a group that the entity
// left.
func (k *bodyKey) loses(id ident.Group) (comps set.Mask) {
	if k.reader != nil {
		comps = k.reader.Loses(id)
	}
	return comps
}

// serves reports whether the body is what a key asks for.
func (b *body) serves(key *bodyKey) bool {
	return b.key.kind == key.kind && b.key.view == key.view && b.key.reader == key.reader && b.key.prev == key.prev &&
		b.key.anew == key.anew && b.key.whole == key.whole &&
		b.key.retained == key.retained && b.key.to == key.to && b.key.asOf == key.asOf &&
		b.bases.Contains(key.base) && b.shapes.Contains(key.shaped) && b.hidden.Contains(key.hidden)
}

// bodies holds the encoded bodies of the present tick, found by group and key.
type bodies struct {
	list  []body
	first []int32 // by group: 1 + index into list, 0 for none
	used  []ident.Group
	arena []byte
	slots []repl.Slot

	w    bits.Writer
	buf  []byte
	refs repl.RefTable
	here body // being encoded
	sets repl.SetList
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

func (b *bodies) find(id ident.Group, key *bodyKey) *body {
	for i := b.first[id]; i != 0; i = b.list[i-1].next {
		if b.list[i-1].serves(key) {
			return &b.list[i-1]
		}
	}
	return nil
}

// add stores the body just written to b.w.
func (b *bodies) add(id ident.Group) *body {
	made := &b.here
	made.width = b.w.LenBits()
	b.buf = b.w.Finish()
	made.off, made.refs, made.nrefs, made.next = len(b.arena), len(b.slots), len(b.refs.Slots()), b.first[id]
	if b.first[id] == 0 {
		b.used = append(b.used, id)
	}
	b.list = append(b.list, *made)
	b.first[id] = int32(len(b.list))
	b.arena = append(b.arena, b.buf...)
	b.slots = append(b.slots, b.refs.Slots()...)
	return &b.list[len(b.list)-1]
}

func (b *bodies) bytes(of *body) []byte {
	return b.arena[of.off : of.off+(of.width+7)/8]
}

func (b *bodies) slotsOf(of *body) []repl.Slot {
	return b.slots[of.refs : of.refs+of.nrefs]
}

// body returns the body of a group by key, encoded on first need.
func (w *World) body(id ident.Group, key bodyKey) *body {
	if !w.unshared {
		if have := w.bodies.find(id, &key); have != nil {
			return have
		}
	}
	w.bodiesMade++
	b := &w.bodies
	b.w.Reset(b.buf[:0])
	b.refs.Reset()
	w.beginRecord()
	b.here = body{key: key, bases: group.AllTime(w.state.Tick), shapes: group.AllTime(w.state.Tick), hidden: group.AllTime(w.state.Tick)}
	w.encode(id)
	return b.add(id)
}
