package packet

import (
	"time"

	entangle "github.com/entangle-ecs/entangle"
)

// Tracker tracks the packets of one peer in both directions. Fields that are used together are
// adjacent.
type Tracker struct {
	lastTime time.Time // last time that was passed, and its distance from start
	elapsed  time.Duration

	sent         flight
	newestAcked  uint64       // sequence
	acknowledged acknowledged // by the peer
	throttle     throttle
	received     window
	rtt          estimator
	loss         lossRate
	stats        Stats
	cfg          Config

	start time.Time // of the first call; times are stored as distances from it
	begun bool
}

// NewTracker returns a tracker for a new connection. It panics if cfg.Validate
// returns an error.
func NewTracker(cfg Config) *Tracker {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	cfg = cfg.withDefaults()
	return &Tracker{cfg: cfg, sent: newFlight(), rtt: newEstimator(cfg.InitialRTT)}
}

// Next returns the header of a packet that is sent now. For Data it takes the next id, which
// then waits for its verdict; so call it only if the packet will be sent. It panics if verdicts
// were not polled for MaxInFlight packets.
func (t *Tracker) Next(now time.Time, tick entangle.Tick, kind Kind) Header {
	if kind == Data {
		t.throttle.sent(t.since(now), t.newestAcked == t.sent.newest())
		t.sent.recordSent(t.since(now))
		t.stats.Sent++
	}
	t.received.acknowledge()
	return Header{
		Kind:    kind,
		ID:      uint16(t.sent.newest()),
		Ack:     t.received.newest,
		AckBits: t.received.bits,
		Tick:    tick,
	}
}

// NextID returns the id that Next will assign to a Data packet, for callers that need it while
// they fill the packet.
func (t *Tracker) NextID() uint16 { return uint16(t.sent.newest() + 1) }

// HandleHeader handles the header of a received packet. fresh reports that the body is to be
// processed: it is a Data packet that was not received before and is within the window.
// Acknowledgements count in any case. The error is ErrBadAcks from the 16th acknowledgement of
// an id that was never sent on: disconnect that peer.
func (t *Tracker) HandleHeader(h Header, now time.Time) (fresh bool, err error) {
	at := t.since(now)
	t.throttle.sends = true
	t.handleAcks(h.Ack, h.AckBits, at)
	if h.Kind == Data {
		fresh = t.recordReceived(h.ID, at)
	}
	if t.stats.BadAcks >= MaxBadAcks {
		return false, ErrBadAcks
	}
	return fresh, nil
}

func (t *Tracker) recordReceived(id uint16, at time.Duration) bool {
	fresh, tooOld := t.received.recordID(id, at)
	switch {
	case fresh:
		t.stats.Received++
	case tooOld:
		t.stats.TooOld++
	default:
		t.stats.Duplicates++
	}
	return fresh
}

// AckDue reports whether the peer needs an acknowledgement now, in a separate packet if no
// other is sent: 16 ids wait for it, or one has waited for Config.AckDelay. Any header that is
// sent resets it. It is never due to a peer that sends nothing.
func (t *Tracker) AckDue(now time.Time) bool {
	return t.received.due(t.since(now), t.cfg.AckDelay)
}

// AckFull reports whether so many ids wait to be acknowledged that further ones would push the
// oldest out of the range of a header. A caller that reads many packets in a row checks it
// after each, and sends a header at once.
func (t *Tracker) AckFull() bool { return t.received.full() }

// RTT returns the smoothed round trip, including the peer's delay in
// acknowledging; Config.InitialRTT before the first sample.
func (t *Tracker) RTT() time.Duration { return t.rtt.smoothed }

// ResendRTT returns the round trip that determines when to resend: RTT, within bounds.
func (t *Tracker) ResendRTT() time.Duration { return min(t.rtt.smoothed, t.rtt.bound()/2) }

// Jitter returns the smoothed deviation of the round trip from RTT.
func (t *Tracker) Jitter() time.Duration { return t.rtt.variation }

// Sampled reports whether RTT and Jitter are based on a measurement.
func (t *Tracker) Sampled() bool { return t.rtt.sampled }

func (t *Tracker) since(now time.Time) time.Duration {
	if now == t.lastTime { // several times in a frame
		return t.elapsed
	}
	if !t.begun {
		t.start, t.begun = now, true
	}
	t.lastTime, t.elapsed = now, now.Sub(t.start)
	return t.elapsed
}
