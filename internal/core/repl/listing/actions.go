package listing

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Actions reads an action message.
func (l *Lister) Actions(message []byte) error {
	l.in.Reset(message)
	heads := repl.Heads{Tick: entangle.Tick(l.in.Bits(32))}
	var rec repl.Record
	for {
		more, ok := heads.Read(&l.in, &rec)
		if !ok {
			return ErrMalformed
		}
		if !more {
			return l.in.End()
		}
		if err := l.action(&rec); err != nil {
			return err
		}
	}
}

func (l *Lister) action(rec *repl.Record) error {
	l.beginRecord(rec)
	if rec.Usual {
		if rec.Kind == repl.Gone {
			return nil
		}
		return l.usualFull()
	}
	if rec.Kind == repl.Gone {
		return l.leavers()
	}
	var ok bool
	if l.needs, ok = repl.ReadNeeds(&l.in, rec.Tick, l.needs[:0]); !ok {
		return ErrMalformed
	}
	if !l.predicted.Read(&l.in, rec.Kind) {
		return ErrMalformed
	}
	for _, read := range []func() error{l.readRefs, l.leavers, l.members} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// usualFull reads the values of a full that is like the one before.
func (l *Lister) usualFull() error {
	l.entry.Comps = l.usual
	if err := l.skip(&l.usual); err != nil {
		return err
	}
	l.member(0)
	return nil
}

// leavers reads the entities that left the group, and does not list them.
func (l *Lister) leavers() error {
	if !l.in.Bool() {
		return malformedIf(l.in.Err() != nil)
	}
	var list repl.Numbers
	for {
		_, more, ok := list.Read(&l.in)
		if !ok || !more {
			return malformedIf(!ok)
		}
		if _, ok := repl.ReadFate(&l.in); !ok {
			return ErrMalformed
		}
	}
}

// members reads the joining members with their values, and the changes of others.
func (l *Lister) members() error {
	alone := l.in.Bool()
	if alone && l.entry.Kind == repl.Change {
		return l.changed(0)
	}
	l.joins = append(l.joins[:0], 0)
	if !alone {
		if err := l.readJoins(); err != nil {
			return err
		}
		l.list.Begin()
	}
	if err := l.wholes(); err != nil || alone || l.entry.Kind == repl.Full {
		return err
	}
	return l.changes()
}

// wholes reads the values of the joining members.
func (l *Lister) wholes() error {
	for _, number := range l.joins {
		if !l.list.Read(&l.in, l.sets, &l.entry.Comps) {
			return ErrMalformed
		}
		comps := l.entry.Comps
		if l.entry.Kind == repl.Full {
			l.usual = comps
		}
		if err := l.skip(&comps); err != nil {
			return err
		}
		l.member(number)
	}
	return nil
}

// readJoins reads the joining members, and lists those that stay unchanged.
func (l *Lister) readJoins() error {
	var list repl.Numbers
	l.joins = l.joins[:0]
	for {
		number, more, ok := list.Read(&l.in)
		if !ok || !more {
			return malformedIf(!ok)
		}
		if l.entry.Kind == repl.Full && l.in.Bool() {
			l.member(number)
			continue
		}
		if _, ok := repl.ReadJoiner(&l.in, len(l.refs)); !ok {
			return ErrMalformed
		}
		l.joins = append(l.joins, number)
	}
}
