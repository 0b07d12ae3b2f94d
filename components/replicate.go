package components

// Replicate makes an entity appear on every client, with all of its components
// that are registered, and keeps it equal there until it is gone. Put it on at
// once or later.
//
// Taking it off pauses: the entity stays on the clients as it was last sent, and
// nothing more of it is sent, not its despawn either. Putting it on again catches
// up and makes no second one.
type Replicate struct {
	// Group joins the entity with all others of the same group: on a client they
	// are at every moment as they were on the server at one tick. It may be changed
	// at any time; the entity then goes over to the other group as it is. Zero is a
	// group of its own.
	Group Group
}

// Group names entities that arrive together. The number is the game's to choose and
// means nothing beyond that; zero stands for a group of one.
//
// A group is sent whole or not at all, so keep together what must never be seen
// torn apart, such as the parts of one body, and nothing else. Its limits are 4,096
// entities and 64 KiB for all their values.
type Group uint32

// Remote is on every entity that the network writes and this process does not
// simulate: on a client the entities that the server replicates to it. The
// plugin sets it and takes it off; games only ask for it, in filters. What it holds is
// the plugin's: never write one entity's over another's.
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
