package session

// Reason tells why a connection ended or was not made.
type Reason uint8

// Reasons of either side.
const (
	// ReasonNone means that it has not ended.
	ReasonNone Reason = iota
	// ReasonTimedOut means that a connected peer sent nothing for the timeout.
	ReasonTimedOut
	// ReasonPeerLeft means that the peer sent a disconnect packet.
	ReasonPeerLeft
	// ReasonDisconnected means that Disconnect was called on this side.
	ReasonDisconnected
	// ReasonStopped means that the server was stopped. Only servers report it.
	ReasonStopped
	// ReasonDenied means that the server had no free slot. Only clients report it.
	ReasonDenied
	// ReasonRequestTimedOut means that the requests were not answered. Either no server is there,
	// or it refused the token, about which it sends nothing: the token has another key or protocol
	// id, is for another server, was used before, or is older than the server; or the client id is
	// still connected. Only clients report it.
	ReasonRequestTimedOut
	// ReasonResponseTimedOut means that the client was challenged, but its response was not
	// answered. Only clients report it.
	ReasonResponseTimedOut
	// ReasonTokenInvalid means that the bytes are not a token. Only clients report it.
	ReasonTokenInvalid
	// ReasonTokenExpired means that the token expired before the client was connected. Only clients
	// report it.
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

// String returns a short text for players, without a full stop.
func (r Reason) String() string {
	if r >= reasons {
		return "unknown reason"
	}
	return reasonTexts[r]
}
