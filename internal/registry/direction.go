package registry

// Direction is a protocol.Direction. 0 means that none was set.
type Direction uint8

// The directions of package protocol.
const (
	ServerToClient Direction = iota + 1
	ClientToServer
	Bidirectional
)

// String returns the name of the constant.
func (d Direction) String() string {
	return nameOf(d, "Direction", "Direction(0)", "ServerToClient", "ClientToServer", "Bidirectional")
}

// Valid reports whether d is one of the constants.
func (d Direction) Valid() bool { return d >= ServerToClient && d <= Bidirectional }

// SentBy reports whether a server, or a client if server is false, may send in this direction.
func (d Direction) SentBy(server bool) bool {
	if server {
		return d != ClientToServer
	}
	return d != ServerToClient
}

// Within reports whether outer allows every direction that d allows.
func (d Direction) Within(outer Direction) bool { return outer == Bidirectional || d == outer }
