package repl

import "github.com/entangle-ecs/entangle"

// Handle names a group between one sender and its peers, in one of two spaces.
// Public handles, below Private, are equal for all peers: of groups that everybody
// may see. Private ones are each peer's own, so that they say nothing of groups
// that it does not see. Both are dense. A handle is reused when every peer that has
// it acknowledged the group's end, and no entity that was born under it is alive:
// under the next [Generation].
type Handle uint32

// Generation counts how often a handle was given to a group before: public ones by the world, and
// private ones at each peer, which counts only groups that the peer was sent. So a reference never
// leads to another entity than the one that it was written for, however late it arrives.
type Generation uint32

// MaxGeneration is the last generation of a handle, which is never reused after it.
const MaxGeneration = 1 << 28

// Private is the first private handle.
const Private Handle = MaxGroups

// Private reports whether h is of the peer's own space.
func (h Handle) Private() bool { return h >= Private }

// EndOfHandles is the first number above all handles, of either space.
const EndOfHandles = Private + MaxGroups

// Member numbers an entity within its group.
type Member uint16

// ID names an entity on the wire, for as long as it lives: by the group that it was
// first in and its number there. It keeps both when it moves to another group,
// which gives it a number of its own as well. No other entity ever has the same ID.
type ID struct {
	Group      Handle
	Generation Generation
	Member     Member
}

// Slot is the dense number that an entity has on this side, for columns. It
// never travels.
type Slot uint32

// NoSlot stands for an entity that this side does not have.
const NoSlot = ^Slot(0)

// MaxActionsInFlight bounds the actions of a group to one peer, from the oldest that it has not acknowledged on, and
// with that the actions of the group that may wait there. Further changes of structure coalesce until an
// acknowledgement arrives. So a group of which structure changes in each tick is sent four times per round trip.
const MaxActionsInFlight = 4

// MaxGroups bounds the groups of one sender in each space, and so the handles that
// a receiver accepts. It is far above what a tick can move, and small enough that
// the columns of a peer stay below 32 MiB.
const MaxGroups = 1 << 20

// MaxMembers bounds the entities of one group.
const MaxMembers = 1 << 12

// MaxGroupBytes bounds the message of one record: the longest that a channel
// carries. A group that needs more is reported by its sender and not sent: no peer
// should have to hold more for one update.
const MaxGroupBytes = 64 << 10

// MaxUpdateBytes is the most bytes of updates that one packet can hold: a payload less the headers
// of the packet and of the frame. Larger records travel as actions, in fragments.
const MaxUpdateBytes = entangle.MaxPayload - 13 - 3
