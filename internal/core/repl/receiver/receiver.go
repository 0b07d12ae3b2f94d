package receiver

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

var (
	// ErrMalformed means that no sender writes such bytes.
	ErrMalformed = errors.New("receiver: malformed replication bytes")
	// ErrNoRoom means that more structure waits than LimitWaiting allows, which is not sent again.
	ErrNoRoom = errors.New("receiver: more structure waits than there is room for")
	// ErrCrowded means that a peer has more entities, or groups, than the sink
	// holds at a time.
	ErrCrowded = errors.New("receiver: more entities than there is room for")
)

// DefaultWaitingBytes bounds what waits for one sender, updates, actions and units
// together. 4,000 entities that all move and change their components 8 times a second, at a round trip of 14 ticks and
// 30 % loss, need a quarter of it. Updates take at most half of it: one that finds no room is dropped, and sent again.
// Structure is not: where it finds no room the connection ends.
const DefaultWaitingBytes = 4 << 20

// Receiver is the replica of one sender's groups.
type Receiver struct {
	replica replica
	actions actionReader
	updates updateReader
}

// New returns an empty replica for a registry of the given number of components.
func New(sink Sink, comps int) *Receiver {
	r := &Receiver{}
	r.replica.init(sink, comps)
	r.actions.replica, r.updates.replica = &r.replica, &r.replica
	return r
}

// HandleActions applies an action message.
func (r *Receiver) HandleActions(message []byte) error {
	if err := r.actions.read(message); err != nil {
		return err
	}
	return r.finish()
}

// HandleUpdates takes an updates frame of a packet that was sent at tick.
func (r *Receiver) HandleUpdates(tick entangle.Tick, frame []byte) error {
	if err := r.updates.read(tick, frame); err != nil {
		return err
	}
	return r.finish()
}

// finish applies the units that wait for what has arrived.
func (r *Receiver) finish() error {
	if err := r.actions.applyUnits(); err != nil {
		return err
	}
	return r.replica.finish()
}

// Continue goes on with the search for units that can be applied, if several calls are needed for it. Call it for each
// packet, whatever it has: after the last message, those units would wait for ever.
func (r *Receiver) Continue() error {
	if len(r.actions.units.waiting) == 0 {
		return nil
	}
	return r.finish()
}

// Reserve prepares for n groups of one entity each, which the sender has announced: their tables need not grow in steps.
func (r *Receiver) Reserve(n int) {
	if s := r.replica.bodies.spawner; s != nil {
		n = min(n, maxReserved, s.Most())
		r.replica.groups.grow(n)
		s.Reserve(n)
	}
}

// maxReserved bounds the memory that a hostile sender can make a receiver reserve: a few MB.
const maxReserved = 1 << 14

// Len returns the number of groups in the replica.
func (r *Receiver) Len() int { return r.replica.groups.len() }

// Slot returns the slot of an entity by its id, whatever group it is in now.
func (r *Receiver) Slot(id repl.ID) (repl.Slot, bool) {
	p, ok := r.replica.entities.locate(id)
	if !ok {
		return repl.NoSlot, false
	}
	return p.slot, true
}

// EndedBy reports whether the last group under a handle ended at a tick or later.
func (r *Receiver) EndedBy(h repl.Handle, tick entangle.Tick) bool {
	return r.replica.groups.endedBy(h, tick)
}

// Held returns the tick of a group's replica.
func (r *Receiver) Held(h repl.Handle) (entangle.Tick, bool) {
	g := r.replica.groups.find(h)
	if g == nil || !g.known {
		return 0, false
	}
	return g.tick, true
}

// ConfirmedTick returns the newest tick that the sender marked and of which everything marked was
// applied. ok is false before the first. The tick only rises.
func (r *Receiver) ConfirmedTick() (tick entangle.Tick, ok bool) { return r.replica.confirmed.Newest() }

// LimitWaiting sets how many bytes of records may wait; at first DefaultWaitingBytes.
func (r *Receiver) LimitWaiting(bytes int) { r.replica.waiting.limit = bytes }

// WaitingLimit returns how many bytes of records may wait.
func (r *Receiver) WaitingLimit() int { return r.replica.waiting.limit }

// WaitingBytes returns the size of the records that wait for one before them; at
// most what LimitWaiting says.
func (r *Receiver) WaitingBytes() int { return r.replica.waiting.bytes }

// Groups appends the handles of the groups that the replica has, by rising handle, for
// tests and inspection.
func (r *Receiver) Groups(dst []repl.Handle) []repl.Handle {
	r.replica.groups.each(func(g *group) {
		if g.known {
			dst = append(dst, g.handle)
		}
	})
	return dst
}

// Members appends the slots of a group's members to dst, by rising number, for tests
// and inspection.
func (r *Receiver) Members(h repl.Handle, dst []repl.Slot) []repl.Slot {
	g := r.replica.groups.find(h)
	if g == nil {
		return dst
	}
	for i := range g.members {
		dst = append(dst, g.members[i].slot)
	}
	return dst
}

// Stats counts what a receiver made of the records it got.
type Stats struct {
	Updates   uint64 // applied
	Actions   uint64 // applied, fulls and ends among them
	Stale     uint64 // dropped: the replica is past them, or the group is no more
	Waited    uint64 // held back until something before them arrives
	Replaced  uint64 // waiting updates dropped for a newer one that serves as well
	Overflow  uint64 // updates dropped because too much waited already
	Abandoned uint64 // entities that left a group to move to another, and that no other took
}

// Stats returns the counters.
func (r *Receiver) Stats() Stats { return *r.replica.stats }

// CountIn makes the receiver count in s from now on, which may have counts of earlier receivers.
func (r *Receiver) CountIn(s *Stats) { r.replica.stats = s }
