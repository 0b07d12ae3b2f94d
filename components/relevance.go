package components

// Relevance says whether interest decides which clients are shown an entity. It never
// shows more than the Target.
//
// An entity of interest is shown to a client that it matters to. Of what says so, the
// first that says anything counts:
//
//  1. what the game says of the client and the entity (plugin.Relevance);
//  2. the client controls the entity (ControlledBy);
//  3. both are in a room together (plugin.Rooms);
//  4. one of the client's viewers has it in sight (Viewer, plugin.Grid).
//
// Without any it is not shown.
type Relevance uint8

const (
	// Always is the zero value: all clients of the Target are shown the entity.
	Always Relevance = iota

	// ByInterest shows it to those that it matters to. For the others it despawns.
	ByInterest

	// Retained shows it likewise, but leaves it where it was shown once: it stays there
	// as it was last seen, nothing more of it is sent, and its end is still told. To
	// whom it matters again, it is shown as it is then. Where the Target takes it away,
	// it despawns.
	Retained
)

// String returns the constant's name.
func (r Relevance) String() string {
	return [...]string{"Always", "ByInterest", "Retained", "Relevance(invalid)"}[min(r, Retained+1)]
}

// Room relates clients to entities that matter to them, such as those of one map, match
// or chat; see plugin.Rooms. The number is the game's to choose, below 2^31. Zero is no
// room.
type Room uint32

// Viewer makes an entity see for others: what a plugin.Grid finds within its Radius
// matters to the client that controls the entity (ControlledBy), or with a Room to all
// clients in that. A client sees what any of its viewers sees: fog of war.
type Viewer struct {
	// Radius is how far it sees, in the grid's units of length. 0 is the grid's own.
	Radius float32

	// Room is for whom it sees. 0 is the client that controls the entity.
	Room Room
}
