package repl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// parser parses the records that a model's sender writes, in the simplest way, as docs/PROTOCOL.md
// describes them. It keeps almost nothing from one record to the next.
type parser struct {
	t    testing.TB
	m    *model
	sets repl.Sets
	last set.Mask             // components of the last full of one entity
	read func(*set.Mask) bool // reads the component set of the current member in a list of changes; may be nil
	r    bits.Reader
}

// saying is one parsed record.
type saying struct {
	repl.Record
	unit  int         // number of its unit in the message, from 1 on; 0: none
	needs []repl.Need // of the unit; of its first record
	predicted
	refs    []repl.Ref
	leavers map[repl.Member]repl.Fate
	joins   []joining
	members []stated
}

// joining is a joining entity: its id, or no id if it is paused.
type joining struct {
	number repl.Member
	paused bool
	native bool // its id is of this group
	id     repl.ID
}

// stated is the part of a record about one member.
type stated struct {
	number       repl.Member
	whole        bool
	removed, set set.Mask
	values       [20]uint32
}

// marking is one part of a mark.
type marking struct {
	part  int
	last  bool
	needs []repl.Need
}

func newParser(t testing.TB, m *model) *parser {
	return &parser{t: t, m: m, sets: repl.NewSets(m.comps)}
}

// actions reads an action message.
func (p *parser) actions(b []byte) (all []saying) {
	p.r.Reset(b)
	tick := entangle.Tick(p.r.Bits(32))
	if p.r.Bool() {
		for unit := 1; p.r.Bool(); unit++ {
			var head repl.UnitHead
			require.True(p.t, head.Read(&p.r, tick))
			records := p.records(tick)
			p.r.Bool() // last
			for i := range records {
				records[i].unit = unit
			}
			if len(records) > 0 {
				records[0].needs = head.Needs
			}
			all = append(all, records...)
		}
	} else {
		all = p.records(tick)
	}
	require.NoError(p.t, p.r.End())
	return all
}

// records reads records up to their end.
func (p *parser) records(tick entangle.Tick) (all []saying) {
	heads := repl.Heads{Tick: tick}
	for {
		var s saying
		more, ok := heads.Read(&p.r, &s.Record)
		require.True(p.t, ok)
		if !more {
			return all
		}
		p.action(&s)
		if s.Kind == repl.Full && len(s.members) == 1 && len(s.joins) == 1 {
			p.last = s.members[0].set
		}
		all = append(all, s)
	}
}

func (p *parser) action(s *saying) {
	if s.Usual && s.Kind == repl.Gone {
		return
	}
	if s.Usual {
		p.usual(s)
		return
	}
	if s.Kind != repl.Gone {
		s.predicted = p.predicted()
		s.refs = p.refs()
	}
	s.leavers = p.leavers()
	if s.Kind == repl.Gone {
		return
	}
	if p.r.Bool() {
		if s.Kind == repl.Full {
			s.joins = []joining{{native: true, id: repl.ID{Group: s.Group, Generation: s.Generation}}}
		}
		p.contents(s, 0, s.Kind == repl.Full)
		return
	}
	p.joins(s)
	var sets repl.Changes
	for _, j := range s.joins {
		if !j.paused {
			p.read = func(comps *set.Mask) bool { return sets.ReadSet(&p.r, p.sets, comps, p.r.Bool()) }
			p.contents(s, j.number, true)
			p.read = nil
		}
	}
	if s.Kind == repl.Change {
		p.changed(s)
	}
}

// predicted is what an action states about the predicted members of a group: whether each of some is
// predicted.
type predicted struct {
	said    bool
	members map[repl.Member]bool
}

func (p *parser) predicted() (is predicted) {
	if is.said = p.r.Bool(); !is.said {
		return is
	}
	is.members = map[repl.Member]bool{}
	p.numbers(func(n repl.Member) { is.members[n] = p.r.Bool() })
	require.NotEmpty(p.t, is.members)
	return is
}

// usual reads a record that consists only of the values of one entity, with the same components as
// the previous record.
func (p *parser) usual(s *saying) {
	s.joins = []joining{{native: true, id: repl.ID{Group: s.Group, Generation: s.Generation}}}
	m := stated{whole: true, set: p.last}
	for c := m.set.Next(0); c >= 0; c = m.set.Next(c + 1) {
		m.values[c] = p.value(s, c)
	}
	s.members = append(s.members, m)
}

func (p *parser) refs() []repl.Ref {
	if !p.r.Bool() {
		return nil
	}
	refs, ok := repl.ReadRefs(&p.r, nil)
	require.True(p.t, ok)
	require.NotEmpty(p.t, refs)
	return refs
}

func (p *parser) leavers() map[repl.Member]repl.Fate {
	if !p.r.Bool() {
		return nil
	}
	all := map[repl.Member]repl.Fate{}
	p.numbers(func(n repl.Member) {
		f, ok := repl.ReadFate(&p.r)
		require.True(p.t, ok)
		all[n] = f
	})
	require.NotEmpty(p.t, all)
	return all
}

