package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Shown is the server time of the interpolated state that a player saw on the screen.
type Shown struct {
	Tick     entangle.Tick
	Fraction uint8 // of a tick, in 256ths
}

// appendShown writes the shown time as a distance back from the packet's tick. A time that is after
// that tick, or too far before it, is written as if there were none.
func appendShown(w *bits.Writer, s *Shown, header entangle.Tick) {
	if s != nil {
		if back := header.Sub(s.Tick); back >= 0 && back <= maxShown {
			w.Bool(true)
			w.Uvarint(uint64(back))
			w.Bits(uint64(s.Fraction), 8)
			return
		}
	}
	w.Bool(false)
}

func readShown(r *bits.Reader, header entangle.Tick) (s Shown, ok bool) {
	if !r.Bool() {
		return s, false
	}
	back := r.Uvarint()
	if back > maxShown {
		r.Fail(ErrDistance)
		return s, false
	}
	return Shown{Tick: header - entangle.Tick(back), Fraction: uint8(r.Bits(8))}, true
}
