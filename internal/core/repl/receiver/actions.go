package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// actionReader reads action messages.
type actionReader struct {
	*replica
	rec   repl.Record // the current one
	units units
	usual usual
	ids   []repl.ID   // of a run of new entities
	slots []repl.Slot // of a run of ended ones
}

// usual is what stood before the values of the last full of an action message, if a usual record may
// follow: after a full, or after an end without leavers.
type usual struct {
	comps set.Mask
	ok    bool
}

// read reads a message: records of single groups, or parts of units.
func (a *actionReader) read(message []byte) error {
	in := &a.bodies.in
	in.Reset(message)
	tick := entangle.Tick(in.Bits(32))
	ofUnits := in.Bool()
	if in.Err() != nil {
		return ErrMalformed
	}
	if !ofUnits {
		if err := a.readRecords(tick); err != nil {
			return err
		}
		a.despawnAbandoned(tick)
		return malformedIf(in.End() != nil)
	}
	for in.Bool() {
		if err := a.readPart(tick); err != nil {
			return err
		}
	}
	return malformedIf(in.End() != nil)
}

// readRecords reads records and applies them, or keeps them until they apply. Runs of usual records are applied at once
// where possible.
func (a *actionReader) readRecords(tick entangle.Tick) error {
	heads := repl.Heads{Tick: tick}
	for {
		more, ok := heads.Read(&a.bodies.in, &a.rec)
		if !ok {
			return ErrMalformed
		}
		if !more {
			return nil
		}
		n := 0
		switch usual := a.rec.Usual && a.usual.ok; {
		case usual && a.rec.Kind == repl.Full:
			n = a.spawnRun(&a.rec)
		case usual:
			n = a.endRun(&a.rec)
		}
		if n > 0 {
			heads.Skip(n - 1)
			continue
		}
		if err := a.readRecord(&a.rec); err != nil {
			return err
		}
	}
}

// readRecord reads the next record, and notes whether a usual record may follow.
func (a *actionReader) readRecord(rec *repl.Record) error {
	if rec.Usual {
		if !a.usual.ok {
			return ErrMalformed
		}
		a.bodies.bare = &a.usual.comps
		err := a.action(rec)
		a.bodies.bare = nil
		return err
	}
	if ahead := a.bodies.in; rec.Kind == repl.Gone {
		a.usual.ok = !ahead.Bool()
	} else {
		a.usual.ok = rec.Kind == repl.Full && ahead.Bits(repl.UsualFullBits) == repl.UsualFull && a.bodies.sets.Read(&ahead, &a.usual.comps)
	}
	return a.action(rec)
}

// action decides about a record, behind its head.
func (a *actionReader) action(rec *repl.Record) error {
	if a.bodies.report != nil {
		return a.bodies.skipRecord(rec)
	}
	g := a.groups.find(rec.Group)
	if g == nil || !g.known {
		if a.groups.endedBy(rec.Group, rec.Tick) {
			return a.skipStale(rec)
		}
		if rec.Kind == repl.Full && a.groups.len() >= a.bodies.Most() {
			return ErrCrowded
		}
	}
	if g == nil {
		g = a.groups.add(rec.Group)
	}
	return a.handle(g, rec)
}
