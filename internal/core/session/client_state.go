package session

// State is the state of a client. The numbers are those of the standard: negative ones are
// failures, of which the player should be informed, and positive ones are stages of the connection.
type State int8

// States of a client.
const (
	// StateTokenExpired means that the token expired before the client was connected.
	StateTokenExpired State = iota - 6
	// StateInvalidToken means that the bytes are not a token.
	StateInvalidToken
	// StateTimedOut means that a connected client received no packets for the timeout.
	StateTimedOut
	// StateResponseTimedOut means that the client was challenged, but its response was not
	// answered.
	StateResponseTimedOut
	// StateRequestTimedOut means that the requests were not answered.
	StateRequestTimedOut
	// StateDenied means that the server had no free slot.
	StateDenied
	// StateDisconnected means that the client is not connected yet, or that either side ended the
	// connection.
	StateDisconnected
	// StateRequesting means that the client sends connection requests.
	StateRequesting
	// StateResponding means that the client was challenged and sends its response.
	StateResponding
	// StateConnected means that payloads can be sent in both directions.
	StateConnected
)

// Connecting reports whether the client is connecting.
func (s State) Connecting() bool { return s == StateRequesting || s == StateResponding }

// String returns the state in a few lower-case words.
func (s State) String() string {
	if s < StateTokenExpired || s > StateConnected {
		return "unknown"
	}
	return stateNames[s-StateTokenExpired]
}

var stateNames = [...]string{
	"token expired", "invalid token", "timed out", "response timed out",
	"request timed out", "denied", "disconnected", "requesting", "responding", "connected",
}

// stateReasons are the reasons of final states. The others have ReasonNone.
var stateReasons = map[State]Reason{
	StateTokenExpired: ReasonTokenExpired, StateInvalidToken: ReasonTokenInvalid,
	StateTimedOut: ReasonTimedOut, StateResponseTimedOut: ReasonResponseTimedOut,
	StateRequestTimedOut: ReasonRequestTimedOut, StateDenied: ReasonDenied,
}
