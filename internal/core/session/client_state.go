package session

// State is the state of a client. The numbers are the standard's: negative ones are failures to be shown to the
// player, positive ones are stages of the connection.
type State int8

// States of a client.
const (
	// StateTokenExpired: the token's life ended before the connection was made.
	StateTokenExpired State = iota - 6
	// StateInvalidToken: the bytes are not a token.
	StateInvalidToken
	// StateTimedOut: connected, then no packets for the timeout.
	StateTimedOut
	// StateResponseTimedOut: challenged, but the response was not answered.
	StateResponseTimedOut
	// StateRequestTimedOut: the requests were not answered.
	StateRequestTimedOut
	// StateDenied: the server has no free slot.
	StateDenied
	// StateDisconnected: not connected yet, or ended by either side.
	StateDisconnected
	// StateRequesting: sending connection requests.
	StateRequesting
	// StateResponding: challenged, sending the response.
	StateResponding
	// StateConnected: payloads pass both ways.
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

// reasonOf returns the reason of a final state.
func reasonOf(s State) Reason {
	switch s {
	case StateTokenExpired:
		return ReasonTokenExpired
	case StateInvalidToken:
		return ReasonTokenInvalid
	case StateTimedOut:
		return ReasonTimedOut
	case StateResponseTimedOut:
		return ReasonResponseTimedOut
	case StateRequestTimedOut:
		return ReasonRequestTimedOut
	case StateDenied:
		return ReasonDenied
	default:
		return ReasonNone
	}
}
