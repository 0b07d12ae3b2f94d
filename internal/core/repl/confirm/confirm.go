// Package confirm finds the confirmed tick of a client: the newest tick that the server marked, and of
// which everything that the mark covers was applied. Prediction compares its own state with it (B1, B9).
//
// A mark consists of parts, one in each packet with predicted groups of the tick. It covers the updates
// that stand before it in its frame, and its parts name the ticks that other groups must have
// reached. Parts arrive in any order and several times. A tick that misses a part is not confirmed, but
// a later one will be.
package confirm

import (
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// maxPending bounds the unconfirmed ticks; a further one replaces the oldest.
	maxPending = 64
	// maxUnmet bounds the unmet needs of one unconfirmed tick, and so the memory for those of all to 1 MiB. A tick with
	// more is never confirmed.
	maxUnmet = 2048
)

// Replica reports which ticks the groups of a replica have reached.
type Replica interface {
	// Unmet returns needs without the met ones at the end: none if all are met.
	Unmet(needs []repl.Need) []repl.Need
}

// Ticks is the confirmed tick and the later ticks with marks.
type Ticks struct {
	confirmed entangle.Tick
	any       bool
	pending   []*pending // by rising tick
	free      []*pending
	behind    []repl.Need // the groups of the current frame with an update that could not be applied
	needs     []repl.Need // scratch
}

// pending is an unconfirmed tick with marks.
type pending struct {
	tick  entangle.Tick
	parts uint64 // bit by part of the mark: it has arrived
	end   int    // number of parts; 0: not known
	never bool   // it has more than maxUnmet unmet needs
	unmet []repl.Need
}

// Newest returns the confirmed tick. ok is false before the first. The tick only rises.
func (t *Ticks) Newest() (tick entangle.Tick, ok bool) { return t.confirmed, t.any }

// BeginFrame begins a frame of updates and marks.
func (t *Ticks) BeginFrame() { t.behind = t.behind[:0] }

// NotApplied notes that an update of the current frame was not applied. The frame's tick is not
// confirmed before the group has reached it.
func (t *Ticks) NotApplied(group repl.Handle, tick entangle.Tick) {
	if len(t.behind) <= maxUnmet {
		t.behind = append(t.behind, repl.Need{Group: group, Tick: tick})
	}
}

// ReadMark reads a mark of a tick. It is not ok if the bytes are malformed.
func (t *Ticks) ReadMark(in *pack.Reader, tick entangle.Tick, replica Replica) (ok bool) {
	part, last := in.Uvarint(), in.Bool()
	needs, ok := repl.ReadNeeds(in, tick, t.needs[:0])
	t.needs = needs
	in.Align()
	if !ok || in.Err() != nil || part >= repl.MaxParts {
		return false
	}
	p := t.pendingAt(tick)
	if p == nil {
		return true
	}
	fresh, ok := p.addPart(int(part), last)
	if fresh {
		p.addUnmet(t.needs, replica)
		p.addUnmet(t.behind, replica)
	}
	return ok
}

// pendingAt returns the pending state of a tick, or nil for one that is confirmed or too old.
func (t *Ticks) pendingAt(tick entangle.Tick) *pending {
	if t.any && !t.confirmed.Before(tick) {
		return nil
	}
	i, found := slices.BinarySearchFunc(t.pending, tick, func(p *pending, tick entangle.Tick) int { return int(p.tick.Sub(tick)) })
	if found {
		return t.pending[i]
	}
	if len(t.pending) == maxPending {
		if i == 0 {
			return nil
		}
		t.dropOldest(1)
		i--
	}
	var p *pending
	if n := len(t.free); n > 0 {
		p, t.free = t.free[n-1], t.free[:n-1]
	} else {
		p = new(pending)
	}
	*p = pending{tick: tick, unmet: p.unmet[:0]}
	t.pending = slices.Insert(t.pending, i, p)
	return p
}

// dropOldest drops the n oldest pending ticks.
func (t *Ticks) dropOldest(n int) {
	t.free = append(t.free, t.pending[:n]...)
	t.pending = slices.Delete(t.pending, 0, n)
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
func (p *pending) addUnmet(needs []repl.Need, replica Replica) {
	for i := range needs {
		switch {
		case len(replica.Unmet(needs[i:i+1])) == 0:
		case len(p.unmet) == maxUnmet:
			p.never = true
			return
		default:
			p.unmet = append(p.unmet, needs[i])
		}
	}
}

// Advance finds the newest tick that is confirmed now.
func (t *Ticks) Advance(replica Replica) {
	for i := len(t.pending) - 1; i >= 0; i-- {
		p := t.pending[i]
		if !p.complete() {
			continue
		}
		if p.unmet = replica.Unmet(p.unmet); len(p.unmet) == 0 {
			t.confirmed, t.any = p.tick, true
			t.dropOldest(i + 1)
			return
		}
	}
}

// complete reports whether all parts have arrived and their unmet needs are known.
func (p *pending) complete() bool {
	return p.end != 0 && bits.OnesCount64(p.parts) == p.end && !p.never
}
