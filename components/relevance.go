package components

// Relevance says whether interest decides which clients see an entity. It never shows more than the
// Target.
//
// An entity with interest is shown to a client if it matters to that client. The first of these that
// applies decides:
//
//  1. the game's setting for the client and the entity (plugin.Relevance);
//  2. the client controls the entity (ControlledBy);
//  3. both are in a room together (plugin.Rooms);
//  4. one of the client's viewers sees it (Viewer, plugin.Grid).
//
// If none of them applies, the entity is not shown.
type Relevance uint8

const (
	// Always is the zero value: the entity is shown to all clients of the Target.
	Always Relevance = iota

	// ByInterest shows the entity to the clients that it matters to. On the other clients it is
	// despawned.
	ByInterest

	// Retained shows the entity like ByInterest. But when the entity no longer matters to a client
	// that was shown it, it stays on that client with the last state that arrived, and only its despawn
	// is still sent. Set Retained and the Group while the entity is shown: if an entity that does not
	// matter changes from Always to Retained, or changes its group, it despawns. When it matters to the
	// client again, it is updated. If the Target excludes the client, it despawns; if an override
	// excludes the client from a component, that is removed.
	Retained
)

// String returns the constant's name.
func (r Relevance) String() string {
	return [...]string{"Always", "ByInterest", "Retained", "Relevance(invalid)"}[min(r, Retained+1)]
}

// Room relates clients to entities that matter to them, such as those of one map, match or chat; see
// plugin.Rooms. The game chooses the number, below 2^31. Zero is no room.
type Room uint32

// Viewer makes an entity a viewer: the entities that a plugin.Grid finds within its Radius matter to
// the client that controls the viewer (ControlledBy), or with a Room to all clients in that room. A
// client sees everything that any of its viewers sees.
type Viewer struct {
	// Radius is how far the viewer sees, in the grid's units of length. 0 stands for the grid's
	// default.
	Radius float32

	// Room is the room of the clients that it sees for. 0 stands for the client that controls the
	// entity.
	Room Room
}
