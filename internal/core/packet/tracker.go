package packet

import (
	"time"

	entangle "github.com/entangle-ecs/entangle"
)

// Tracker tracks the packets of one peer in both directions. Fields that are used together stand
// side by side.
type Tracker struct {
	lastTime time.Time // the time of the last call, and its distance from start
	elapsed  time.Duration

	sent         flight
	newestAcked  uint64       // a sequence, not an id
	acknowledged acknowledged // sequences that the peer has acknowledged
	throttle     throttle
	received     window
	rtt          estimator
	loss         lossRate
	stats        Stats
	cfg          Config

	start time.Time // time of the first call; other times are stored as distances from it
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

// Next returns the header of a packet that is sent now. For Data it assigns the next id, which then
// waits for its verdict; so call it only if the packet will be sent. It panics if the verdicts of
// about 2,000 packets, or MaxInFlight acknowledgements, were not polled.
func (t *Tracker) Next(now time.Time, tick entangle.Tick, kind Kind) Header {
	at := t.since(now)
	if kind == Data {
		t.throttle.sent(at, t.newestAcked == t.sent.newest())
		t.sent.recordSent(at)
		t.stats.Sent++
	}
	t.received.acknowledge()
	return Header{
		Kind:     kind,
		ID:       uint16(t.sent.newest()),
		Ack:      t.received.newest,
		AckBits:  t.received.bits,
		AckDelay: at - t.received.newestAt,
		Tick:     tick,
	}
}

// NextID returns the id that Next will assign to the next Data packet. Callers need it while they
// fill the packet.
func (t *Tracker) NextID() uint16 { return uint16(t.sent.newest() + 1) }

// HandleHeader handles the header of a received packet. If fresh is true, the caller must process
// the body: it is a Data packet that was not received before and can still be acknowledged. The
// acknowledgements in the header are handled in any case. After MaxBadAcks acknowledgements of ids
// that were never sent, the error is ErrBadAcks: disconnect that peer.
func (t *Tracker) HandleHeader(h Header, now time.Time) (fresh bool, err error) {
	at := t.since(now)
	t.throttle.sends = true
	t.handleAcks(h, at)
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

// AckDue reports whether the peer needs an acknowledgement now. If no other packet is sent, send an
// AckOnly one. It returns true if AckEvery ids wait for their acknowledgement, or one has waited
// for Config.AckDelay. Any header that is sent acknowledges them all. It never returns true while
// the peer sends nothing.
func (t *Tracker) AckDue(now time.Time) bool {
	return t.received.due(t.since(now), t.cfg.AckDelay)
}

// AckFull reports whether so many ids wait for their acknowledgement that the next ones could push
// the oldest out of the range of a header. A caller that reads many packets in a row checks it
// after each packet, and sends a header at once if it is true.
func (t *Tracker) AckFull() bool { return t.received.full() }

// RTT returns the smoothed round trip, without the time that the peer waits before it acknowledges.
// Before the first sample it is Config.InitialRTT.
func (t *Tracker) RTT() time.Duration { return t.rtt.trip.mean }

// ResendRTT returns the round trip that determines when to resend: with the time that the peer
// usually waits before it acknowledges, but at most half of the longest timeout.
func (t *Tracker) ResendRTT() time.Duration { return min(t.rtt.answer.mean, t.rtt.bound()/2) }

// Jitter returns the smoothed deviation of the round trip from RTT.
func (t *Tracker) Jitter() time.Duration { return t.rtt.trip.variation }

// Sampled reports whether RTT and Jitter are based on a measurement.
func (t *Tracker) Sampled() bool { return t.rtt.sampled }

func (t *Tracker) since(now time.Time) time.Duration {
	if now == t.lastTime { // usual: since is called several times in a frame of the app
		return t.elapsed
	}
	if !t.begun {
		t.start, t.begun = now, true
	}
	t.lastTime, t.elapsed = now, now.Sub(t.start)
	return t.elapsed
}
