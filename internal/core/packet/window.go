package packet

import (
	"math/bits"
	"time"
)

// window is the receiving side of a Tracker: it records which of the last 33 ids arrived, and which
// of them need an acknowledgement.
type window struct {
	newest   uint16
	newestAt time.Duration // when newest arrived
	bits     uint32        // bit i is set if newest-1-i arrived
	ordered  bool          // see Config.Ordered
	late     uint32        // those of bits that arrived after a newer id, since the last time of a header
	withheld uint32        // those that arrived so before
	reported uint16        // the newest id in the headers of that time
	headerAt time.Duration // that time

	unacked      int           // number of fresh ids since the last header was sent
	firstUnacked uint16        // the first of them to arrive
	unackedSince time.Duration // when it arrived
}

// recordID records id and reports whether it is fresh, which means that it was not received before
// and is not older than the window.
func (w *window) recordID(id uint16, at time.Duration) (fresh, tooOld bool) {
	ahead := int16(id - w.newest)
	switch {
	case ahead > 0:
		w.shiftTo(uint(ahead))
		w.newest, w.newestAt = id, at
	case ahead == 0:
		return false, false
	case int(-int32(ahead)) >= WindowSize:
		return false, true
	default:
		bit := uint32(1) << (-int32(ahead) - 1)
		if w.bits&bit != 0 {
			return false, false
		}
		w.bits |= bit
		// It must not be acknowledged before a newer one that arrived before it and waits for the next headers.
		newerWaits := w.late&(bit-1) != 0
		if w.ordered && (w.reported != w.newest || at == w.headerAt || newerWaits) {
			w.late |= bit
		}
	}
	w.needAck(id, at)
	return true, false
}

// shiftTo turns the newest id into one of the bits. If no packet had arrived, id 0 becomes a bit as
// well, which the sender ignores.
func (w *window) shiftTo(by uint) {
	w.bits = w.bits<<by | uint32(1)<<(by-1)
	w.late <<= by
	w.withheld <<= by
}

func (w *window) needAck(id uint16, at time.Duration) {
	if w.unacked == 0 {
		w.firstUnacked, w.unackedSince = id, at
	}
	w.unacked++
}

// acknowledge returns the bits of a header that is sent at a time. With Config.Ordered it leaves out an id that arrived
// after a newer one which no header had acknowledged before that time: that one is first, so that the peer knows the
// order. The headers of the next time have both. Of two headers of one time either may arrive first.
func (w *window) acknowledge(at time.Duration) (acked uint32) {
	if at != w.headerAt || w.full() { // a full window acknowledges all at once
		w.withheld, w.late, w.headerAt = w.late, 0, at
	}
	w.reported = w.newest
	left := w.late | w.withheld
	if w.unacked = bits.OnesCount32(left); w.unacked > 0 {
		w.firstUnacked = w.newest - uint16(bits.Len32(left))
	}
	return w.bits &^ left
}

func (w *window) due(at, delay time.Duration) bool {
	// What the headers of this time withhold is due at the next one.
	waits := w.unacked > 0 && (at != w.headerAt || w.late|w.withheld == 0)
	return w.full() || waits && at-w.unackedSince >= delay
}

// full compares ids and does not only count them, because lost packets between them use up the
// window as received ones do.
func (w *window) full() bool {
	return w.unacked > 0 && (w.unacked >= AckEvery || int16(w.newest-w.firstUnacked) >= AckEvery)
}
