package session

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/replay"
)

// Advance checks timeouts and the expiry of the token, ends the connection if the server has
// disconnected, tries the next server if one does not answer, and makes PollDatagram return packets
// ten times a second. Call it once per frame, after the datagrams of the frame.
func (c *Client) Advance(now time.Time) {
	c.timers.now = now
	switch {
	case c.leaving:
		if now.Sub(c.left) >= GoodbyeWait {
			c.EndWait()
		}
		return
	case c.state.Connecting() && c.timers.expired():
		c.setState(StateTokenExpired)
	case c.state > StateDisconnected && c.timers.timedOut():
		c.failServer(timedOutFrom(c.state))
	}
	if c.state > StateDisconnected && now.Sub(c.timers.lastSent) >= sendInterval {
		c.due = true
	}
}

// EndWait ends the connection at once if the server has sent a disconnect packet. It reports
// whether that is the case. Call it when the transport has closed, so that no more datagrams can
// arrive.
func (c *Client) EndWait() bool {
	if !c.leaving {
		return false
	}
	c.setState(StateDisconnected)
	c.reason = ReasonPeerLeft
	return true
}

func timedOutFrom(s State) State {
	switch s {
	case StateRequesting:
		return StateRequestTimedOut
	case StateResponding:
		return StateResponseTimedOut
	default:
		return StateTimedOut
	}
}

// failServer ends the attempt to connect to this server. A client that is not connected yet tries
// the token's next server, if there is one.
func (c *Client) failServer(s State) {
	if c.state.Connecting() && c.server+1 < len(c.token.Servers) {
		c.server++
		c.link.replay = replay.Window{}
		c.setState(StateRequesting)
		return
	}
	c.setState(s)
}
