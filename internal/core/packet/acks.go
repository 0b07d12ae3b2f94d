package packet

import (
	"errors"
	"math/bits"
	"time"
)

// ErrBadAcks is returned by HandleHeader if the peer acknowledges packets that were never sent.
var ErrBadAcks = errors.New("packet: peer acknowledges packets that were never sent")

// handleAcks processes the acknowledgements of one header and returns how many ids it examined: at
// most 33. It skips those that an earlier header acknowledged already, which most of them are,
// because the slots of their packets are rarely in the processor's cache.
func (t *Tracker) handleAcks(h Header, at time.Duration) (steps int) {
	newest := t.sent.newest()
	behind := newest - uint64(h.Ack)
	behind &= 0xffff
	if behind >= 1<<15 || behind > newest {
		t.stats.BadAcks++
		return 1
	}
	seq := newest - behind
	acknowledged := uint64(h.AckBits)<<1 | 1
	if seq < WindowSize {
		never := acknowledged >> (seq + 1) << (seq + 1)
		steps = bits.OnesCount64(never)
		t.stats.BadAcks += uint64(steps)
		acknowledged &^= never
	}
	for left := t.acknowledged.record(seq, acknowledged); left != 0; steps++ {
		back := uint64(bits.Len64(left) - 1) // oldest first
		left &^= 1 << back
		if t.handleAck(seq-back, at) && back == 0 {
			t.rtt.sample(at-t.sent.slot(seq).sentAt(), h.AckDelay)
		}
	}
	return steps
}

// acknowledged records which sequences the peer has acknowledged, up to the newest.
type acknowledged struct {
	newest uint64
	bits   uint64 // bit i stands for newest-i
}

// record records the acknowledgements of a header, where bit i stands for seq-i. It returns those
// that are new, or too old to be recorded.
func (s *acknowledged) record(seq, header uint64) uint64 {
	if seq <= s.newest {
		back := s.newest - seq
		known := s.bits >> back
		s.bits |= header << back
		return header &^ known
	}
	known := s.bits << (seq - s.newest)
	s.newest, s.bits = seq, known|header
	return header &^ known
}

// handleAck records that the peer has received seq, and reports whether that is new. Sequence 0
// means that the peer has received nothing yet.
func (t *Tracker) handleAck(seq uint64, at time.Duration) bool {
	if !t.sent.holds(seq) {
		return false
	}
	s := t.sent.slot(seq)
	switch s.state() {
	case inFlight:
		s.become(acked)
		t.sent.pushAcked(seq)
		t.stats.Acked++
		t.loss.addSample(false)
	case lost:
		s.become(lostThenAcked)
		t.stats.Spurious++
	default:
		return false
	}
	if t.newestAcked < seq {
		t.newestAcked, t.throttle.since = seq, at
	}
	return true
}

// TakeAcked returns the ids that were acknowledged since the last call, without those that PollLost
// had returned before. Ids that one header acknowledged are in the order of sending. The result is
// valid until the next HandleHeader.
func (t *Tracker) TakeAcked() []uint16 { return t.sent.takeAcked() }

// PollLost returns the next lost id; ok is false if there is none. An id is lost if it has been in
// flight for longer than the timeout (see Config), if it is too old for newer headers to acknowledge it
// and an older header that was overtaken would have arrived, or if more than MaxInFlight newer ids were sent.
func (t *Tracker) PollLost(now time.Time) (id uint16, ok bool) {
	at := t.since(now)
	if !t.sent.skipResolved() || !t.lost(t.sent.oldest, at) {
		return 0, false
	}
	seq := t.sent.oldest
	t.sent.slot(seq).become(lost)
	t.sent.oldest++
	t.stats.Lost++
	t.loss.addSample(true)
	return uint16(seq), true
}

func (t *Tracker) lost(seq uint64, at time.Duration) bool {
	age := at - t.sent.slot(seq).sentAt()
	return age >= t.rtt.timeout(&t.cfg) ||
		seq+WindowSize <= t.newestAcked && age >= t.rtt.longest(&t.cfg) ||
		seq+MaxInFlight < t.sent.next
}
