package netcode

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport"
)

// client is the client's end: a session, and the socket to the server that it is dialing or has
// dialed.
type client struct {
	over    transport.Dialer
	session *session.Client
	server  netip.AddrPort // the server that the socket is connected to
	socket  *socket.Socket
	earlier connection.Traffic // of the earlier sockets
	last    connection.Kind    // the last event that is no payload
	read    bool               // all datagrams of this frame have been read
	game    string
	dev     bool // the token is for servers without a key
}

// dial opens a socket to the server that the session tries now.
func (c *client) dial() error {
	server := c.session.Server()
	if c.socket != nil && server == c.server {
		return nil
	}
	if err := c.closeSocket(); err != nil {
		return err
	}
	conn, err := c.over.Dial(server)
	if err != nil {
		return err
	}
	c.socket, c.server = socket.New(conn), server
	if c.dev && !server.Addr().IsLoopback() && !c.socket.Local() {
		return errors.Join(fmt.Errorf("netcode: this token is of Client.DevToken, and %v is another machine: a server without a key "+
			"listens at loopback addresses only, such as 127.0.0.1. For a server elsewhere, also in a local network, give it "+
			"a ServerConfig.Key, and mint tokens with that", server), c.closeSocket())
	}
	return nil
}

func (c *client) closeSocket() error {
	if c.socket == nil {
		return nil
	}
	err := c.socket.Close()
	c.earlier, c.socket = c.Traffic(), nil
	return err
}

// Receive implements connection.Client.
func (c *client) Receive(now time.Time) (connection.Event, error) {
	for c.last != connection.Disconnected && c.socket != nil {
		if e, ok := c.follow(); ok {
			return e, nil
		}
		if c.read {
			break
		}
		if payload, err := c.receivePayload(now); err != nil || payload != nil {
			return connection.Event{Kind: connection.Payload, Payload: payload}, err
		}
	}
	c.read = false
	return connection.Event{}, connection.ErrEmpty
}

// receivePayload handles one datagram, or advances the session's time if there is none.
func (c *client) receivePayload(now time.Time) (payload []byte, err error) {
	b, _, err := c.socket.Receive()
	switch {
	case errors.Is(err, transport.ErrEmpty):
		c.session.Advance(now)
		c.read = true
		return nil, nil
	case err != nil && c.session.EndWait():
		return nil, nil // the server has left, and closed the transport after that
	case err != nil:
		return nil, err
	}
	payload, _ = c.session.HandleDatagram(b, now)
	return payload, nil
}

// follow reacts to a change of the session: another server, a connection, or its end.
func (c *client) follow() (e connection.Event, ok bool) {
	switch state := c.session.State(); {
	case state == session.StateConnected:
		e.Kind = connection.Connected
	case !state.Connecting():
		e.Kind, e.Err = connection.Disconnected, c.reason()
	default:
		err := c.dial()
		if err == nil {
			return e, false
		}
		e.Kind, e.Err = connection.Disconnected, fmt.Errorf("%w: no socket to the server could be opened: %w", connection.ErrTransport, err)
	}
	ok = e.Kind != c.last
	c.last = e.Kind
	return e, ok
}

// reason returns why the session ended.
func (c *client) reason() error {
	if r := c.session.Reason(); r != session.ReasonRequestTimedOut || !c.dev {
		return errorOf(r)
	}
	return errNoAnswerToDev(c.game)
}

// Send implements connection.Client.
func (c *client) Send(payload []byte, now time.Time) {
	if c.socket == nil {
		return
	}
	out := &c.socket.Out
	b, err := c.session.AppendPayload(out.Next(), payload, now)
	switch {
	case err == nil:
		out.Add(c.server, b)
	case errors.Is(err, session.ErrPayloadSize):
		panic(fmt.Sprintf("netcode: a payload of %d bytes; send 1 to %d", len(payload), entangle.MaxPayload))
	default:
		out.Free(b)
	}
}

// Flush implements connection.Client.
func (c *client) Flush() error {
	if c.socket == nil {
		return nil
	}
	for to, b, ok := c.session.PollDatagram(); ok; to, b, ok = c.session.PollDatagram() {
		c.socket.Out.Put(to, b)
	}
	return c.socket.Flush()
}

// Close implements connection.Client. The standard's disconnect packets carry no reason.
func (c *client) Close(_ string, now time.Time) error {
	c.session.Disconnect(now)
	return errors.Join(c.Flush(), c.closeSocket())
}

// Traffic implements connection.Client.
func (c *client) Traffic() connection.Traffic {
	if c.socket == nil {
		return c.earlier
	}
	return c.earlier.Plus(c.socket.Traffic())
}

// AppendDropped implements connection.Client.
func (c *client) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	return appendDropped(dst, c.session.Stats().Drops, nil)
}
