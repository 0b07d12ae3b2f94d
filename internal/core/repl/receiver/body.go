package receiver

import (
	"cmp"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// applier applies the bodies of records to the sink, one record at a time.
type applier struct {
	sinks
	in       bits.Reader
	sets     repl.Sets
	groups   *table
	entities *entities

	// Of the current record:
	bare      *set.Mask // of a record that consists of values of member 0 alone, their components; nil for any other
	moment    Moment
	refs      []repl.Ref
	comps     set.Mask
	predicted repl.Predicted
	leavers   []repl.Member // members that leave, by rising number
	joins     []join

	report func(Entry) // of a Lister, which applies no records; else nil
}

// bodyReader reads one record behind its head, into the sink or past it.
type bodyReader struct {
	*applier
	g     *group // nil when skipping
	rec   *repl.Record
	skip  bool
	alone bool // member 0 is the only one that the record names
	// Otherwise, of the current list of members:
	changes repl.Changes
	same    bool // the current member has the components of the one before
}

// apply applies a record to the replica of its group. After an error the sink is as
// before, and after one of an update the replica too.
func (a *applier) apply(g *group, rec *repl.Record) error {
	b := a.body(g, rec)
	if rec.Kind != repl.Update {
		return b.applyAction()
	}
	b.Begin(rec.Tick, g.tickBefore(rec))
	if err := b.update(); err != nil {
		b.Discard()
		return err
	}
	b.Commit()
	return nil
}

// skipRecord reads past the part of a record behind its head.
func (a *applier) skipRecord(rec *repl.Record) error {
	b := a.body(nil, rec)
	if rec.Kind != repl.Update {
		return b.action()
	}
	return b.update()
}

// body begins to read a record behind its head, into a group or, if that is nil, past it.
func (a *applier) body(g *group, rec *repl.Record) bodyReader {
	a.refs, a.predicted = a.refs[:0], a.predicted[:0]
	if g != nil {
		a.beginRecord(rec, g.tick, g.known)
	} else {
		a.beginRecord(rec, 0, false)
	}
	return bodyReader{applier: a, g: g, rec: rec, skip: g == nil, alone: a.bare != nil}
}

// beginRecord passes a record's baseline and tick to the sink, and the tick of the group's replica, if
// it is known. It is not known for a skipped record.
func (a *applier) beginRecord(rec *repl.Record, replicaTick entangle.Tick, known bool) {
	if a.differ == nil {
		return
	}
	a.moment = Moment{
		Tick: rec.Tick, Differs: rec.Kind == repl.Update && rec.Differs(rec.Tick), From: rec.From, ReplicaTick: replicaTick, Known: known,
	}
	a.differ.From(&a.moment)
}

// applyAction applies an action: all additions, then the values, and all removals at the end, when
// nothing can be malformed any more.
func (b *bodyReader) applyAction() error {
	b.leavers = b.leavers[:0]
	if b.rec.Kind == repl.Full {
		b.outdate(b.g.handle, b.rec.Generation)
		b.g.generation = b.rec.Generation
	}
	b.Begin(b.rec.Tick, b.g.tickBefore(b.rec))
	if err := b.action(); err != nil {
		b.Discard()
		return err
	}
	b.removeLeavers()
	b.Commit()
	return nil
}

// update reads an update: the references, and then the changes of either member 0 alone, or of several.
func (b *bodyReader) update() error {
	if b.bare == nil {
		if !b.readRefs() {
			return ErrMalformed
		}
		b.alone = b.in.Bool()
	}
	if b.alone {
		return b.changed(0)
	}
	n, err := b.readChanges()
	if err == nil && n == 0 {
		return ErrMalformed
	}
	return err
}

// action reads an action: the predicted set, the references, the leavers, and then either member 0
// alone, or the joining members with their values and the changes of others.
func (b *bodyReader) action() error {
	gone := b.rec.Kind == repl.Gone
	if b.bare == nil {
		if !gone && (!b.predicted.Read(&b.in, b.rec.Kind) || !b.readRefs()) {
			return ErrMalformed
		}
		if err := b.readLeavers(); err != nil {
			return err
		}
		b.alone = !gone && b.in.Bool()
	}
	switch {
	case gone:
		return nil
	case b.alone && b.rec.Kind == repl.Change:
		b.joins = b.joins[:0]
		if err := b.predict(); err != nil {
			return err
		}
		return b.changed(0)
	case b.alone:
		b.joins = append(b.joins[:0], join{id: repl.ID{Group: b.rec.Group, Generation: b.rec.Generation}})
		return b.addJoins()
	}
	if err := b.readJoins(); err != nil {
		return err
	}
	if err := b.addJoins(); err != nil || b.rec.Kind == repl.Full {
		return err
	}
	_, err := b.readChanges()
	return err
}

// addJoins makes all joining entities members, before any value is read that may refer to them, and
// reads their components.
func (b *bodyReader) addJoins() error {
	if !b.skip {
		for i := range b.joins {
			if err := b.join(&b.joins[i]); err != nil {
				return err
			}
		}
		if err := b.predict(); err != nil {
			return err
		}
	}
	for i := range b.joins {
		j := &b.joins[i]
		if j.kept {
			b.listMember(j.number, set.Mask{})
			continue
		}
		if !b.skip {
			b.Member(j.slot, true)
		}
		b.same = !b.alone && b.in.Bool()
		if err := b.values(); err != nil {
			return err
		}
		b.listMember(j.number, b.comps)
	}
	return nil
}

// readChanges reads a list of changed members, and returns their number.
func (b *bodyReader) readChanges() (n int, err error) {
	b.changes = repl.Changes{}
	for {
		number, same, more, ok := b.changes.Read(&b.in)
		if !ok {
			return n, ErrMalformed
		}
		if !more {
			return n, nil
		}
		b.same = same
		if err := b.changed(number); err != nil {
			return n, err
		}
		n++
	}
}

// changed reads the changes of one member. A missing member may lose components: a peer that retains a group may not have
// been sent one that was paused.
func (b *bodyReader) changed(number repl.Member) error {
	if b.skip {
		err := b.change()
		b.listMember(number, b.comps)
		return err
	}
	m := b.g.member(number)
	switch {
	case m == nil:
		b.skip = true
		err := b.change()
		b.skip = false
		return cmp.Or(err, malformedIf(!b.comps.IsZero()))
	case m.mark != unmarked: // it joined, or leaves
		return ErrMalformed
	}
	b.Member(m.slot, false)
	return b.change()
}

// change reads the components that a member loses, and the values.
func (b *bodyReader) change() error {
	if b.rec.Kind == repl.Change && b.in.Bool() {
		removed := &b.comps
		if !b.sets.Read(&b.in, removed) || removed.IsZero() {
			return ErrMalformed
		}
		for c := removed.Next(0); c >= 0 && !b.skip; c = removed.Next(c + 1) {
			b.Remove(c)
		}
	}
	return b.values()
}

// values reads a set of components and their values.
func (b *bodyReader) values() error {
	if ok := b.readSet(); !ok {
		return ErrMalformed
	}
	for c := b.comps.Next(0); c >= 0; c = b.comps.Next(c + 1) {
		var err error
		switch {
		case b.skip:
			err = b.Skip(&b.in, c)
		case b.rec.Kind == repl.Update:
			err = b.Update(&b.in, c, b.applier)
		default:
			err = b.Insert(&b.in, c, b.applier)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readSet reads the set of components of the current member.
func (b *bodyReader) readSet() (ok bool) {
	switch {
	case b.bare != nil:
		b.comps = *b.bare
		return true
	case b.alone:
		return b.sets.Read(&b.in, &b.comps)
	}
	return b.changes.ReadSet(&b.in, b.sets, &b.comps, b.same)
}

// readRefs reads the table of references before a body.
func (a *applier) readRefs() (ok bool) {
	if !a.in.Bool() {
		return a.in.Err() == nil
	}
	a.refs, ok = repl.ReadRefs(&a.in, a.refs)
	return ok && len(a.refs) > 0
}

// At implements Refs for the current body. An entity of this side's own has no slot: a sender refers to
// none.
func (a *applier) At(index uint32) (to Target, ok bool) {
	to.Slot = repl.NoSlot
	if index == 0 || uint64(index) > uint64(len(a.refs)) {
		return to, index == 0
	}
	ref := a.refs[index-1]
	if ref.Yours {
		return to, true
	}
	to.ID = ref.ID
	if p, here := a.entities.locate(ref.ID); here {
		to.Slot = p.slot
	} else {
		to.Late = true
	}
	return to, true
}

// predict passes on to the sink which members are predicted, when all joining entities are in place. Other
// members stay as they are, and a member of a full joins or leaves. A full that names nobody states the empty set. A
// leaver or a missing member that is predicted is malformed.
func (b *bodyReader) predict() error {
	if b.skip {
		return nil
	}
	for i := range b.joins {
		j := &b.joins[i]
		if on := b.predicted.Has(j.number); on && j.slot != repl.NoSlot || j.existed {
			b.Predict(j.slot, on)
		}
	}
	for _, p := range b.predicted {
		m := b.g.member(p.Number)
		if m == nil {
			if p.On {
				return ErrMalformed
			}
			continue
		}
		switch _, leaves := b.fate(m); {
		case !leaves && m.mark == unmarked:
			b.Predict(m.slot, p.On)
		case leaves && p.On:
			return ErrMalformed
		}
	}
	return nil
}
