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

	// Slot of the client. 0 on a client.
	Slot int

	// Client is the id of the client: never entangle.Nobody. Only for Connected on a server.
	Client entangle.ClientID

	// Addr is the address of the client. Not valid in layers without addresses. Only for
	// Connected on a server.
	Addr netip.AddrPort

	// Name of the client's end for people: its address, or its name on a platform. Only for
	// Connected on a server.
	Name string

	// UserData of the client, at most MaxUserData bytes; missing ones count as zeros. The
	// layer guarantees it like the id. Only for Connected on a server.
	UserData []byte

	// Payload of 1 to entangle.MaxPayload bytes, which the receiver may overwrite. Only
	// for Payload.
	Payload []byte

	// Err is why the connection ended, or why none was made: for programs, one of the errors of
	// this package by errors.Is, and for people, a short sentence without a full stop. Only for
	// Disconnected.
	Err error
}
