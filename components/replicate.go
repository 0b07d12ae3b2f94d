package components

// Replicate makes an entity appear on the clients of its Target, with all of its
// components that are registered, and keeps it equal there until it is gone. Put it on
// at once or later, and change it at any time.
//
// Taking it off pauses: the entity stays on the clients as it was last sent, and
// nothing more of it is sent, not its despawn either, be it in the same tick; only a parent
// that is removed in the same tick despawns, with its children. Putting it on
// again catches up and makes no second one. To have it despawn on the clients and live on
// here, set Target to Nobody.
//
// A child in a hierarchy needs none: the plugin puts one of zeros on it, and takes that
// off again, as its parent is replicated. A Relevance, Priority, SendEvery or MaxAge
// of 0 is there the parent's.
type Replicate struct {
	// Target is who gets the entity; the zero value is Everyone, and for a child in a
	// hierarchy whoever gets its parent. Where it is narrowed the entity despawns, where
	// it is widened it appears.
	Target Target

	// Predict is who of those predicts the entity: computes it ahead of the server, with the
	// same systems, and has components.Predicted on it. The zero value is Nobody, and for a
	// child in a hierarchy whoever predicts its parent.
	Predict Target

	// Group joins the entity with all others of the same group: on a client they
	// are at every moment as they were on the server at one tick. It may be changed
	// at any time; the entity then goes over to the other group as it is. Zero is a
	// group of its own. A child is always in the group of its parent.
	Group Group

	// Relevance says whether all clients of the Target are shown the entity, or of those
	// only the ones that it matters to; see Relevance. A group is shown whole or not at
	// all: to a client that one of its entities is for and matters to. One that is Always
	// matters to all.
	Relevance Relevance

	// Priority is the share of a group under a byte cap, relative to others: of two that
	// change all the time, one of priority 10 is sent twice as often as one of priority 5.
	// It means nothing while there is room for all. 0 is 1; a group has the highest of its
	// entities.
	Priority float32

	// SendEvery is how many ticks lie at least between two updates of the group; what
	// changed meanwhile goes with the next. Entities and components that appear or vanish
	// do not wait, nor does what was lost, or found no room in its tick, nor the updates
	// for a client that predicts the group. 0 is 1; a group has the lowest of its entities.
	SendEvery uint16

	// MaxAge bounds, in ticks, how long a change of the group may wait for its turn under
	// a byte cap. Groups near their bound go first; where the cap, or the 256 packets that a
	// client gets in a tick, cannot keep it, the server raises plugin.BoundExceeded and
	// counts it. 0 is no bound; a group has the lowest of its entities that is one.
	MaxAge uint16
}

// Group names entities that arrive together. The number is the game's to choose and
// means nothing beyond that; zero stands for a group of one.
//
// A group is sent whole or not at all, so keep together what must never be seen
// torn apart, such as the parts of one body, and nothing else. A client that may see a
// part of a group can tell that there is more of it, though nothing of what: secrets
// belong in groups of their own. Its limits are 4,096 entities and 64 KiB for all their
// values.
type Group uint32

// Remote is on every entity that the network writes and this process does not
// simulate: on a client the entities that the server replicates to it. The
// plugin sets it and takes it off; games only ask for it, in filters. What it holds is
// the plugin's: never write one entity's over another's, or an update can go to the wrong
// one of the two. ClientConfig.Strict names a system that does.
//
// A movement system that is shared by server and client filters without Remote,
// so that it keeps off what arrives. What the game itself writes to such an entity
// stays until the server changes that component; one that it removes is gone for
// good:
//
//	generic.NewFilter2[Position, Velocity]().Without(generic.T[components.Remote]())
type Remote struct {
	_ [2]uint32 // the entity itself, by which the plugin knows the row
}
