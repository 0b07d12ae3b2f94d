package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// walker reads one body, into the sink or past it.
type walker struct {
	r    *Receiver
	g    *group // nil when skipping
	rec  *repl.Record
	skip bool
	had  int // members before the record
}

// readRefs reads the table that stands before a body.
func (r *Receiver) readRefs() bool {
	r.refs = r.refs[:0]
	if !r.in.Bool() {
		return r.in.Err() == nil
	}
	var ok bool
	r.refs, ok = repl.ReadRefs(&r.in, r.refs)
	return ok && len(r.refs) > 0
}

// At resolves a reference of the body that is being read.
func (r *Receiver) At(index uint32) (repl.Slot, bool) {
	if index == 0 {
		return repl.NoSlot, true
	}
	if int64(index) > int64(len(r.refs)) {
		return repl.NoSlot, false
	}
	ref := r.refs[index-1]
	slot, ok := r.resolve(ref)
	if !ok {
		r.stats.Dangling++
		if !ref.Yours {
			r.late.wait(ref.ID, r.reading)
		}
	}
	return slot, true
}

func (r *Receiver) resolve(ref repl.Ref) (repl.Slot, bool) {
	if !ref.Yours {
		return r.Slot(ref.ID)
	}
	if r.own == nil {
		return repl.NoSlot, false
	}
	return r.own.Slot(ref.ID)
}

// body reads on behind the bit that says whether member 0 is alone.
func (w *walker) body(alone bool) error {
	if alone {
		return w.member(0)
	}
	in := &w.r.in
	last := -1
	for in.Bool() {
		number := in.Uvarint()
		if number >= repl.MaxMembers || int(number) <= last {
			return ErrMalformed
		}
		last = int(number)
		if err := w.member(repl.Member(number)); err != nil {
			return err
		}
	}
	if in.Err() != nil {
		return ErrMalformed
	}
	return nil
}

func (w *walker) member(number repl.Member) error {
	if !w.skip && !w.enter(number) {
		return ErrMalformed
	}
	if w.rec.Kind == repl.Delta && w.r.in.Bool() {
		if err := w.removals(); err != nil {
			return err
		}
	}
	return w.values()
}

// enter makes a member the sink's subject. Only an action may bring a new one.
func (w *walker) enter(number repl.Member) bool {
	m := w.g.member(number)
	if m == nil {
		if w.rec.Kind == repl.Update {
			return false
		}
		w.g.members = append(w.g.members, member{number: number, slot: w.r.sink.Spawn(repl.ID{Group: w.g.handle, Member: number})})
		m = &w.g.members[len(w.g.members)-1]
	}
	m.stated = w.rec.Kind == repl.Full
	w.r.sink.Member(m.slot, w.rec.Kind == repl.Full)
	return true
}

func (w *walker) removals() error {
	gone := &w.r.set
	if !w.r.sets.Read(&w.r.in, gone) || gone.IsZero() {
		return ErrMalformed
	}
	if w.skip {
		return nil
	}
	for c := gone.Next(0); c >= 0; c = gone.Next(c + 1) {
		w.r.sink.Remove(c)
	}
	return nil
}

func (w *walker) values() error {
	set := &w.r.set
	if !w.r.sets.Read(&w.r.in, set) {
		return ErrMalformed
	}
	for c := set.Next(0); c >= 0; c = set.Next(c + 1) {
		if err := w.value(c); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) value(comp int) error {
	r := w.r
	switch {
	case w.skip:
		return r.sink.Skip(&r.in, comp)
	case w.rec.Kind == repl.Update:
		return r.sink.Update(&r.in, comp, r)
	default:
		return r.sink.Insert(&r.in, comp, r)
	}
}

// finish despawns the members that a full did not name.
func (w *walker) finish() {
	if w.rec.Kind != repl.Full {
		return
	}
	kept := w.g.members[:0]
	for _, m := range w.g.members {
		if !m.stated {
			w.r.sink.Despawn(m.slot)
			continue
		}
		m.stated = false
		kept = append(kept, m)
	}
	w.g.members = kept
}
