// Package confirm finds the confirmed tick of a client: the newest tick that the server marked, and of
// which everything that the mark covers was applied. Prediction compares its own state with it (B1, B9).
//
// A mark consists of parts, one in each packet with predicted groups of the tick. It covers the updates
// that stand before it in its frame, and its parts name the ticks that other groups must have
// reached. Parts arrive in any order and several times. A tick that misses a part is not confirmed, but
// a later one will be.
package confirm

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// maxPending is the number of ticks after which a marked tick that is not confirmed is forgotten.
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
	newest    entangle.Tick // the newest tick with a mark
	pending   []pending     // by tick modulo maxPending; none before the first mark
	behind    []repl.Need   // the groups of the current frame with an update that could not be applied
	needs     []repl.Need   // scratch
}

// pending is an unconfirmed tick with marks.
type pending struct {
	tick  entangle.Tick
	parts uint64 // bit by part of the mark: it has arrived
	end   int    // number of parts; 0: not known
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
	if bit := uint64(1) << part; p.parts&bit == 0 {
		p.parts |= bit
		p.addUnmet(t.needs, replica)
		p.addUnmet(t.behind, replica)
	}
	if last {
		p.end = int(part) + 1
	}
	return true
}

// pendingAt returns the pending state of a tick, or nil for one that is confirmed or too old.
func (t *Ticks) pendingAt(tick entangle.Tick) *pending {
	if t.any && !t.confirmed.Before(tick) {
		return nil
	}
	if t.pending == nil {
		t.pending, t.newest = make([]pending, maxPending), tick
	}
	if t.newest.Before(tick) {
		t.newest = tick
	}
	p := &t.pending[tick%maxPending]
	if p.parts == 0 || p.tick.Before(tick) {
		*p = pending{tick: tick, unmet: p.unmet[:0]}
	}
	if p.tick != tick {
		return nil
	}
	return p
}

// addUnmet adds the unmet needs among some to those of a tick.
func (p *pending) addUnmet(needs []repl.Need, replica Replica) {
	for i := range needs {
		if len(p.unmet) <= maxUnmet && len(replica.Unmet(needs[i:i+1])) > 0 {
			p.unmet = append(p.unmet, needs[i])
		}
	}
}

// Advance finds the newest tick that is confirmed now: the newer ones are examined first.
func (t *Ticks) Advance(replica Replica) {
	tick := t.newest
	for n := 0; n < len(t.pending) && (!t.any || t.confirmed.Before(tick)); n++ {
		p := &t.pending[tick%maxPending]
		if p.tick == tick && p.complete() {
			if p.unmet = replica.Unmet(p.unmet); len(p.unmet) == 0 {
				t.confirmed, t.any = tick, true
				return
			}
		}
		tick--
	}
}

// complete reports whether all parts have arrived and their unmet needs are known. Parts that contradict each other are
// never complete, or are what the last one says.
func (p *pending) complete() bool {
	return p.end != 0 && p.parts == 1<<p.end-1 && len(p.unmet) <= maxUnmet
}
