package session

import "time"

// readKinds returns the kinds of packets that a client reads in this state.
func (s State) readKinds() kindSet {
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

// HandleDatagram handles one datagram from Server() and decrypts it in place. ok is true only for a
// payload, which aliases b and has 1 to MaxForeignPayload bytes.
func (c *Client) HandleDatagram(b []byte, now time.Time) (payload []byte, ok bool) {
	c.timers.now = now
	c.stats.Received++
	h, drop := readHeader(b, c.state.readKinds())
	if drop != dropNone {
		c.countDrop(drop)
		return nil, false
	}
	body, drop := c.link.openPacket(h, b)
	if drop != dropNone {
		c.countDrop(drop)
		return nil, false
	}
	return c.handlePacket(h.kind, body)
}

func (c *Client) handlePacket(k kind, body []byte) (payload []byte, ok bool) {
	c.timers.lastReceived = c.timers.now
	switch k {
	case kindDenied:
		c.failServer(StateDenied)
	case kindChallenge:
		decodeAnswer(body, &c.answer)
		c.setState(StateResponding)
	case kindKeepAlive:
		c.handleKeepAlive(decodeKeepAlive(body))
	case kindDisconnect:
		if !c.leaving {
			c.leaving, c.left, c.due = true, c.timers.now, false
		}
	case kindPayload:
		c.stats.Payloads++
		return body, true
	}
	return nil, false
}

// handleKeepAlive handles a keep-alive. The first one makes the client connected and tells it its
// slot.
func (c *Client) handleKeepAlive(k keepAlive) {
	if k.index >= k.maxClients || k.maxClients > 1<<31-1 {
		c.countDrop(DropBody)
		return
	}
	if c.state == StateResponding {
		c.assigned = k
		c.setState(StateConnected)
	}
}
