package components

// Replicate makes an entity appear on the clients of its Target, with all of its registered
// components, and keeps it equal there until it is removed. Add it when the entity is created or
// later, and change it at any time.
//
// Removing it pauses the entity: it stays on the clients with the last state that arrived, and nothing
// more of it is sent, not even a despawn in the same tick; only a parent that is removed in the same
// tick despawns, with its children. Values whose packet was lost just before the pause are not sent
// again. Adding Replicate again sends what has changed, to the same replica. To despawn an entity on
// the clients and keep it on the server, set Target to Nobody.
//
// A child in a hierarchy needs no Replicate: while its parent is replicated, the plugin adds one
// with zero fields to the child, and removes it later. In the Replicate of a child, a Relevance,
// Priority, SendEvery or MaxAge of 0 means the value of the parent. A Replicate that the plugin added
// stays the plugin's when the game changes its fields: it is paused with the parent, is removed below
// NoReplicateChildren, and comes back with the game's fields. It becomes the game's when the game
// removes it and adds one.
//
// A child that loses its parent keeps the plugin's Replicate, and the limits on which clients see it,
// until the game changes any field of the Replicate (an equal value is no change) or replaces it. If
// the child gets another parent after such a change and loses that, the new limits apply; see ChildOf.
type Replicate struct {
	// Target is the set of clients that get the entity; the zero value is Everyone, and for a child
	// in a hierarchy the clients that get its parent. The entity despawns on clients that leave the
	// target, and appears on clients that enter it.
	Target Target

	// Predict is the set of clients, among those of the Target, that predict the entity: they
	// compute it ahead of the server, with the same systems, and it has components.Predicted there.
	// The zero value is Nobody, and for a child in a hierarchy the clients that predict its parent.
	Predict Target

	// Interpolate is the set of clients, among those of the Target, that show the entity in the
	// past, smoothly between the values that arrive: it has Interpolated there. Where a client
	// predicts the entity, Predict wins, so that Predict: Owner, Interpolate: Everyone is the same
	// for every player. The zero value is Nobody, and for a child in a hierarchy the clients that
	// interpolate its parent.
	Interpolate Target

	// Group joins the entity with all others of the same group: on a client they are always
	// as they were on the server at one tick. It may be changed at any time; the entity then
	// moves to the other group as it is. Zero is a group of its own. A child is always in
	// the group of its parent.
	Group Group

	// Relevance says whether all clients of the Target see the entity, or only those that it
	// matters to; see Relevance. A group is shown as a whole or not at all: a client sees it if one
	// of its entities is for that client and matters to it. An entity with Always matters to all
	// clients. For a child, Always means the Relevance of its parent. So a child cannot be Always below
	// a parent with ByInterest; one Always member would show the whole group to all clients.
	Relevance Relevance

	// Priority is the share of a group under a byte cap, relative to others: of two that change
	// constantly, one of priority 10 is sent twice as often as one of priority 5. It has no effect
	// while the cap allows sending everything. 0 means 1. A group has the highest priority of its
	// entities.
	Priority float32

	// SendEvery is the least number of ticks between two updates of the group; changes in between
	// are sent with the next. It does not delay entities and components that appear or vanish,
	// resends, updates that did not fit into their tick, and updates for a client that predicts the
	// group. 0 means 1. A group has the lowest value of its entities.
	SendEvery uint16

	// MaxAge is the greatest number of ticks that a change of the group may wait under a byte cap.
	// Groups near their bound are sent first; if the bound cannot be kept because of the cap, or of
	// the limit of 256 packets per client and tick, the server raises plugin.BoundExceeded and
	// counts it. 0 means no bound. A group has the lowest bound of its entities.
	MaxAge uint16
}

// Group identifies entities that arrive together. The game chooses the number, which has no other
// meaning; zero is a group of one.
//
// A group is sent as a whole or not at all, so group entities that must never be seen at different
// ticks, such as the parts of one body, and no others. A client that sees a part of a group can tell
// that there are more entities in it, but nothing about them: secrets belong in groups of their own.
// A group has at most 4,096 entities and 64 KiB of values. Any further entities are shown and hidden
// with the group, but sent one by one.
type Group uint32

// Remote is on every entity that the network writes and this process does not simulate: on a client,
// the replicated entities of the server. The plugin adds and removes it; games only use it in
// filters. Its contents belong to the plugin: never copy it from one entity to another, or updates
// can go to the wrong one. ClientConfig.Strict reports a system that does.
//
// A movement system that is shared by server and client filters without Remote, so that it does not
// move replicated entities. A value that the game writes to such an entity stays until the server
// changes that component; a component that it removes is not restored:
//
//	generic.NewFilter2[Position, Velocity]().Without(generic.T[components.Remote]())
type Remote struct {
	_ [2]uint32 // the entity itself, by which the plugin finds its state
}
