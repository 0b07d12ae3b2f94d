package packet

import "time"

// window is the receiving side of a Tracker: it records which of the last 33 ids arrived, and which
// of them need an acknowledgement.
type window struct {
	newest   uint16
	newestAt time.Duration // when newest arrived
	bits     uint32        // bit i is set if newest-1-i arrived

	unacked       int           // number of fresh ids since the last header was sent
	oldestUnacked uint16        // the oldest of them
	unackedSince  time.Duration // when it arrived
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
	}
	w.needAck(id, at)
	return true, false
}

// shiftTo turns the newest id into one of the bits. If no packet had arrived, id 0 becomes a bit as
// well, which the sender ignores.
func (w *window) shiftTo(by uint) {
	w.bits = w.bits<<by | uint32(1)<<(by-1)
}

func (w *window) needAck(id uint16, at time.Duration) {
	if w.unacked == 0 {
		w.oldestUnacked, w.unackedSince = id, at
	}
	if int16(id-w.oldestUnacked) < 0 {
		w.oldestUnacked = id
	}
	w.unacked++
}

func (w *window) acknowledge() { w.unacked = 0 }

func (w *window) due(at, delay time.Duration) bool {
	return w.full() || w.unacked > 0 && at-w.unackedSince >= delay
}

// full compares ids and does not only count them, because lost packets between them use up the
// window as received ones do.
func (w *window) full() bool {
	return w.unacked > 0 && (w.unacked >= AckEvery || int16(w.newest-w.oldestUnacked) >= AckEvery)
}
