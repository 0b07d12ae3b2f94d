package trusted

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/plain"
	"github.com/entangle-ecs/entangle/transport"
)

// client is the client's end: a core and its socket.
type client struct {
	core   *plain.Client
	socket *socket.Socket
	server netip.AddrPort
	now    time.Time // the time of the last frame
	read   bool      // all datagrams of this frame have been read
	closed bool
}

// Receive implements connection.Client.
func (c *client) Receive(now time.Time) (connection.Event, error) {
	c.now = now
	for !c.read && !c.closed {
		if e, ok, err := c.handleDatagram(now); ok || err != nil {
			return e, err
		}
	}
	if e, ok := c.core.Expire(now); ok {
		return e, nil
	}
	c.read = false
	return connection.Event{}, connection.ErrEmpty
}

// handleDatagram handles one datagram.
func (c *client) handleDatagram(now time.Time) (e connection.Event, ok bool, err error) {
	b, _, err := c.socket.Receive()
	if errors.Is(err, transport.ErrEmpty) {
		c.read = true
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	e, ok, reply := c.core.HandleDatagram(b, now)
	if len(reply) > 0 {
		c.socket.Out.Put(c.server, reply)
	}
	return e, ok, nil
}

// Send implements connection.Client.
func (c *client) Send(payload []byte, now time.Time) {
	if len(payload) < 1 || len(payload) > entangle.MaxPayload {
		panic(fmt.Sprintf("trusted: a payload of %d bytes; send 1 to %d", len(payload), entangle.MaxPayload))
	}
	if c.core.Connected() {
		out := &c.socket.Out
		out.Add(c.server, c.core.AppendPayload(out.Next(), payload, now))
	}
}

// Flush implements connection.Client.
func (c *client) Flush() error {
	out := &c.socket.Out
	if b := c.core.AppendDue(out.Next(), c.now); len(b) > 0 {
		out.Add(c.server, b)
	} else {
		out.Free(b)
	}
	return c.socket.Flush()
}

// Close implements connection.Client. It sends the reason to the server.
func (c *client) Close(reason string, _ time.Time) error {
	if c.closed {
		return nil
	}
	c.closed = true
	if c.core.Connected() {
		for range plain.Goodbyes {
			out := &c.socket.Out
			out.Add(c.server, c.core.AppendGoodbye(out.Next(), reason))
		}
	}
	c.core.End()
	return errors.Join(c.socket.Flush(), c.socket.Close())
}

// Traffic implements connection.Client.
func (c *client) Traffic() connection.Traffic { return c.socket.Traffic() }

// AppendDropped implements connection.Client.
func (c *client) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	return c.core.AppendDropped(dst)
}
