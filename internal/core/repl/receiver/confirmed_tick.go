package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

const (
	// maxPending bounds the unconfirmed ticks; a further one replaces the oldest.
	maxPending = 64
	// maxOpen bounds the unmet needs of one unconfirmed tick. A tick with more is never confirmed:
	// a later tick will be.
	maxOpen = 256
)

// confirmedTick is the newest tick for which all marked groups have arrived.
type confirmedTick struct {
	tick    entangle.Tick
	any     bool
	pending []*pending // by rising tick
	spare   []*pending
	// behind is the groups with an update in the current frame that could not be applied.
	behind []repl.Need
}

// pending is an unconfirmed tick with marks.
type pending struct {
	tick  entangle.Tick
	parts uint64 // by part of the mark, a bit: it has arrived
	end   int    // number of parts; 0: not known
	never bool   // it has more than maxOpen unmet needs
	open  []repl.Need
}

// ConfirmedTick returns the newest tick that the sender marked and of which everything marked was
// applied. ok is false before the first. The tick only rises.
func (r *Receiver) ConfirmedTick() (tick entangle.Tick, ok bool) {
	return r.confirmed.tick, r.confirmed.any
}

// lags notes that an update of the current frame was not applied. The frame's tick can't be
// confirmed before the group has reached it.
func (r *Receiver) lags(rec *record) {
	if f := &r.confirmed; len(f.behind) <= maxOpen {
		f.behind = append(f.behind, repl.Need{Group: rec.Group, Tick: rec.Tick})
	}
}

// readMark reads a mark of a tick, which covers all updates that stand before it in the frame.
func (r *Receiver) readMark(tick entangle.Tick) error {
	part, last, ok := r.in.Uvarint(), r.in.Bool(), true
	if r.needs = r.needs[:0]; last {
		r.needs, ok = repl.ReadNeeds(&r.in, tick, r.needs)
	}
	r.in.Align()
	if !ok || r.in.Err() != nil || part >= repl.MaxParts {
		return ErrMalformed
	}
	p := r.confirmed.pendingAt(tick)
	if p == nil {
		return nil
	}
	fresh, ok := p.addPart(int(part), last)
	if fresh {
		r.addUnmet(p, r.needs)
		r.addUnmet(p, r.confirmed.behind)
	}
	return malformedIf(!ok)
}

// pendingAt returns the pending state of a tick, or nil for one that is confirmed or too old.
func (f *confirmedTick) pendingAt(tick entangle.Tick) *pending {
	if f.any && !f.tick.Before(tick) {
		return nil
	}
	i := len(f.pending)
	for i > 0 && tick.Before(f.pending[i-1].tick) {
		i--
	}
	if i > 0 && f.pending[i-1].tick == tick {
		return f.pending[i-1]
	}
	if len(f.pending) == maxPending {
		if i == 0 {
			return nil
		}
		f.dropOldest(1)
		i--
	}
	p := f.newPending()
	p.tick = tick
	f.pending = slices.Insert(f.pending, i, p)
	return p
}

func (f *confirmedTick) newPending() *pending {
	n := len(f.spare)
	if n == 0 {
		return &pending{}
	}
	p := f.spare[n-1]
	f.spare = f.spare[:n-1]
	*p = pending{open: p.open[:0]}
	return p
}

// dropOldest forgets the n oldest pending ticks.
func (f *confirmedTick) dropOldest(n int) {
	f.spare = append(f.spare, f.pending[:n]...)
	f.pending = slices.Delete(f.pending, 0, n)
}

// addPart notes a part of the mark. fresh is false for a repeated part. It is not ok if the part
// contradicts the previous ones.
func (p *pending) addPart(part int, last bool) (fresh, ok bool) {
	bit := uint64(1) << part
	had := p.parts&bit != 0
	switch {
	case last && (p.end != 0 && p.end != part+1 || p.parts > bit|(bit-1) || had && p.end == 0):
		return false, false
	case !last && p.end != 0 && part+1 >= p.end:
		return false, false
	}
	if last {
		p.end = part + 1
	}
	p.parts |= bit
	return !had, true
}

// addUnmet adds the unmet needs among some to those of a tick.
func (r *Receiver) addUnmet(p *pending, needs []repl.Need) {
	for _, n := range needs {
		switch {
		case r.met(n):
		case len(p.open) == maxOpen:
			p.never = true
			return
		default:
			p.open = append(p.open, n)
		}
	}
}

// advance finds the newest tick that is confirmed now.
func (r *Receiver) advance() {
	f := &r.confirmed
	for i := len(f.pending) - 1; i >= 0; i-- {
		if p := f.pending[i]; p.complete() && r.closed(p) {
			f.tick, f.any = p.tick, true
			f.dropOldest(i + 1)
			return
		}
	}
}

// complete reports whether all parts have arrived.
func (p *pending) complete() bool {
	return p.end != 0 && p.parts == ^uint64(0)>>(repl.MaxParts-p.end) && !p.never
}

// closed reports whether no needs are unmet.
func (r *Receiver) closed(p *pending) bool {
	p.open = r.unmet(p.open)
	return len(p.open) == 0
}
