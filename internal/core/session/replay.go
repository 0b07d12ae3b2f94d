package session

// replayWindow is how many numbers back a packet can still be told from one seen
// before; fixed by the standard.
const replayWindow = 256

// replay remembers which of the last 256 sequence numbers were received.
type replay struct {
	newest uint64
	any    bool
	seen   [replayWindow / 64]uint64 // by sequence modulo the window
}

// fresh reports whether the number was not received yet and is not too old to
// tell. It changes nothing: a forged packet must not move the window.
func (r *replay) fresh(sequence uint64) bool {
	if !r.any || sequence > r.newest {
		return true
	}
	if r.newest-sequence >= replayWindow { // the sum sequence+256 could overflow
		return false
	}
	at := sequence % replayWindow
	return r.seen[at/64]>>(at%64)&1 == 0
}

// mark records a number that was fresh, after its packet has been opened.
func (r *replay) mark(sequence uint64) {
	switch {
	case !r.any:
		r.any, r.newest = true, sequence
	case sequence > r.newest:
		r.forget(sequence)
		r.newest = sequence
	}
	at := sequence % replayWindow
	r.seen[at/64] |= 1 << (at % 64)
}

// forget clears the places of the numbers after newest, up to sequence.
func (r *replay) forget(sequence uint64) {
	if sequence-r.newest >= replayWindow {
		r.seen = [replayWindow / 64]uint64{}
		return
	}
	for s := r.newest; s != sequence; {
		s++
		at := s % replayWindow
		r.seen[at/64] &^= 1 << (at % 64)
	}
}
