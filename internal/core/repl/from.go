package repl

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// From is what an update starts from: what its receiver holds already.
type From struct {
	// Base is a tick that the receiver holds the group at, or has held it at.
	Base entangle.Tick
	// Apart is how many ticks before Base the base was that the update to Base started
	// from. The receiver held that as well, and so both sides know how values moved
	// from one to the other. 0: there is none.
	Apart uint8
}

// HistoryTicks is how many ticks back both sides keep the values of components that
// are sent as differences, counting the present one. An update from a base that is
// older holds whole values.
const HistoryTicks = 64

// MaxApart bounds From.Apart: no history reaches further back.
const MaxApart = HistoryTicks - 1

// ApartBits is the width of From.Apart, 1 to MaxApart.
const ApartBits = 6

// Differs reports whether an update of a tick holds differences, of the components
// that are sent as such.
func (f From) Differs(tick entangle.Tick) bool { return tick.Sub(f.Base) < HistoryTicks }

// Older returns the base before Base that values are known at, if an update of a tick
// may make use of it.
func (f From) Older(tick entangle.Tick) (older entangle.Tick, ok bool) {
	older = f.Base - entangle.Tick(f.Apart)
	return older, f.Apart > 0 && tick.Sub(older) < HistoryTicks
}

func (f From) apartWidth() int {
	if f.Apart == 0 {
		return 1
	}
	return 1 + ApartBits
}

func appendApart(w *pack.Writer, apart uint8) {
	w.Bool(apart > 0)
	if apart > 0 {
		w.Bits(uint64(apart), ApartBits)
	}
}

// errApart is a base that is said to be no ticks before another.
var errApart = errors.New("repl: malformed base")

func readApart(r *pack.Reader) (apart uint8) {
	if !r.Bool() {
		return 0
	}
	if apart = uint8(r.Bits(ApartBits)); apart == 0 && r.Err() == nil {
		r.Fail(errApart)
	}
	return apart
}
