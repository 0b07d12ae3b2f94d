package session

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// slotState is the state of a slot.
type slotState uint8

const (
	slotFree slotState = iota
	slotConnected
	slotLeaving // its client has sent a disconnect packet; payloads are read for GoodbyeWait
	slotLeft    // the client is gone; the Disconnected event has not been polled yet
)

// slot is the server's state of one client.
type slot struct {
	state     slotState
	confirmed bool // a packet of the client has shown that the client knows that it is connected
	addr      Addr
	client    entangle.ClientID
	token     tokenID
	userData  [token.MaxUserData]byte
	timeout   time.Duration // 0 means for ever

	link
	lastSent time.Time
	sealed   uint64
	body     [keepAliveSize]byte

	lastReceived time.Time
	left         time.Time // when the disconnect packet of a leaving client arrived
}

// occupy assigns the slot to a client that has answered its challenge.
func (c *slot) occupy(p *pending, now time.Time) {
	sealed := c.sealed
	*c = slot{
		state:    slotConnected,
		addr:     p.from,
		client:   p.claim.client,
		token:    p.token,
		userData: p.claim.userData,
		timeout:  timeoutOf(p.timeout),
		link:     p.link,
		lastSent: now, lastReceived: now,
		sealed: sealed,
	}
}

// timedOut reports whether nothing was received for the token's timeout.
func (c *slot) timedOut(now time.Time) bool {
	return c.timeout > 0 && now.Sub(c.lastReceived) >= c.timeout
}

// needless reports whether a packet of this kind is dropped unopened, because another packet of the
// client has arrived in the same frame, or because the client is leaving. Opening packets costs
// time. A client could otherwise cause work by packets without a payload, for which the layer that
// reads payloads cannot charge it.
func (c *slot) needless(k kind, now time.Time) bool {
	switch k {
	case kindKeepAlive:
		return c.state == slotLeaving || c.confirmed && c.lastReceived.Equal(now)
	case kindDisconnect:
		return c.state == slotLeaving
	}
	return false
}

// seal appends one packet of this connection to dst.
func (c *slot) seal(dst []byte, k kind, body []byte, now time.Time) []byte {
	c.lastSent = now
	c.sealed++
	return c.sealPacket(dst, k, body)
}

func timeoutOf(seconds int32) time.Duration {
	return time.Duration(max(seconds, 0)) * time.Second
}
