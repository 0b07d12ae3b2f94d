package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// join is a member that a record adds or restates.
type join struct {
	number repl.Member
	kept   bool // it stays unchanged
	slot   repl.Slot
	id     repl.ID
}

// oust is a member that lost its number to another entity. It goes at the end, unless it joins
// again under another number.
type oust struct {
	id   repl.ID
	fate repl.Fate
}

// leavers reads the entities that left the group, and marks them. A leaver that the replica does
// not have never arrived, or moved to another group already.
func (w *walker) leavers() error {
	in := &w.r.in
	if !in.Bool() {
		return malformedIf(in.Err() != nil)
	}
	var list repl.Numbers
	for n := 0; ; n++ {
		number, more, ok := list.Read(in)
		if !ok || !more {
			return malformedIf(!ok || n == 0)
		}
		fate, ok := repl.ReadFate(in)
		if !ok {
			return ErrMalformed
		}
		if w.skip {
			w.rec.leaves = true
			continue
		}
		if m := w.g.member(number); m != nil && m.mark == unmarked { // an overtaken action may have marked it
			m.mark = leaving + mark(fate)
		}
	}
}

func malformedIf(bad bool) error {
	if bad {
		return ErrMalformed
	}
	return nil
}

// readJoins reads the joining entities.
func (w *walker) readJoins() error {
	var list repl.Numbers
	w.r.joins = w.r.joins[:0]
	for {
		number, more, ok := list.Read(&w.r.in)
		if !ok || !more {
			return malformedIf(!ok)
		}
		j := join{number: number}
		if j.kept = w.rec.Kind == repl.Full && w.r.in.Bool(); !j.kept {
			if ok = w.readJoiner(&j); !ok {
				return ErrMalformed
			}
		}
		w.r.joins = append(w.r.joins, j)
	}
}

// readJoiner reads the id of a joining entity: of one that is born in this group, with its number
// there, or one of the table.
func (w *walker) readJoiner(j *join) (ok bool) {
	native := repl.ID{Group: w.rec.Group, Generation: w.generation(), Member: j.number}
	index, ok := repl.ReadJoiner(&w.r.in, len(w.r.refs))
	if !ok || index == 0 {
		j.id = native
		return ok
	}
	ref := w.r.refs[index-1]
	j.id, w.rec.takes = ref.ID, true
	return !ref.Yours && ref.ID != native
}

// generation returns the generation of the group's handle.
func (w *walker) generation() repl.Generation {
	if w.rec.Kind == repl.Full || w.skip {
		return w.rec.Generation
	}
	return w.g.generation
}

// place makes all joining entities members, before any value is read that may refer to them.
func (w *walker) place() error {
	for i := range w.r.joins {
		if err := w.join(&w.r.joins[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) join(j *join) error {
	m := w.g.member(j.number)
	if m != nil && (j.kept || m.id == j.id) {
		again := m.mark == stated
		m.mark, j.slot = stated, m.slot
		return malformedIf(again)
	}
	if j.kept {
		return nil
	}
	if m != nil && !w.oust(m) {
		return ErrMalformed
	}
	return w.fetch(j)
}

// fetch brings an entity into the group, from its present place.
func (w *walker) fetch(j *join) error {
	r := w.r
	p, is := r.locate(j.id)
	if is && p.g == w.g && w.g.member(p.number).mark == stated {
		return ErrMalformed // it joins twice
	}
	switch {
	case is:
		r.leavePlace(j.id, p)
	case r.bounded != nil && r.bounded.Full():
		return ErrCrowded
	default:
		if j.id.Group != w.g.handle {
			r.outdate(j.id.Group, j.id.Generation)
		}
		p.slot = r.sink.Spawn(j.id)
	}
	r.moves = append(r.moves, move{id: j.id, from: p, is: is})
	j.slot = p.slot
	r.put(j.id, place{slot: p.slot, g: w.g, number: j.number})
	w.g.member(j.number).mark = stated
	return nil
}

// oust frees the number of a member that leaves, or that a full does not name: its removal was in
// an action that the full overtook. In any other case a number can't be taken again.
func (w *walker) oust(m *member) bool {
	fate, goes := w.fate(m)
	if !goes {
		return false
	}
	r, was := w.r, *m
	from := place{slot: was.slot, g: w.g, number: was.number}
	r.leavePlace(was.id, from)
	r.moves = append(r.moves, move{id: was.id, from: from, is: true})
	r.put(was.id, place{slot: was.slot, ousted: true})
	r.ousts = append(r.ousts, oust{id: was.id, fate: fate})
	return true
}

// fate returns the fate of a member, and whether it leaves at all.
func (w *walker) fate(m *member) (fate repl.Fate, goes bool) {
	if m.mark >= leaving {
		return repl.Fate(m.mark - leaving), true
	}
	return repl.Despawned, m.mark == unmarked && w.rec.Kind != repl.Change
}

// leave removes the leaving members.
func (w *walker) leave() {
	r, g := w.r, w.g
	for _, o := range r.ousts {
		if p := r.away[o.id]; p.ousted {
			r.part(o.id, p.slot, o.fate)
		}
	}
	kept := g.members[:0]
	for i := range g.members {
		m := g.members[i]
		if fate, goes := w.fate(&m); goes {
			r.part(m.id, m.slot, fate)
			continue
		}
		m.mark = unmarked
		kept = append(kept, m)
	}
	g.members = kept
}
