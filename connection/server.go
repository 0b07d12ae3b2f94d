package connection

import (
	"io"
	"net/netip"
	"time"
)

// Listener opens a server's layer. Server.StartWith calls Listen, and calls it again
// when the server starts again after a stop, so Listen may not use itself up.
type Listener interface {
	// Listen opens what the layer needs, or nothing at all if it returns an error.
	Listen(config ServerConfig) (Server, error)
}

// ServerConfig is what a server tells each of its layers.
type ServerConfig struct {
	// Game is the name of the protocol, and ProtocolID the number made of it: a layer
	// lets nobody in who names another one.
	Game       string
	ProtocolID uint64

	// MaxClients is the number of slots, at least 1.
	MaxClients int

	// Entropy is where secrets come from.
	Entropy io.Reader

	// Now is when the server starts.
	Now time.Time
}

// Server is a server's end of a connection layer.
type Server interface {
	// Addrs is where clients find the server, the address for the world first; none
	// where the layer has no addresses. It keeps its answer after Close.
	Addrs() []netip.AddrPort

	// Receive returns the next event and never blocks, or ErrEmpty when there is none in
	// this frame. A client's Connected event comes before its payloads. What a slot's
	// client sent before it left may be lost.
	Receive(now time.Time) (Event, error)

	// Send queues a payload of 1 to entangle.MaxPayload bytes for the client of a slot,
	// and keeps nothing of it after it returns. If that client is gone and its
	// Disconnected event is yet to come, the payload is lost. It may be called for
	// different slots at once.
	Send(slot int, payload []byte, now time.Time)

	// Flush hands what was queued to the network, together with what the layer itself
	// has to say. Call it once in every frame, at its end.
	Flush() error

	// Disconnect ends the connection of a slot, and lets the client know if it can. What
	// was queued for the slot before still leaves with the next Flush; so do last words.
	// No event of the connection comes any more. The reason is for layers that can carry
	// one. A slot without a client is left alone.
	Disconnect(slot int, reason string, now time.Time)

	// Close disconnects everybody, sends what is queued, and frees what the layer holds,
	// its ports and goroutines, before it returns. No event comes of it. Closing again
	// does nothing and returns nil.
	Close(reason string, now time.Time) error

	// Sent is how many bytes the network was given, or will be, for the client of a slot
	// since it was let in: whole datagrams, with what the layer adds and says itself. It
	// may be called for different slots at once.
	Sent(slot int) uint64

	// Overhead is the most bytes that the network is given beside those of the payload
	// if one is sent to the slot now.
	Overhead(slot int) int

	// Traffic is all that has gone through the layer since Listen.
	Traffic() Traffic

	// AppendDropped appends what was dropped since Listen: always the same reasons in
	// the same order, also those that have not occurred.
	AppendDropped(dst []Dropped) []Dropped
}

// Leaver is implemented by a Server that reads on for a moment after a client has said that
// it leaves, as what it sent before may still be on its way: the reason, above all.
type Leaver interface {
	// Leaving reports whether the client of a slot has said that it leaves. Its Disconnected
	// event comes soon, and Disconnect makes an end at once. The server does so where such a
	// client takes a newcomer's id or place.
	Leaving(slot int) bool
}

// Traffic counts datagrams and their bytes.
type Traffic struct {
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64
}

// Plus returns the sum of both.
func (t Traffic) Plus(u Traffic) Traffic {
	return Traffic{t.PacketsOut + u.PacketsOut, t.BytesOut + u.BytesOut, t.PacketsIn + u.PacketsIn, t.BytesIn + u.BytesIn}
}

// In counts a datagram that has come.
func (t *Traffic) In(bytes int) {
	t.PacketsIn++
	t.BytesIn += uint64(bytes)
}

// Out counts a datagram that was sent.
func (t *Traffic) Out(bytes int) {
	t.PacketsOut++
	t.BytesOut += uint64(bytes)
}

// Dropped is how often something was dropped for one reason.
type Dropped struct {
	Reason string // a few lower-case words
	Count  uint64
	// Refused says that it was somebody who wanted to be let in: an operator may want to
	// know.
	Refused bool
	// Hint says what to check where it is not as it should be: a sentence for an operator, or
	// nothing.
	Hint string
}
