package connection

import (
	"io"
	"time"
)

// Dialer opens a client's end of a connection layer, for one connection.
type Dialer interface {
	// Dial starts connecting to the server. After an error nothing is open.
	Dial(config ClientConfig) (Client, error)
}

// ClientConfig is what a client passes to its layer.
type ClientConfig struct {
	// Game is the name of the protocol, and ProtocolID a number computed from it.
	Game       string
	ProtocolID uint64

	// Entropy is the source of secrets.
	Entropy io.Reader

	// Now is the time of Dial.
	Now time.Time
}

// Client is a client's end of a connection layer. Its connection begins with Dial, is established
// at the Connected event, and ends with the Disconnected event or Close.
type Client interface {
	// Receive returns the next event and never blocks. It returns ErrEmpty at the end of
	// the frame.
	Receive(now time.Time) (Event, error)

	// Send queues a payload of 1 to entangle.MaxPayload bytes for the server, and keeps no
	// reference to it. Without a connection the payload is lost.
	Send(payload []byte, now time.Time)

	// Flush hands the queued payloads and the layer's own packets to the network. Call it
	// once at the end of every frame.
	Flush() error

	// Close ends the connection or the attempt, notifies the server if it can, sends the
	// queued payloads first, and frees the layer's resources. It causes no event. Closing
	// again does nothing and returns nil.
	Close(reason string, now time.Time) error

	// Traffic returns the datagrams and bytes of the layer since Dial.
	Traffic() Traffic

	// AppendDropped appends the counts of dropped datagrams since Dial: always the same
	// reasons in the same order, even with a count of zero.
	AppendDropped(dst []Dropped) []Dropped
}
