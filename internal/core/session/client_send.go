package session

import (
	"net/netip"
	"time"
)

// PollDatagram returns the next datagram to send and its destination: a request, response,
// keep-alive or disconnect packet. b is valid until the next call of any method.
func (c *Client) PollDatagram() (to netip.AddrPort, b []byte, ok bool) {
	switch {
	case c.farewells > 0:
		c.farewells--
		return c.Server(), c.seal(c.out[:0], kindDisconnect, nil), true
	case !c.due:
		return netip.AddrPort{}, nil, false
	}
	c.due = false
	c.timers.lastSent = c.timers.now
	return c.Server(), c.repeatedPacket(), true
}

// repeatedPacket returns the packet that is repeated in the present state.
func (c *Client) repeatedPacket() []byte {
	switch c.state {
	case StateRequesting:
		r := request{c.token.ProtocolID, c.token.Expires, c.token.Nonce[:], c.token.Sealed[:]}
		return r.appendTo(c.out[:0])
	case StateResponding:
		return c.seal(c.out[:0], kindResponse, c.answer.encode(c.body[:]))
	default:
		return c.seal(c.out[:0], kindKeepAlive, c.assigned.encode(c.body[:]))
	}
}

func (c *Client) seal(dst []byte, k kind, body []byte) []byte {
	c.stats.Sealed++
	return c.link.sealPacket(dst, k, body)
}

// AppendPayload appends a sealed packet with the payload to dst; send it to Server(). The packet is
// at most 25 bytes longer than the payload. payload must not overlap the free capacity of dst. On
// an error, which is ErrNotConnected or ErrPayloadSize, it returns dst unchanged.
func (c *Client) AppendPayload(dst, payload []byte, now time.Time) ([]byte, error) {
	if len(payload) < 1 || len(payload) > maxOwnPayload {
		return dst, ErrPayloadSize
	}
	if c.state != StateConnected || c.leaving {
		return dst, ErrNotConnected
	}
	c.timers.lastSent = now
	return c.seal(dst, kindPayload, payload), nil
}

// Disconnect ends the connection or the attempt. If the server knows the client, it queues ten
// disconnect packets for PollDatagram, except if the server has sent a disconnect packet itself. In
// other states it does nothing.
func (c *Client) Disconnect(now time.Time) {
	c.timers.now = now
	if c.state <= StateDisconnected {
		return
	}
	if c.state == StateConnected && !c.leaving {
		c.farewells = redundantDisconnects
	}
	c.setState(StateDisconnected)
	c.reason = ReasonDisconnected
}
