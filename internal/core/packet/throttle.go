package packet

import "time"

// Constants for sending to a peer that acknowledges nothing.
const (
	// ThrottleAfter is how long a peer may acknowledge nothing before sending is throttled. It is
	// longer than any round trip with which a game is playable.
	ThrottleAfter = 2 * time.Second

	// ProbeEvery is the interval of packets while sending is throttled, until more than manyProbes
	// packets are unacknowledged.
	ProbeEvery = 100 * time.Millisecond

	// Ids wrap around, so only half of their range can be told apart. With more than manyProbes
	// unacknowledged ids, packets become rarer if nothing arrives from the peer, and with more than
	// mostProbes they become rarest in any case. Then it takes days until the ids run out.
	manyProbes  = 1 << 12
	mostProbes  = 1 << 14
	rareProbe   = time.Second
	rarestProbe = 10 * time.Second
)

// throttle is the state that MaySend needs to limit packets to a peer that acknowledges nothing.
type throttle struct {
	since  time.Duration // time of the last new acknowledgement, or of the first packet after all were acknowledged
	probed time.Duration // when the last packet was sent
	sends  bool          // a packet from the peer has arrived since then
}

// sent records that a packet is sent. first is true if all earlier ones are acknowledged.
func (u *throttle) sent(at time.Duration, first bool) {
	if first {
		u.since = at
	}
	u.probed, u.sends = at, false
}

// MaySend reports whether a Data packet may be sent now. If the peer has acknowledged no packet for
// ThrottleAfter, only a few packets may be sent: enough to notice its return, and so few that ids
// do not run out in the meantime.
func (t *Tracker) MaySend(now time.Time) bool {
	behind := t.sent.newest() - t.newestAcked
	at := t.since(now)
	if behind == 0 || at-t.throttle.since < ThrottleAfter {
		return true
	}
	every := ProbeEvery
	switch {
	case behind > mostProbes:
		every = rarestProbe
	case behind > manyProbes && !t.throttle.sends:
		every = rareProbe
	}
	return at-t.throttle.probed >= every
}
