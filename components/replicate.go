package components

// Replicate makes an entity appear on every client, with all of its components
// that are registered, and keeps it equal there until it is gone. Put it on at
// once or later.
//
// Taking it off pauses: the entity stays on the clients as it was last sent, and
// nothing more of it is sent, not its despawn either. Putting it on again catches
// up and makes no second one.
type Replicate struct {
	_ uint8 // rows of entities are found by the address of this component, so it has one
}

// Remote is on every entity that the network writes and this process does not
// simulate: on a client the entities that the server replicates to it. The
// plugin sets it and takes it off; games only ask for it, in filters.
//
// A movement system that is shared by server and client filters without Remote,
// so that it keeps off what arrives. What the game itself writes to such an entity
// stays until the server changes that component; one that it removes is gone for
// good:
//
//	generic.NewFilter2[Position, Velocity]().Without(generic.T[components.Remote]())
type Remote struct{}
