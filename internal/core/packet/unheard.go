package packet

import "time"

// How a peer is treated that acknowledges nothing.
const (
	// UnheardAfter is how long a peer may leave all that is sent to it unacknowledged
	// before little more is sent: longer than any round trip that can be played with.
	UnheardAfter = 2 * time.Second

	// ProbeEvery is how often it is then sent one packet, until manyUnheard ids are
	// newer than the last that it acknowledged.
	ProbeEvery = 100 * time.Millisecond

	// The ids of half their cycle can be told apart. Long before, packets become so rare
	// that it takes days to get there: at first unless the peer says something itself.
	manyUnheard = 1 << 12
	mostUnheard = 1 << 14
	rareProbe   = time.Second
	rarestProbe = 10 * time.Second
)

// unheard is since when the peer has acknowledged nothing new.
type unheard struct {
	since  time.Duration
	probed time.Duration // the last time that a packet left
	talks  bool          // something came from the peer since
}

// sent notes that a packet leaves. first says that all before it were acknowledged.
func (u *unheard) sent(at time.Duration, first bool) {
	if first {
		u.since = at
	}
	u.probed, u.talks = at, false
}

// MaySend reports whether a Data packet may leave now. It may unless the peer has
// acknowledged nothing that was sent for UnheardAfter: then only now and then, so that it
// is noticed when the peer is there again, and ids last until then.
func (t *Tracker) MaySend(now time.Time) bool {
	behind := t.sent.newest() - t.newestAcked
	at := t.since(now)
	if behind == 0 || at-t.unheard.since < UnheardAfter {
		return true
	}
	every := ProbeEvery
	switch {
	case behind > mostUnheard:
		every = rarestProbe
	case behind > manyUnheard && !t.unheard.talks:
		every = rareProbe
	}
	return at-t.unheard.probed >= every
}
