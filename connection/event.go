package connection

import (
	"errors"
	"net/netip"

	"github.com/entangle-ecs/entangle"
)

// ErrEmpty is returned by Receive when there are no more events in this frame.
var ErrEmpty = errors.New("connection: nothing waits")

// MaxUserData is the largest user data of a client, in bytes.
const MaxUserData = 256

// Kind is the kind of an event.
type Kind uint8

const (
	// Connected: a client was accepted. On a client: the server has accepted it.
	Connected Kind = iota + 1
	// Payload: bytes have arrived from a connected client, or from the server.
	Payload
	// Disconnected: the layer or the peer has ended the connection, or on a client the
	// attempt has failed. It is the last event of a connection.
	Disconnected
)

// String returns the name of the kind.
func (k Kind) String() string {
	if k < Connected || k > Disconnected {
		return "unknown"
	}
	return [...]string{"Connected", "Payload", "Disconnected"}[k-Connected]
}

// Event is returned by Receive. Its slices belong to the layer, and are valid until the next
// call of any of its methods.
type Event struct {
	Kind Kind

	// Slot is the slot of the client. On a client it is 0.
	Slot int

	// Client is the id of the client: never entangle.Nobody. It is set only in a Connected event on
	// a server.
	Client entangle.ClientID

	// Addr is the address of the client. It is not valid in layers without addresses. It is set
	// only in a Connected event on a server.
	Addr netip.AddrPort

	// Name names the client for people: by its address, or its name on a platform. It is set only
	// in a Connected event on a server.
	Name string

	// UserData is the user data of the client, at most MaxUserData bytes; missing bytes count as
	// zeros. The layer guarantees it like the id. It is set only in a Connected event on a server.
	UserData []byte

	// Payload has 1 to entangle.MaxPayload bytes, which the receiver may overwrite. It is set only
	// in a Payload event.
	Payload []byte

	// Err is why the connection ended, or why none was made. Programs compare it with the errors of
	// this package by errors.Is; for people, its text is a short sentence without a full stop. It
	// is set only in a Disconnected event.
	Err error
}
