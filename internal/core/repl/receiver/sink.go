package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Sink is the world that the copy is made in. All calls between Begin and Commit
// belong to one group at one tick: nobody else may see the group in between, and
// Discard must leave the world as it was at Begin.
type Sink interface {
	Begin(tick entangle.Tick)
	// Spawn makes a new entity without components. It has no values yet, but
	// references may already point at it. All entities that a record brings are
	// there before the first value of that record is read.
	Spawn(id repl.ID) repl.Slot
	// Member says which entity the following calls are about. whole: it will
	// have the components that are named now, and no others.
	Member(slot repl.Slot, whole bool)
	// Remove takes a component off; one that is not there is no error.
	Remove(comp int)
	// Insert reads the value of a component, which is added if it is not there.
	Insert(r *bits.Reader, comp int, refs Refs) error
	// Update reads the value of a component that must be there.
	Update(r *bits.Reader, comp int, refs Refs) error
	Despawn(slot repl.Slot)
	// LetGo says that nothing more will come of an entity, which stays as it is.
	LetGo(slot repl.Slot)
	Commit()
	Discard()

	// Skip reads past a value, at any time.
	Skip(r *bits.Reader, comp int) error
}

// Updater is a Sink that takes the values of one entity in one call, which is
// what most records are. It saves the calls that a record is made of otherwise.
type Updater interface {
	Sink
	// UpdateAll does what Begin, Member, Update of each component in the set, by
	// rising number, and Commit do. With an error it leaves the world alone.
	UpdateAll(slot repl.Slot, tick entangle.Tick, set *repl.Mask, r *bits.Reader, refs Refs) error
}

// RunUpdater is an Updater that takes several records of a run in one call, as long
// as they are alike, which is what most runs are.
type RunUpdater interface {
	Updater
	// RunLength returns how many of the records that come next, each behind the head
	// that like names, UpdateRun would take. It may count fewer than there are.
	RunLength(like *Alike, r *bits.Reader) int
	// UpdateRun does for one slot after the other what UpdateAll does, for no more
	// of them than RunLength counted, and returns how many records it applied. It
	// stops before the head of one that it leaves to UpdateAll; the error is that of
	// the record behind those that it applied.
	UpdateRun(slots []repl.Slot, like *Alike, r *bits.Reader) (n int, err error)
}

// Alike is what records have in common that come one right after the other.
type Alike struct {
	Tick entangle.Tick
	Set  repl.Mask // their components
	// Head is what stands before the values of each, in HeadBits bits.
	Head     uint64
	HeadBits uint
}

// Renewer is a Sink that is told when who comes has a name that others may have had before:
// whatever refers to it by a record from before a tick is to one who is gone, and does not come.
type Renewer interface {
	// Renew says it of the entity that is to spawn next.
	Renew(id repl.ID, since entangle.Tick)
	// RenewAll says it of all names of a handle.
	RenewAll(h repl.Handle, since entangle.Tick)
}

// Differ is a Sink of components of which updates hold differences: from the value that
// it had when the copy of its group was at the base.
type Differ interface {
	Sink
	// Deltas returns those components.
	Deltas() repl.Mask
	// From says what all calls are about until the next From.
	From(m *Moment)
}

// Learner is a Differ of components whose differences may be written with codes that the
// sender learned, and tells.
type Learner interface {
	Differ
	// Learns reports whether there are any.
	Learns() bool
	// Learn keeps the codes of a table at a place, in place of those that were there. What
	// the table does not tell is as it is at the place over; 0: it tells all. With an error,
	// for what no sender writes, nothing has changed. The table is valid until it returns.
	Learn(table []byte, at, over uint8) error
}

// Moment is where a record starts and leads to.
type Moment struct {
	Tick entangle.Tick
	// Differs: values of Deltas are differences.
	Differs bool
	repl.From
	// Held is the tick that the copy of the group is at before the record; Known: there
	// is one.
	Held  entangle.Tick
	Known bool
}

// Refs resolves the references of a body.
type Refs interface {
	// At returns what an index of the body stands for. It is not ok for an index
	// that the body's table does not hold.
	At(index uint32) (to Target, ok bool)
}

// Target is what a reference is to.
type Target struct {
	// Slot is the entity's, or repl.NoSlot for index 0 and for an entity that this
	// side does not have.
	Slot repl.Slot
	// Late: the entity has not come yet. If it does, Spawn is called with ID.
	Late bool
	ID   repl.ID
}

// Bounded is a Sink that holds only so many entities at a time.
type Bounded interface {
	Sink
	// Most returns how many. The receiver takes in as many groups at most, for there may be
	// some without members.
	Most() int
	// Full reports whether it holds so many: Spawn is not called then.
	Full() bool
}

// Own finds entities of this side's own id space, for references that point
// back to what was sent. A receiver without one has none of them.
type Own interface {
	Slot(id repl.ID) (repl.Slot, bool)
}
