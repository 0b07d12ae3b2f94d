package receiver

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// units keeps units until they apply: when all parts have arrived, and each group has reached the baseline of its
// action. Then all actions are applied, so that no entity is in two groups or in none (R41).
type units struct {
	waiting []*unit // by rising tick and number
	unused  []*unit
	head    repl.UnitHead // of the current part
	cursor  int           // index of the unit that is examined next
}

// unit is what has arrived of a unit.
type unit struct {
	tick   entangle.Tick
	number uint32
	parts  []part
	have   int // number of parts that have arrived
	end    int // number of parts; 0: not known
	size   int // bytes that it counts for
	needs  []repl.Need
}

// part is a part of a unit.
type part struct {
	arrived bool
	body    []byte
}

// readPart reads a part of a unit, and keeps it.
func (a *actionReader) readPart(tick entangle.Tick) error {
	in, head := &a.bodies.in, &a.units.head
	if !head.Read(in, tick) {
		return ErrMalformed
	}
	start := *in
	if err := a.skipPart(tick); err != nil {
		return err
	}
	width := start.RemainingBits() - in.RemainingBits()
	last := in.Bool()
	if a.bodies.report != nil {
		return nil
	}
	w := a.units.find(tick, head.Number)
	before := w.size
	p := w.part(int(head.Part))
	if p.arrived || w.end > 0 && int(head.Part) >= w.end || last && int(head.Part)+1 < len(w.parts) {
		return ErrMalformed
	}
	if last {
		w.end = int(head.Part) + 1
	}
	w.have++
	p.arrived, p.body = true, copyBits(p.body, start, width)
	w.needs = append(w.needs, head.Needs...)
	w.size += len(p.body) + len(head.Needs)*needBytes + overhead
	a.waiting.count(w.size - before)
	if a.waiting.isOver() { // here, since a message of a few parts with high numbers may take any memory
		behind := *in
		err := a.applyUnits()
		if *in = behind; err != nil {
			return err
		}
	}
	return a.checkRoom()
}

// The sizes that needs and parts of a unit count for.
const (
	needBytes = 8
	partBytes = 32
)

// part returns a part by its number.
func (w *unit) part(n int) *part {
	if more := n + 1 - len(w.parts); more > 0 {
		w.parts = slices.Grow(w.parts, more)
		for range more {
			w.parts = w.parts[:len(w.parts)+1]
			w.parts[len(w.parts)-1].arrived = false
		}
		w.size += more * partBytes
	}
	return &w.parts[n]
}

// skipPart reads past the records of a part. It adds their baselines to the needs of the head.
func (a *actionReader) skipPart(tick entangle.Tick) error {
	heads := repl.Heads{Tick: tick}
	for {
		more, ok := heads.Read(&a.bodies.in, &a.rec)
		if !ok || a.rec.Usual {
			return ErrMalformed
		}
		if !more {
			return nil
		}
		if err := a.bodies.skipRecord(&a.rec); err != nil {
			return err
		}
		if a.rec.Kind != repl.Full {
			a.units.head.Needs = append(a.units.head.Needs, repl.Need{Group: a.rec.Group, Tick: a.rec.Base})
		}
	}
}

// find returns the waiting unit with a tick and number, which is new if none of it has arrived.
func (u *units) find(tick entangle.Tick, number uint32) *unit {
	at, found := slices.BinarySearchFunc(u.waiting, number, func(w *unit, number uint32) int {
		return cmp.Or(cmp.Compare(w.tick, tick), cmp.Compare(w.number, number))
	})
	if found {
		return u.waiting[at]
	}
	var w *unit
	if n := len(u.unused); n > 0 {
		w, u.unused = u.unused[n-1], u.unused[:n-1]
	} else {
		w = &unit{}
	}
	w.tick, w.number = tick, number
	u.waiting = slices.Insert(u.waiting, at, w)
	return w
}

// maxUnused bounds the units that are kept for reuse, and maxUnusedBytes the size of each.
const (
	maxUnused      = 64
	maxUnusedBytes = 4 << 10
)

// unitEffort bounds the units that are examined in one call of applyUnits without a result: a hostile peer may make many.
// The next call continues there: see Receiver.Continue.
const unitEffort = 1 << 9

// applyUnits applies the units that can be, of which one may depend on another.
func (a *actionReader) applyUnits() error {
	u := &a.units
	for idle := 0; idle < min(len(u.waiting), unitEffort); idle++ {
		u.cursor %= len(u.waiting)
		w := u.waiting[u.cursor]
		if w.have == w.end {
			w.needs = a.groups.Unmet(w.needs)
		}
		if w.have != w.end || len(w.needs) > 0 {
			u.cursor++
			continue
		}
		u.waiting = slices.Delete(u.waiting, u.cursor, u.cursor+1)
		if err := a.applyUnit(w); err != nil {
			return err
		}
		idle = -1
	}
	return nil
}

// applyUnit applies a unit with met needs.
func (a *actionReader) applyUnit(w *unit) error {
	a.waiting.count(-w.size)
	for i := range w.parts {
		a.bodies.in.Reset(w.parts[i].body)
		if err := a.readRecords(w.tick); err != nil {
			return err
		}
	}
	a.despawnAbandoned(w.tick)
	if w.size <= maxUnusedBytes && len(a.units.unused) < maxUnused {
		*w = unit{parts: w.parts[:0], needs: w.needs[:0]}
		a.units.unused = append(a.units.unused, w)
	}
	return nil
}
