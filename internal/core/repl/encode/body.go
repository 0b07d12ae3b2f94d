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

// Key selects the contents of a body of a group. Peers with equivalent keys get the same bits. A field that the kind
// does not use has a fixed value, so that more keys are equivalent.
type Key struct {
	Kind      repl.Kind
	View      view.ID
	Base      entangle.Tick // of a Change or Update: it has the values that changed after this tick
	prev      uint8         // of an Update: number of ticks from the previous baseline to Base
	Structure entangle.Tick // of a Change: it has the structure that changed after this tick
	// Peer makes a body for one peer alone. It is set if a leaver that moved or was orphaned despawns at the peer.
	Peer *group.Peer
	// Retained makes a Change for a retained group. It has only removals: of members that were there as of MembersAsOf and
	// left, and of what NewView hides and View does not.
	Retained    bool
	NewView     view.ID
	MembersAsOf entangle.Tick // for Retained
}

// beginRecord starts the contents of a record.
func (w *Encoder) beginRecord() {
	if w.differ != nil {
		w.differ.BeginRecord()
	}
}

// beginUpdate starts a body of an update. It sets field by field: copying a struct right after its fields were written
// one by one stalls the processor until they are in memory.
func (w *Encoder) beginUpdate(from repl.From, view view.ID) {
	b, now := &w.Bodies.current, w.state.Tick
	*b = Body{}
	b.key.Kind, b.key.View, b.key.Base, b.key.prev = repl.Update, view, from.Base, from.Prev
	b.key.Structure = now
	b.bases, b.structures = group.AllTime(now), group.AllTime(now)
}

// from returns the baselines of an update.
func (k *Key) from() repl.From {
	return repl.From{Base: k.Base, Prev: k.prev}
}

// Body is an encoded body. It serves all keys with ticks in its spans.
type Body struct {
	key              Key
	bases            group.Span // of Key.Base
	structures       group.Span // of Key.Structure
	off              int        // first byte in bodies.arena
	Width            int        // bits
	refs             int        // index in bodies.slots of the first entity that it refers to
	RefCount         int
	hasValue         bool     // it has the value of a component
	ChangesStructure bool     // it has a change of structure
	Prefix           int      // number of bits before the values of its last member
	Usual            bool     // a full of one entity that was born in the group, without leavers or references
	Comps            set.Mask // of a usual one
	next             int32    // 1 + index of an older body of the group; 0: none
}

// serves reports whether the body has the contents that a key selects.
func (b *Body) serves(key *Key) bool {
	return b.key.Kind == key.Kind && b.key.View == key.View && b.key.Peer == key.Peer &&
		b.key.Retained == key.Retained && b.key.NewView == key.NewView && b.key.MembersAsOf == key.MembersAsOf &&
		b.bases.Contains(key.Base) && b.structures.Contains(key.Structure)
}

// bodies is the bodies that were encoded in this tick, by group and key, and the state of the one being encoded. Chunks
// are encoded with the same state, and stored in chunks.
type bodies struct {
	list  []Body
	first newest      // body of each group
	arena []byte      // of all bodies
	slots []repl.Slot // to which bodies refer

	w       bits.Writer
	buf     []byte // memory of w
	refs    repl.RefTable
	current Body // the one being encoded
}

// reset forgets the bodies of the last tick.
func (b *bodies) reset(tick entangle.Tick, groups int) {
	b.first.begin(tick, groups)
	b.list, b.arena, b.slots = b.list[:0], b.arena[:0], b.slots[:0]
}

func (b *bodies) find(id ident.GroupIndex, key *Key) *Body {
	for i := b.first.find(id); i != 0; i = b.list[i-1].next {
		if b.list[i-1].serves(key) {
			return &b.list[i-1]
		}
	}
	return nil
}

// store stores the current body with the bits in b.w.
func (b *bodies) store(id ident.GroupIndex) *Body {
	made := &b.current
	made.Width = b.w.LenBits()
	b.buf = b.w.Finish()
	made.off, made.refs, made.RefCount, made.next = len(b.arena), len(b.slots), len(b.refs.Slots()), b.first.find(id)
	b.list = append(b.list, *made)
	b.first.set(id, len(b.list))
	b.arena = append(b.arena, b.buf...)
	b.slots = append(b.slots, b.refs.Slots()...)
	return &b.list[len(b.list)-1]
}

// Bytes returns the bits of a body, in whole bytes.
func (b *bodies) Bytes(of *Body) []byte {
	return b.arena[of.off : of.off+(of.Width+7)/8]
}

// SlotsOf returns the entities to which a body refers.
func (b *bodies) SlotsOf(of *Body) []repl.Slot {
	return b.slots[of.refs : of.refs+of.RefCount]
}

// Body returns the body of a group that a key selects. It encodes the body unless that happened in this tick. The
// pointer is valid until the next call.
func (w *Encoder) Body(id ident.GroupIndex, key Key) *Body {
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
	b.current = Body{key: key, bases: group.AllTime(w.state.Tick), structures: group.AllTime(w.state.Tick)}
	w.encodeBody(id)
	return b.store(id)
}
