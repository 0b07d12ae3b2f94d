package connection

import (
	"io"
	"time"
)

// Dialer opens a client's layer, for one connection.
type Dialer interface {
	// Dial begins the way to the server. An error means that there is nothing to wait
	// for: nothing was opened.
	Dial(config ClientConfig) (Client, error)
}

// ClientConfig is what a client tells its layer.
type ClientConfig struct {
	// Game is the name of the protocol, and ProtocolID the number made of it.
	Game       string
	ProtocolID uint64

	// Entropy is where secrets come from.
	Entropy io.Reader

	// Now is when the attempt begins.
	Now time.Time
}

// Client is a client's end of a connection layer: connecting from Dial on, connected from
// the Connected event, and over with the Disconnected event or Close.
type Client interface {
	// Receive returns the next event and never blocks, or ErrEmpty when there is none in
	// this frame.
	Receive(now time.Time) (Event, error)

	// Send queues a payload of 1 to entangle.MaxPayload bytes for the server, and keeps
	// nothing of it after it returns. Without a connection it is lost.
	Send(payload []byte, now time.Time)

	// Flush hands what was queued to the network, together with what the layer itself
	// has to say. Call it once in every frame, at its end.
	Flush() error

	// Close ends the connection or the attempt, lets the server know if it can, sends
	// what is queued before, and frees what the layer holds. No event comes of it.
	// Closing again does nothing and returns nil.
	Close(reason string, now time.Time) error

	// Traffic is all that has gone through the layer since Dial.
	Traffic() Traffic

	// AppendDropped appends what was dropped since Dial: always the same reasons in the
	// same order, also those that have not occurred.
	AppendDropped(dst []Dropped) []Dropped
}
