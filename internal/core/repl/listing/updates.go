package listing

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Updates reads an updates frame of a packet that was written at tick.
func (l *Lister) Updates(tick entangle.Tick, frame []byte) error {
	l.in.Reset(frame)
	for l.in.RemainingBits() > 0 {
		var err error
		if l.in.Bool() {
			err = l.mark(tick)
		} else {
			err = l.run(tick)
		}
		if err != nil {
			return err
		}
	}
	return malformedIf(l.in.Err() != nil)
}

// mark reads past a mark.
func (l *Lister) mark(tick entangle.Tick) error {
	var ok bool
	l.in.Uvarint() // the number of the part
	l.in.Bool()    // whether it is the last
	l.needs, ok = repl.ReadNeeds(&l.in, tick, l.needs[:0])
	l.in.Align()
	return malformedIf(!ok || l.in.Err() != nil)
}

func (l *Lister) run(tick entangle.Tick) error {
	var rec repl.Record
	run := repl.Run{Tick: tick}
	more, ok := true, run.ReadBegin(&l.in, &rec)
	for ; more && ok; more, ok = run.ReadNext(&l.in, &rec) {
		if err := l.block(&run, &rec); err != nil {
			return err
		}
	}
	return malformedIf(!ok)
}

func (l *Lister) block(run *repl.Run, rec *repl.Record) error {
	if l.in.Bool() {
		return l.plainBlock(run, rec)
	}
	return l.update(rec)
}

// plainBlock reads a block of groups with values of member 0 alone, in the same components.
func (l *Lister) plainBlock(run *repl.Run, rec *repl.Record) error {
	var comps set.Mask
	n, gaps, ok := run.ReadCount(&l.in)
	if !ok || n > l.in.RemainingBits() || !l.sets.Read(&l.in, &comps) {
		return ErrMalformed
	}
	groups := []repl.Handle{rec.Group}
	for len(groups) < n {
		h := groups[len(groups)-1] + 1
		if gaps {
			if h, ok = run.ReadGap(&l.in); !ok {
				return ErrMalformed
			}
		}
		groups = append(groups, h)
	}
	run.Skip(groups[n-1])
	for _, rec.Group = range groups {
		l.beginRecord(rec)
		l.entry.Comps = comps
		if err := l.skip(&comps); err != nil {
			return err
		}
		l.member(0)
	}
	return malformedIf(l.in.Err() != nil)
}

// update reads one record.
func (l *Lister) update(rec *repl.Record) error {
	l.beginRecord(rec)
	if err := l.readRefs(); err != nil {
		return err
	}
	if l.in.Bool() {
		return l.changed(0)
	}
	return l.changes()
}

// changed reads the changes of a member that is alone in its group.
func (l *Lister) changed(number repl.Member) error {
	if err := l.removals(); err != nil {
		return err
	}
	if !l.list.Read(&l.in, l.sets, &l.entry.Comps) {
		return ErrMalformed
	}
	comps := l.entry.Comps
	if err := l.skip(&comps); err != nil {
		return err
	}
	l.member(number)
	return nil
}

// changes reads a list of changed members.
func (l *Lister) changes() error {
	var list repl.Changes
	for {
		number, same, more, ok := list.Read(&l.in)
		if !ok || !more {
			return malformedIf(!ok)
		}
		if err := l.removals(); err != nil {
			return err
		}
		if !list.ReadSet(&l.in, l.sets, &l.entry.Comps, same) {
			return ErrMalformed
		}
		comps := l.entry.Comps
		if err := l.skip(&comps); err != nil {
			return err
		}
		l.member(number)
	}
}

// removals reads the removed components of a member, which only a change has.
func (l *Lister) removals() error {
	if l.entry.Kind != repl.Change || !l.in.Bool() {
		return nil
	}
	var removed set.Mask
	return malformedIf(!l.sets.Read(&l.in, &removed))
}
