package packet

import "time"

// window is the receiving side: which of the last 33 ids arrived, and whether the
// peer has been told.
type window struct {
	newest uint16
	bits   uint32 // bit i: newest-1-i arrived

	owed      int           // fresh ids since the last header that left
	firstOwed uint16        // the oldest of them in order of arrival
	owedSince time.Duration // when it arrived
}

// receive notes id and reports whether it is fresh: neither seen before nor
// behind the window.
func (w *window) receive(id uint16, at time.Duration) (fresh, tooOld bool) {
	ahead := int16(id - w.newest)
	switch {
	case ahead > 0:
		w.advance(uint(ahead))
		w.newest = id
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
	w.owe(id, at)
	return true, false
}

// advance makes the newest id one of the bits. The id before the first packet
// (0) becomes a bit as well, which the sender knows to mean nothing.
func (w *window) advance(by uint) {
	w.bits = w.bits<<by | uint32(1)<<(by-1)
}

func (w *window) owe(id uint16, at time.Duration) {
	if w.owed == 0 {
		w.firstOwed, w.owedSince = id, at
	}
	w.owed++
}

func (w *window) told() { w.owed = 0 }

func (w *window) due(at, delay time.Duration) bool {
	return w.full() || w.owed > 0 && at-w.owedSince >= delay
}

// full counts ids by distance too: lost packets between them use up the window as
// received ones do.
func (w *window) full() bool {
	return w.owed > 0 && (w.owed >= AckEvery || int16(w.newest-w.firstOwed) >= AckEvery)
}
