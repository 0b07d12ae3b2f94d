package session

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/replay"
)

// Advance checks timeouts and the expiry of the token, ends the connection to a server that has disconnected,
// switches to the next server, and makes PollDatagram return packets ten times a second. Call it once a frame,
// after the frame's datagrams.
func (c *Client) Advance(now time.Time) {
	c.now = now
	switch {
	case c.leaving:
		if now.Sub(c.left) >= GoodbyeWait {
			c.EndWait()
		}
		return
	case c.state.Connecting() && !now.Before(c.expires):
		c.enter(StateTokenExpired)
	case c.state > StateDisconnected && c.timeout > 0 && now.Sub(c.lastReceived) >= c.timeout:
		c.fail(timedOutFrom(c.state))
	}
	if c.state > StateDisconnected && now.Sub(c.lastSent) >= sendInterval {
		c.due = true
	}
}

// EndWait ends the connection at once if the server has sent a disconnect packet, and reports whether it has. Call
// it when the transport has closed and no more datagrams can arrive.
func (c *Client) EndWait() bool {
	if !c.leaving {
		return false
	}
	c.enter(StateDisconnected)
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

// fail ends the attempt at this server. A client that was never connected tries the token's next server, if there
// is one.
func (c *Client) fail(s State) {
	if c.state.Connecting() && c.server+1 < len(c.token.Servers) {
		c.server++
		c.replay = replay.Window{}
		c.enter(StateRequesting)
		return
	}
	c.enter(s)
}
