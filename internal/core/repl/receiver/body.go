package receiver

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// walker reads one record behind its needs, into the sink or past it.
type walker struct {
	r    *Receiver
	g    *group // nil when skipping
	rec  *record
	skip bool
	list repl.SetList
	// Of a list of changes: changing.
	changes  repl.Changes
	changing bool
	same     bool // the current member has the components of the previous one
}

// applyUpdate applies an update. It changes values only, so that only the changes in the sink need
// undoing.
func (w *walker) applyUpdate() error {
	r := w.r
	if !r.readRefs() {
		return ErrMalformed
	}
	r.sink.Begin(w.rec.Tick)
	if err := w.update(r.in.Bool()); err != nil {
		r.sink.Discard()
		return err
	}
	r.sink.Commit()
	r.applied(w.g, w.rec)
	return nil
}

// applyAction applies an action: all additions, then the values, and all removals at the end, when
// nothing can be malformed any more.
func (w *walker) applyAction() error {
	r := w.r
	r.moves, r.ousts, r.predicted.changed = r.moves[:0], r.ousts[:0], r.predicted.changed[:0]
	if w.rec.Kind == repl.Full {
		r.outdate(w.g.handle, w.rec.Generation)
		w.g.generation = w.rec.Generation
	}
	r.sink.Begin(w.rec.Tick)
	err := w.overtake()
	if err == nil {
		err = w.action()
	}
	if err != nil {
		r.sink.Discard()
		r.undo(w.g)
		return err
	}
	w.leave()
	r.sink.Commit()
	r.applied(w.g, w.rec)
	if w.rec.Kind == repl.Gone {
		r.end(w.g, w.rec.Tick)
	}
	return nil
}

// overtake applies what waiting or passed-over actions say of members that leave, and of entities in
// transit that they take in, before a full or an end that is applied now. The current record only
// implies what became of them. Each action counts once, the oldest first.
func (w *walker) overtake() error {
	if w.rec.Kind == repl.Change || len(w.g.waits) == 0 {
		return nil
	}
	overtaken := w.r.overtaken[:0]
	for _, o := range w.g.waits {
		if (o.rec.leaves || o.rec.takes) && o.rec.at < w.rec.at && w.g.held.Before(o.rec.Tick) {
			overtaken = append(overtaken, o)
		}
	}
	w.r.overtaken = overtaken
	slices.SortFunc(overtaken, func(a, b *waiting) int { return cmp.Compare(a.rec.at, b.rec.at) })
	for _, o := range overtaken {
		o.lost = false // and is dropped, with all others before the current record
		if err := w.follow(o); err != nil {
			return err
		}
	}
	clear(overtaken)
	return nil
}

// follow marks the members that leave by a record that waits, and takes in entities in transit.
func (w *walker) follow(o *waiting) error {
	r, in := w.r, w.r.in
	defer func() { r.in = in }()
	r.in.Reset(o.body)
	of := walker{r: r, g: w.g, rec: &o.rec}
	if o.rec.Kind != repl.Gone && (!of.readPredicted() || !r.readRefs()) {
		return ErrMalformed
	}
	if err := of.leavers(); err != nil || !o.rec.takes {
		return err
	}
	if r.in.Bool() { // one member changed, and none joins
		return nil
	}
	if err := of.readJoins(); err != nil {
		return err
	}
	for i := range r.joins {
		j := &r.joins[i]
		if p, is := r.locate(j.id); is && p.g == nil && w.g.member(j.number) == nil {
			r.leavePlace(j.id, p)
			r.moves = append(r.moves, move{id: j.id, from: p, is: true})
			r.put(j.id, place{slot: p.slot, g: w.g, number: j.number})
		}
	}
	return nil
}

// update reads an update behind the bit that says whether member 0 is alone.
func (w *walker) update(alone bool) error {
	if alone {
		return w.changed(0)
	}
	n, err := w.readChanges()
	if err == nil && n == 0 {
		return ErrMalformed
	}
	return err
}

func (w *walker) action() error {
	if w.rec.Kind == repl.Gone {
		return w.leavers()
	}
	if !w.readPredicted() || !w.r.readRefs() {
		return ErrMalformed
	}
	if err := w.leavers(); err != nil {
		return err
	}
	if !w.r.in.Bool() {
		return w.members()
	}
	if w.rec.Kind == repl.Change {
		return w.changedAlone()
	}
	w.r.joins = append(w.r.joins[:0], join{id: repl.ID{Group: w.rec.Group, Generation: w.rec.Generation}})
	return w.whole()
}

// members reads the joining members with their values, and the changes of others.
func (w *walker) members() error {
	if err := w.readJoins(); err != nil {
		return err
	}
	w.list.Begin()
	if err := w.whole(); err != nil || w.rec.Kind == repl.Full {
		return err
	}
	_, err := w.readChanges()
	return err
}

// changedAlone reads a change of member 0 without joining members.
func (w *walker) changedAlone() error {
	if err := w.predict(); err != nil {
		return err
	}
	return w.changed(0)
}

// whole places the joining members and reads their components.
func (w *walker) whole() error {
	if !w.skip {
		if err := w.place(); err != nil {
			return err
		}
	}
	if err := w.predict(); err != nil {
		return err
	}
	for i := range w.r.joins {
		j := &w.r.joins[i]
		if j.kept {
			continue
		}
		if !w.skip {
			w.r.sink.Member(j.slot, true)
		}
		if err := w.values(); err != nil {
			return err
		}
	}
	return nil
}

// readChanges reads a list of changed members, and returns their number.
func (w *walker) readChanges() (n int, err error) {
	w.changes, w.changing = repl.Changes{}, true
	for {
		number, same, more, ok := w.changes.Read(&w.r.in)
		if !ok {
			return n, ErrMalformed
		}
		if !more {
			w.changing = false
			return n, nil
		}
		w.same = same
		if err := w.changed(number); err != nil {
			return n, err
		}
		n++
	}
}

// changed reads the changes of one member. A missing member may have been kept by a full though it
// had never arrived: if it has values the group is requested again.
func (w *walker) changed(number repl.Member) error {
	if w.skip {
		return w.change()
	}
	m := w.g.member(number)
	if m == nil {
		past := *w
		past.g, past.skip = nil, true
		err := past.change()
		if err == nil && !w.r.set.IsZero() {
			w.r.ask(w.g)
		}
		w.list, w.changes = past.list, past.changes
		return err
	}
	if m.mark != unmarked { // it joined, or leaves
		return ErrMalformed
	}
	w.r.sink.Member(m.slot, false)
	return w.change()
}

func (w *walker) change() error {
	if w.rec.Kind == repl.Change && w.r.in.Bool() {
		if err := w.removals(); err != nil {
			return err
		}
	}
	return w.values()
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
	comps := &w.r.set
	if !w.readSet(comps) {
		return ErrMalformed
	}
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		if err := w.readValue(c); err != nil {
			return err
		}
	}
	return nil
}

// readSet reads the set of components with values in the record.
func (w *walker) readSet(comps *set.Mask) (ok bool) {
	if w.changing {
		return w.changes.ReadSet(&w.r.in, w.r.sets, comps, w.same)
	}
	return w.list.Read(&w.r.in, w.r.sets, comps)
}

func (w *walker) readValue(comp int) error {
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