// numbers reads a list of numbers, and calls each after each of them, where its data follows.
func (p *parser) numbers(each func(repl.Member)) {
	var list repl.Numbers
	for {
		n, more, ok := list.Read(&p.r)
		require.True(p.t, ok)
		if !more {
			return
		}
		each(n)
	}
}

func (p *parser) joins(s *saying) {
	p.numbers(func(n repl.Member) {
		j := joining{number: n, native: true, id: repl.ID{Group: s.Group, Generation: s.Generation, Member: n}}
		j.paused = s.Kind == repl.Full && p.r.Bool()
		if !j.paused {
			index, ok := repl.ReadJoiner(&p.r, len(s.refs))
			require.True(p.t, ok)
			if index > 0 {
				j.native, j.id = false, s.refs[index-1].ID
			}
		}
		s.joins = append(s.joins, j)
	})
}

// changed reads a list of changed members.
func (p *parser) changed(s *saying) {
	var list repl.Changes
	for {
		n, same, more, ok := list.Read(&p.r)
		require.True(p.t, ok)
		if !more {
			return
		}
		p.read = func(comps *set.Mask) bool { return list.ReadSet(&p.r, p.sets, comps, same) }
		p.contents(s, n, false)
		p.read = nil
	}
}

func (p *parser) readSet(comps *set.Mask) bool {
	if p.read != nil {
		return p.read(comps)
	}
	return p.sets.Read(&p.r, comps)
}

func (p *parser) contents(s *saying, number repl.Member, whole bool) {
	m := stated{number: number, whole: whole}
	if s.Kind == repl.Change && !whole && p.r.Bool() {
		require.True(p.t, p.sets.Read(&p.r, &m.removed))
		require.False(p.t, m.removed.IsZero())
	}
	require.True(p.t, p.readSet(&m.set))
	for c := m.set.Next(0); c >= 0; c = m.set.Next(c + 1) {
		m.values[c] = p.value(s, c)
	}
	s.members = append(s.members, m)
}

// value reads a value. For a link it returns the index of its reference in the table.
func (p *parser) value(s *saying, comp int) uint32 {
	if !p.m.links || comp != linkComp {
		return uint32(p.r.Bits(width(comp)))
	}
	index := p.r.Uvarint()
	require.LessOrEqual(p.t, index, uint64(len(s.refs)))
	return uint32(index)
}

// updates reads an updates frame.
func (p *parser) updates(tick entangle.Tick, b []byte) (all []saying, marks []marking) {
	p.r.Reset(b)
	for p.r.RemainingBits() > 0 {
		if p.r.Bool() {
			marks = append(marks, p.mark(tick))
			continue
		}
		all = append(all, p.run(tick)...)
	}
	require.NoError(p.t, p.r.End())
	return all, marks
}

func (p *parser) run(tick entangle.Tick) (all []saying) {
	run := repl.RunHeads{Tick: tick}
	var rec repl.Record
	require.True(p.t, run.ReadBegin(&p.r, &rec))
	for more := true; more; {
		if p.r.Bool() {
			all = append(all, p.plainBlock(&run, rec)...)
		} else {
			all = append(all, p.update(rec))
		}
		var ok bool
		more, ok = run.ReadNext(&p.r, &rec)
		require.True(p.t, ok)
	}
	return all
}

// update reads a record that is a block of its own.
func (p *parser) update(rec repl.Record) saying {
	s := saying{Record: rec, refs: p.refs()}
	if p.r.Bool() {
		p.contents(&s, 0, false)
	} else {
		p.changed(&s)
	}
	require.NotEmpty(p.t, s.members)
	return s
}

// plainBlock reads a block of groups with values of one entity each, in the same components.
func (p *parser) plainBlock(run *repl.RunHeads, rec repl.Record) (all []saying) {
	n, gaps, ok := run.ReadCount(&p.r)
	require.True(p.t, ok)
	var comps set.Mask
	require.True(p.t, p.sets.Read(&p.r, &comps))
	require.False(p.t, comps.IsZero())
	handles := []repl.Handle{rec.Group}
	for h := rec.Group + 1; len(handles) < n; h++ {
		if gaps {
			h, ok = run.ReadGap(&p.r)
			require.True(p.t, ok)
		}
		handles = append(handles, h)
	}
	run.Skip(handles[n-1])
	for _, h := range handles {
		rec.Group = h
		s := saying{Record: rec}
		m := stated{set: comps}
		for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
			m.values[c] = p.value(&s, c)
		}
		s.members = append(s.members, m)
		all = append(all, s)
	}
	return all
}

func (p *parser) mark(tick entangle.Tick) marking {
	m := marking{part: int(p.r.Uvarint()), last: p.r.Bool()}
	var ok bool
	m.needs, ok = repl.ReadNeeds(&p.r, tick, nil)
	require.True(p.t, ok)
	p.r.Align()
	return m
}
