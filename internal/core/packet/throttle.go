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

	// Half of the id cycle can be distinguished. Long before that, packets become so rare
	// that it takes days to get there: at first unless the peer sends packets itself.
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

// MaySend reports whether a Data packet may be sent now. If the peer has acknowledged no packet
// for ThrottleAfter, only a few may, so that its return is noticed and ids last until then.
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
