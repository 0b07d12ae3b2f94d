// Package replay detects packets that were received before.
package replay

// Size is how many of the newest sequence numbers are recorded. The netcode standard prescribes it.
const Size = 256

// Window records which of the last 256 sequence numbers were received. The zero value is ready to
// use.
type Window struct {
	newest uint64
	any    bool
	seen   [Size / 64]uint64 // indexed by sequence number modulo Size
}

// Fresh reports whether a sequence number was not received yet and is not older than the window. It
// records nothing, because a forged packet must not move the window; see Mark.
func (w *Window) Fresh(sequence uint64) bool {
	if !w.any || sequence > w.newest {
		return true
	}
	if w.newest-sequence >= Size { // because sequence+256 could overflow
		return false
	}
	at := sequence % Size
	return w.seen[at/64]>>(at%64)&1 == 0
}

// Mark records a fresh sequence number. Call it after its packet was authenticated.
func (w *Window) Mark(sequence uint64) {
	switch {
	case !w.any:
		w.any, w.newest = true, sequence
	case sequence > w.newest:
		w.clearUpTo(sequence)
		w.newest = sequence
	}
	at := sequence % Size
	w.seen[at/64] |= 1 << (at % 64)
}

// clearUpTo clears the bits of the numbers after newest, up to and including sequence.
func (w *Window) clearUpTo(sequence uint64) {
	if sequence-w.newest >= Size {
		w.seen = [Size / 64]uint64{}
		return
	}
	for s := w.newest; s != sequence; {
		s++
		at := s % Size
		w.seen[at/64] &^= 1 << (at % 64)
	}
}
