package session

// Reason is why a connection ended or was not made.
type Reason uint8

// Reasons of either side.
const (
	// ReasonNone: it has not ended.
	ReasonNone Reason = iota
	// ReasonTimedOut: connected, but the peer fell silent for the timeout.
	ReasonTimedOut
	// ReasonPeerLeft: the peer sent a disconnect packet.
	ReasonPeerLeft
	// ReasonDisconnected: this side's Disconnect was called.
	ReasonDisconnected
	// ReasonStopped: the server was stopped. Server only.
	ReasonStopped
	// ReasonDenied: the server has no free slot. Client only.
	ReasonDenied
	// ReasonRequestTimedOut: no answer to the requests. There is no server, or it refused the
	// token, which it does silently: wrong key or protocol id, another server, used before,
	// older than the server, or the client id is still connected. Client only.
	ReasonRequestTimedOut
	// ReasonResponseTimedOut: challenged, but the response was never answered.
	// Client only.
	ReasonResponseTimedOut
	// ReasonTokenInvalid: the bytes are not a token. Client only.
	ReasonTokenInvalid
	// ReasonTokenExpired: the token's life ended before the client was connected.
	// Client only.
	ReasonTokenExpired

	reasons
)

var reasonTexts = [reasons]string{
	"not ended",
	"timed out: no packets from the other side",
	"the other side disconnected",
	"disconnected",
	"the server stopped",
	"denied: the server is full",
	"no answer to the request",
	"no answer to the response",
	"the connect token is invalid",
	"the connect token expired",
}

// String returns a short sentence without a full stop, for players.
func (r Reason) String() string {
	if r >= reasons {
		return "unknown reason"
	}
	return reasonTexts[r]
}
