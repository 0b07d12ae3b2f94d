package packet

import "time"

// How sending to a peer that acknowledges nothing is throttled.
const (
	// ThrottleAfter is how long a peer may leave every packet unacknowledged before sending
	// is throttled: longer than any round trip at which a game can be played.
	ThrottleAfter = 2 * time.Second

	// ProbeEvery is the interval of packets while sending is throttled, until manyProbes
	// ids are newer than the last one that the peer acknowledged.
	ProbeEvery = 100 * time.Millisecond

	// Ids wrap, so only half of their range can be told apart. With more than manyProbes ids
	// unacknowledged, packets become rarer unless the peer sends packets itself, and with more
	// than mostProbes in any case: it then takes days until ids run out.
	manyProbes  = 1 << 12
	mostProbes  = 1 << 14
	rareProbe   = time.Second
	rarestProbe = 10 * time.Second
)

// throttle limits packets to a peer that has acknowledged nothing new for a while.
type throttle struct {
	since  time.Duration
	probed time.Duration // when the last packet was sent
	sends  bool          // a packet of the peer has arrived since
}

// sent records that a packet is sent. first is true if all earlier ones were acknowledged.
func (u *throttle) sent(at time.Duration, first bool) {
	if first {
		u.since = at
	}
	u.probed, u.sends = at, false
}

// MaySend reports whether a Data packet may be sent now. To a peer that has acknowledged no packet
// for ThrottleAfter only a few are sent: enough to notice its return, and not so many that ids run
// out before.
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
