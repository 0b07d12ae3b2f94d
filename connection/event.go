package connection

import (
	"errors"
	"net/netip"

	"github.com/entangle-ecs/entangle"
)

// ErrEmpty is what Receive returns when there is nothing more in this frame.
var ErrEmpty = errors.New("connection: nothing waits")

// MaxUserData is the largest user data of a client, in bytes.
const MaxUserData = 256

// Kind tells events apart.
type Kind uint8

const (
	// Connected: a client was let in. On a client: the server has let it in.
	Connected Kind = iota + 1
	// Payload: bytes have come from a connected client, or from the server.
	Payload
	// Disconnected: the layer or the peer has ended the connection. On a client it also
	// says that the attempt has failed. Nothing comes after it.
	Disconnected
)

// String returns the name of the kind.
func (k Kind) String() string {
	if k < Connected || k > Disconnected {
		return "unknown"
	}
	return [...]string{"Connected", "Payload", "Disconnected"}[k-Connected]
}

// Event is what Receive returns. Its slices are the layer's, and valid until the next
// call of any method of it.
type Event struct {
	Kind Kind

	// Slot that the event is about. 0 on a client.
	Slot int

	// Client is who was let in: never entangle.Nobody. Only for Connected on a server.
	Client entangle.ClientID

	// Addr is where the client is. Not valid in layers that have no addresses. Only for
	// Connected on a server.
	Addr netip.AddrPort

	// Name is what a person would call the client's end: its address, or what a platform
	// calls it. Only for Connected on a server.
	Name string

	// UserData that came with the client, at most MaxUserData bytes; what is missing
	// counts as zeros. The layer vouches for it as for the id. Only for Connected on a
	// server.
	UserData []byte

	// Payload of 1 to entangle.MaxPayload bytes, which the receiver may overwrite. Only
	// for Payload.
	Payload []byte

	// Reason of the end, for people: a short sentence without a full stop. Only for
	// Disconnected.
	Reason string
}
