// Package replay tells packets that have come from those that have come before.
package replay

// Size is how many numbers back a packet can still be told from one seen
// before; fixed by the standard.
const Size = 256

// Window remembers which of the last 256 sequence numbers were received. The zero value
// has received none.
type Window struct {
	newest uint64
	any    bool
	seen   [Size / 64]uint64 // by sequence modulo the window
}

// Fresh reports whether the number was not received yet and is not too old to
// tell. It changes nothing: a forged packet must not move the window.
func (w *Window) Fresh(sequence uint64) bool {
	if !w.any || sequence > w.newest {
		return true
	}
	if w.newest-sequence >= Size { // the sum sequence+256 could overflow
		return false
	}
	at := sequence % Size
	return w.seen[at/64]>>(at%64)&1 == 0
}

// Mark records a number that was fresh, after its packet has been opened.
func (w *Window) Mark(sequence uint64) {
	switch {
	case !w.any:
		w.any, w.newest = true, sequence
	case sequence > w.newest:
		w.forget(sequence)
		w.newest = sequence
	}
	at := sequence % Size
	w.seen[at/64] |= 1 << (at % 64)
}

// forget clears the places of the numbers after newest, up to sequence.
func (w *Window) forget(sequence uint64) {
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
