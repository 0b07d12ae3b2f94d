package packet

import (
	"errors"
	"math/bits"
	"time"
)

// ErrBadAcks is returned for a peer that acknowledges what was never sent.
var ErrBadAcks = errors.New("packet: peer acknowledges packets that were never sent")

// handleAcks notes what one header acknowledges and returns how many ids it
// looked at: at most 33. Nearly all that a header says was said by the one before it: of
// that nothing is looked at, which lies far from the processor.
func (t *Tracker) handleAcks(ack uint16, ackBits uint32, at time.Duration) (steps int) {
	newest := t.sent.newest()
	behind := newest - uint64(ack)
	behind &= 0xffff
	if behind >= 1<<15 || behind > newest {
		t.stats.BadAcks++
		return 1
	}
	seq := newest - behind
	said := uint64(ackBits)<<1 | 1
	if seq < WindowSize {
		never := said >> (seq + 1) << (seq + 1)
		steps = bits.OnesCount64(never)
		t.stats.BadAcks += uint64(steps)
		said &^= never
	}
	for left := t.said.news(seq, said); left != 0; steps++ {
		back := uint64(bits.Len64(left) - 1) // the oldest first
		left &^= 1 << back
		t.handleAck(seq-back, at, back == 0)
	}
	return steps
}

// said is what the peer has acknowledged, of the sequences up to the newest that it has.
type said struct {
	newest uint64
	bits   uint64 // bit i: newest-i
}

// news takes down what a header says: bit i is seq-i. It returns what was not said before,
// or so long ago that it is not known any more.
func (s *said) news(seq, header uint64) uint64 {
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

// handleAck notes that the peer has seq. Sequence 0 stands for "nothing yet".
// Only the newest id of a header is a sample of the round trip: the others may
// have waited for it.
func (t *Tracker) handleAck(seq uint64, at time.Duration, sample bool) {
	if !t.sent.holds(seq) {
		return
	}
	s := t.sent.slot(seq)
	switch s.state() {
	case inFlight:
		s.become(acked)
		t.sent.pushAcked(seq)
		t.stats.Acked++
		t.loss.add(false)
	case lost:
		s.become(lostThenAcked)
		t.stats.Spurious++
	default:
		return
	}
	if t.newestAcked < seq {
		t.newestAcked, t.unheard.since = seq, at
	}
	if sample {
		t.rtt.sample(at - s.at())
	}
}

// TakeAcked returns the ids that were acknowledged since it was called last and had not
// been given up: those that one header acknowledges in the order in which they left.
// They are valid until the next HandleHeader.
func (t *Tracker) TakeAcked() []uint16 { return t.sent.takeAcked() }

// PollLost returns the next id that is given up; ok is false when there is none.
// An id is lost when it has waited for longer than the timeout (see Config), when
// the peer's window has moved past it, or when MaxInFlight ids are newer.
func (t *Tracker) PollLost(now time.Time) (id uint16, ok bool) {
	at := t.since(now)
	if !t.sent.skipResolved() || !t.givenUp(t.sent.oldest, at) {
		return 0, false
	}
	seq := t.sent.oldest
	t.sent.slot(seq).become(lost)
	t.sent.oldest++
	t.stats.Lost++
	t.loss.add(true)
	return uint16(seq), true
}

func (t *Tracker) givenUp(seq uint64, at time.Duration) bool {
	return at-t.sent.slot(seq).at() >= t.rtt.timeout(&t.cfg) ||
		seq+WindowSize <= t.newestAcked ||
		seq+MaxInFlight < t.sent.next
}
