package connection

import (
	"io"
	"net/netip"
	"time"
)

// Listener opens a server's layer. Server.StartWith calls Listen, and calls it again when the
// server is restarted, so Listen must work more than once.
type Listener interface {
	// Listen opens the layer. After an error nothing is open.
	Listen(config ServerConfig) (Server, error)
}

// ServerConfig is what a server passes to each of its connection layers.
type ServerConfig struct {
	// Game is the name of the protocol, and ProtocolID a number computed from it: a layer
	// refuses clients of another game.
	Game       string
	ProtocolID uint64

	// MaxClients is the number of slots, at least 1.
	MaxClients int

	// Entropy is the source of secrets.
	Entropy io.Reader

	// Now is the time of the server's start.
	Now time.Time
}

// Server is a server's end of a connection layer.
type Server interface {
	// Addrs returns the addresses of the server, the public one first; none if the layer
	// has no addresses. It returns the same after Close.
	Addrs() []netip.AddrPort

	// Receive returns the next event and never blocks. It returns ErrEmpty at the end of
	// the frame. A client's Connected event precedes its payloads. Payloads that a client
	// sent shortly before it left may be lost.
	Receive(now time.Time) (Event, error)

	// Send queues a payload of 1 to entangle.MaxPayload bytes for the client of a slot, and keeps
	// no reference to it. If that client is gone and its Disconnected event has not been received
	// yet, the payload is lost. It may be called for different slots at once.
	Send(slot int, payload []byte, now time.Time)

	// Flush hands the queued payloads and the layer's own packets to the network. Call it
	// once at the end of every frame.
	Flush() error

	// Disconnect ends the connection of a slot, and notifies the client if it can. Payloads that
	// were queued for the slot before are still sent by the next Flush. No further event of the
	// connection is returned. Layers that can send a reason send it to the client. A slot without a
	// client is ignored.
	Disconnect(slot int, reason string, now time.Time)

	// Close disconnects all clients, sends the queued payloads, and frees the layer's ports
	// and goroutines before it returns. It causes no event. Closing again does nothing and
	// returns nil.
	Close(reason string, now time.Time) error

	// Sent returns the number of bytes sent or queued for the client of a slot since it was
	// accepted: whole datagrams, including the layer's own. It may be called for different
	// slots at once.
	Sent(slot int) uint64

	// Overhead returns the greatest number of bytes that the layer adds to a payload sent to
	// the slot now.
	Overhead(slot int) int

	// Traffic returns the datagrams and bytes of the layer since Listen.
	Traffic() Traffic

	// AppendDropped appends the counts of dropped datagrams since Listen: always the same
	// reasons in the same order, even with a count of zero.
	AppendDropped(dst []Dropped) []Dropped
}

// Leaver is implemented by a Server that keeps reading for a moment after a client has sent its
// disconnect packet, because earlier payloads may still be in flight: above all, the reason why it
// leaves.
type Leaver interface {
	// Leaving reports whether the client of a slot has sent its disconnect packet. Its
	// Disconnected event follows soon; Disconnect ends the connection at once. The server
	// calls it if a new client has the same id, or finds no free slot.
	Leaving(slot int) bool
}

// Traffic counts datagrams and their bytes.
type Traffic struct {
	PacketsOut, BytesOut uint64
	PacketsIn, BytesIn   uint64
}

// Plus returns the sum of two counts.
func (t Traffic) Plus(u Traffic) Traffic {
	return Traffic{t.PacketsOut + u.PacketsOut, t.BytesOut + u.BytesOut, t.PacketsIn + u.PacketsIn, t.BytesIn + u.BytesIn}
}

// In counts a received datagram.
func (t *Traffic) In(bytes int) {
	t.PacketsIn++
	t.BytesIn += uint64(bytes)
}

// Out counts a sent datagram.
func (t *Traffic) Out(bytes int) {
	t.PacketsOut++
	t.BytesOut += uint64(bytes)
}

// Dropped counts datagrams that were dropped for one reason.
type Dropped struct {
	Reason string // a few lower-case words
	Count  uint64
	// Refused is true if these are attempts to connect, which may interest an operator.
	Refused bool
	// Hint is advice for an operator on what to check: a sentence, or empty.
	Hint string
}
