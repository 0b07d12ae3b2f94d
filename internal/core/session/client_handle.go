package session

import "time"

// reads returns the kinds of packets that a client reads in this state.
func (s State) reads() kindSet {
	switch s {
	case StateRequesting:
		return setOf(kindDenied, kindChallenge)
	case StateResponding:
		return setOf(kindDenied, kindKeepAlive)
	case StateConnected:
		return setOf(kindKeepAlive, kindPayload, kindDisconnect)
	default:
		return 0
	}
}

// HandleDatagram handles one datagram from Server(), decrypting it in place. ok is true only for a payload, which
// aliases b and has 1 to MaxForeignPayload bytes.
func (c *Client) HandleDatagram(b []byte, now time.Time) (payload []byte, ok bool) {
	c.now = now
	c.stats.Received++
	h, drop := readHeader(b, c.state.reads())
	if drop != dropNone {
		c.drop(drop)
		return nil, false
	}
	body, drop := c.openPacket(h, b)
	if drop != dropNone {
		c.drop(drop)
		return nil, false
	}
	return c.handle(h.kind, body)
}

// openPacket opens a packet; those of the handshake may be repeated.
func (c *Client) openPacket(h header, b []byte) ([]byte, Drop) {
	if h.kind.replayProtected() {
		return openProtected(&c.receive, &c.replay, h, b)
	}
	body, ok := c.receive.open(h, b)
	switch {
	case !ok:
		return nil, DropForged
	case !h.kind.sizeFits(len(body)):
		return nil, DropBodySize
	}
	return body, dropNone
}

func (c *Client) handle(k kind, body []byte) (payload []byte, ok bool) {
	c.lastReceived = c.now
	switch k {
	case kindDenied:
		c.fail(StateDenied)
	case kindChallenge:
		decodeAnswer(body, &c.answer)
		c.enter(StateResponding)
	case kindKeepAlive:
		c.handleKeepAlive(decodeKeepAlive(body))
	case kindDisconnect:
		if !c.leaving {
			c.leaving, c.left, c.due = true, c.now, false
		}
	case kindPayload:
		c.stats.Payloads++
		return body, true
	}
	return nil, false
}

// handleKeepAlive gets the slot from the first keep-alive, which also makes the client connected.
func (c *Client) handleKeepAlive(k keepAlive) {
	if k.index >= k.maxClients || k.maxClients > 1<<31-1 {
		c.drop(DropBody)
		return
	}
	if c.state == StateResponding {
		c.assigned = k
		c.enter(StateConnected)
	}
}
