package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// join is a member that a record adds or restates.
type join struct {
	number  repl.Member
	kept    bool // it stays unchanged
	existed bool // the receiver has the entity already
	slot    repl.Slot
	id      repl.ID
}

// readLeavers reads the entities that left the group, and marks them. A leaver that the replica does
// not have never arrived, or moved to another group already.
func (b *bodyReader) readLeavers() error {
	if !b.in.Bool() {
		return malformedIf(b.in.Err() != nil)
	}
	var list repl.Numbers
	for n := 0; ; n++ {
		number, more, ok := list.Read(&b.in)
		if !ok || !more {
			return malformedIf(!ok || n == 0)
		}
		fate, ok := repl.ReadFate(&b.in)
		if !ok {
			return ErrMalformed
		}
		if b.skip {
			continue
		}
		if m := b.g.member(number); m != nil {
			m.mark = leaving + mark(fate)
			b.leavers = append(b.leavers, number)
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
func (b *bodyReader) readJoins() error {
	var list repl.Numbers
	b.joins = b.joins[:0]
	for {
		number, more, ok := list.Read(&b.in)
		if !ok || !more {
			return malformedIf(!ok)
		}
		j := join{number: number}
		if j.kept = b.rec.Kind == repl.Full && b.in.Bool(); !j.kept {
			if ok = b.readJoiner(&j); !ok {
				return ErrMalformed
			}
		}
		b.joins = append(b.joins, j)
	}
}

// readJoiner reads the id of a joining entity: of one that is born in this group, with its number
// there, or one of the table.
func (b *bodyReader) readJoiner(j *join) (ok bool) {
	native := repl.ID{Group: b.rec.Group, Generation: b.rec.Generation, Member: j.number}
	if b.rec.Kind != repl.Full && !b.skip {
		native.Generation = b.g.generation
	}
	index, ok := repl.ReadJoiner(&b.in, len(b.refs))
	if !ok || index == 0 {
		j.id = native
		return ok
	}
	ref := b.refs[index-1]
	j.id = ref.ID
	return !ref.Yours && ref.ID != native
}

// join makes an entity a member. It is a member already, or comes from another location, or is new.
func (b *bodyReader) join(j *join) error {
	m := b.g.member(j.number)
	if m != nil && (j.kept || m.id == j.id) {
		again := m.mark == stated
		m.mark, j.slot, j.existed = stated, m.slot, true
		return malformedIf(again)
	}
	if j.kept {
		j.slot = repl.NoSlot
		return nil
	}
	p, is := b.entities.locate(j.id)
	switch {
	case m != nil: // its number is reused when every peer has removed it
		return ErrMalformed
	case is && p.g == b.g && b.g.member(p.number).mark == stated:
		return ErrMalformed // it joins twice
	case is:
	case b.AtLimit():
		return ErrCrowded
	default:
		if j.id.Group != b.g.handle {
			b.outdate(j.id.Group, j.id.Generation)
		}
		p.slot = b.Spawn(j.id)
	}
	j.slot, j.existed = p.slot, is
	b.entities.move(j.id, p, location{slot: p.slot, g: b.g, number: j.number})
	b.g.member(j.number).mark = stated
	return nil
}

// fate returns the fate of a member, and whether it leaves at all.
func (b *bodyReader) fate(m *member) (fate repl.Fate, leaves bool) {
	if m.mark >= leaving {
		return repl.Fate(m.mark - leaving), true
	}
	return repl.Despawned, m.mark == unmarked && b.rec.Kind != repl.Change
}

// removeLeavers removes the leaving members.
func (b *bodyReader) removeLeavers() {
	if b.rec.Kind == repl.Change {
		for i := range b.joins {
			b.g.member(b.joins[i].number).mark = unmarked
		}
		b.removeListed()
		return
	}
	kept := b.g.members[:0]
	for i := range b.g.members {
		m := b.g.members[i]
		if fate, leaves := b.fate(&m); leaves {
			b.part(m.id, m.slot, fate)
			continue
		}
		m.mark = unmarked
		kept = append(kept, m)
	}
	b.g.members = kept
}

// removeListed removes the leavers of a change without a look at the other members: a group may have
// thousands, and a packet of a hostile server a hundred changes of it.
func (b *bodyReader) removeListed() {
	members, to, from := b.g.members, 0, 0
	for _, number := range b.leavers {
		at, found := b.g.search(number)
		if !found || members[at].mark < leaving {
			continue // it has joined with another number
		}
		m := members[at]
		b.part(m.id, m.slot, repl.Fate(m.mark-leaving))
		to += copy(members[to:], members[from:at])
		from = at + 1
	}
	if from > 0 {
		to += copy(members[to:], members[from:])
		b.g.members = members[:to]
	}
}

// part applies the fate of an entity that left its group: it moves, is orphaned or despawns.
func (b *bodyReader) part(id repl.ID, slot repl.Slot, fate repl.Fate) {
	delete(b.entities.away, id)
	switch fate {
	case repl.Moved:
		b.entities.put(id, location{slot: slot})
	case repl.Orphaned:
		b.Orphan(slot)
	default:
		b.Despawn(slot)
	}
}
