package repl

import "github.com/entangle-ecs/entangle"

// From is the baselines of an update.
type From struct {
	// Base is the baseline: the receiver has the group as of this tick or a later one, or will before it applies the update.
	Base entangle.Tick
	// Prev is how many ticks the previous baseline is before Base: the baseline of the update to Base. The
	// receiver had that as well, so both sides know how values changed from one to the other. 0: there is none.
	Prev uint8
}

// HistoryTicks is how many ticks back both sides keep the values of components that
// are sent as differences, counting the present one. An update from an older baseline holds whole values.
const HistoryTicks = 64

// MaxPrev bounds From.Prev: no history reaches further back.
const MaxPrev = HistoryTicks - 1

// Differs reports whether an update of a tick holds differences, of the components
// that are sent as such.
func (f From) Differs(tick entangle.Tick) bool { return tick.Sub(f.Base) < HistoryTicks }

// Previous returns the previous baseline, if an update of a tick may use it.
func (f From) Previous(tick entangle.Tick) (prev entangle.Tick, ok bool) {
	prev = f.Base - entangle.Tick(f.Prev)
	return prev, f.Prev > 0 && tick.Sub(prev) < HistoryTicks
}
