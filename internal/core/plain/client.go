package plain

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/replay"
)

// ClientConfig identifies a client.
type ClientConfig struct {
	ProtocolID uint64
	Client     entangle.ClientID
	UserData   []byte        // at most connection.MaxUserData bytes
	Number     uint64        // a random number with which the server's packets begin
	Timeout    time.Duration // 0 means DefaultTimeout, negative means never
	Start      time.Time
}

// Client is the client's side of one connection, from its first hello to its end.
type Client struct {
	config       ClientConfig
	userData     [connection.MaxUserData]byte
	state        state
	theirs       uint64 // the number with which packets to the server begin, from its first keep-alive
	lastReceived time.Time
	sent         time.Time
	hailed       bool // a hello was sent
	sequence     uint64
	window       replay.Window
	dropped      counts
	reply        [MaxReply]byte
}

// state is the state of a client.
type state uint8

const (
	connecting state = iota
	connected
	over
)

// NewClient returns a client that sends hellos until the server answers.
func NewClient(config ClientConfig) *Client {
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	c := &Client{config: config, lastReceived: config.Start}
	copy(c.userData[:], config.UserData)
	return c
}

// Connected reports whether the server has accepted the client and the connection has not ended.
func (c *Client) Connected() bool { return c.state == connected }

// HandleDatagram handles one datagram from the server's address. If ok is true, e is an event, with
// slices that alias b. If reply is not empty, send it to the server; it is valid until the next
// call.
func (c *Client) HandleDatagram(b []byte, now time.Time) (e connection.Event, ok bool, reply []byte) {
	e, reply, d := c.handle(b, now)
	if d != dropNone {
		c.dropped[d]++
	}
	return e, e.Kind != 0, reply
}

func (c *Client) handle(b []byte, now time.Time) (e connection.Event, reply []byte, d drop) {
	switch {
	case len(b) < idSize || len(b) > maxPacket:
		return e, nil, dropSize
	case c.state == over:
		return e, nil, dropKind
	case readID(b) != c.config.Number:
		return e, nil, dropNumber
	case kind(b[0]) == kindChallenge || kind(b[0]) == kindDenied:
		return c.handleHandshake(b, now)
	case c.state == connecting && kind(b[0]) != kindKeepAlive:
		return e, nil, dropKind
	}
	if e, d = read(b, aliveSize, &c.window); d != dropNone {
		return e, nil, d
	}
	c.lastReceived = now
	switch {
	case e.Kind == connection.Disconnected:
		c.state = over
	case c.state == connecting:
		c.state, c.theirs = connected, binary.LittleEndian.Uint64(b[idSize:])
		e.Kind = connection.Connected
	}
	return e, nil, dropNone
}

// handleHandshake handles the packets that a server sends before the client is connected.
func (c *Client) handleHandshake(b []byte, now time.Time) (e connection.Event, reply []byte, d drop) {
	switch {
	case c.state != connecting:
		return e, nil, dropKind // late or duplicated
	case kind(b[0]) == kindDenied && len(b) == deniedSize:
		c.state = over
		return connection.Event{Kind: connection.Disconnected, Err: denial(b[idSize]).err()}, nil, dropNone
	case kind(b[0]) == kindChallenge && len(b) == challengeSize:
		c.lastReceived = now
		return e, append(c.hello(kindAnswer), b[idSize:]...), dropNone
	}
	return e, nil, dropSize
}

func (c *Client) hello(k kind) []byte {
	h := hello{protocolID: c.config.ProtocolID, mine: c.config.Number, client: c.config.Client, userData: c.userData[:]}
	return h.appendTo(c.reply[:0], k)
}

var errNoAnswer = fmt.Errorf("%w: no server listens there, or the network blocks it", connection.ErrNoAnswer)

// Expire ends the connection or the attempt if the server has been silent for the timeout. ok is
// true if it did, and e is the event.
func (c *Client) Expire(now time.Time) (e connection.Event, ok bool) {
	if c.state == over || c.config.Timeout < 0 || now.Sub(c.lastReceived) < c.config.Timeout {
		return e, false
	}
	e = connection.Event{Kind: connection.Disconnected, Err: connection.ErrTimedOut}
	if c.state == connecting {
		e.Err = errNoAnswer
	}
	c.state = over
	return e, true
}

// AppendDue appends a hello or a keep-alive if one is due.
func (c *Client) AppendDue(dst []byte, now time.Time) []byte {
	if c.state == over || c.hailed && now.Sub(c.sent) < sendInterval {
		return dst
	}
	c.sent, c.hailed = now, true
	if c.state == connected {
		return appendID(dst, kindKeepAlive, c.theirs)
	}
	return append(dst, c.hello(kindHello)...)
}

// AppendPayload appends a packet with a payload of 1 to entangle.MaxPayload bytes. The client must
// be connected.
func (c *Client) AppendPayload(dst, payload []byte, now time.Time) []byte {
	c.sequence++
	c.sent = now
	return appendPayload(dst, c.theirs, c.sequence, payload)
}

// AppendGoodbye appends a packet that ends the connection at the server. The client must be
// connected.
func (c *Client) AppendGoodbye(dst []byte, reason string) []byte {
	return packet.AppendReason(appendID(dst, kindGoodbye, c.theirs), reason)
}

// End ends the connection or the attempt.
func (c *Client) End() { c.state = over }

// AppendDropped appends the counts of dropped datagrams.
func (c *Client) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	return c.dropped.appendTo(dst)
}
