package repl_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// oracle checks every record for a peer, before it is sent, against the part of the world that the
// peer may see.
type oracle struct {
	lives map[repl.Handle]*life
	under map[repl.Handle]map[uint16]int // by handle: the messages with an action in flight, and which action each has
	stood map[uint32]bool                // names that were in a group after the last tick
}

// life is a group at a peer from its first full to its end, according to the sent records.
type life struct {
	generation repl.Generation
	begun      entangle.Tick
	action     entangle.Tick // of the last action
	count      int           // number of actions that were sent
	members    map[repl.Member]standing

	predicts map[repl.Member]bool // according to the sent records

	arrived entangle.Tick // tick of the newest update that arrived there
	any     bool
}

// standing is a member of a group according to the records that a peer was sent.
type standing struct {
	slot repl.Slot
	name uint32
}

// stand returns the present state of an entity.
func (n *network) stand(slot repl.Slot) standing {
	is := n.model.entities[slot]
	return standing{slot, is.name()}
}

func newOracle() oracle {
	return oracle{lives: map[repl.Handle]*life{}, under: map[repl.Handle]map[uint16]int{}, stood: map[uint32]bool{}}
}

// told reports whether a peer was sent an entity in its present group, in which it has been since a
// tick, or whether it is in no group.
func (o *oracle) told(at standing, h repl.Handle, since entangle.Tick) bool {
	for in, l := range o.lives {
		for _, m := range l.members {
			if m == at {
				return in == h && !l.action.Before(since)
			}
		}
	}
	return true
}

// judgeActions checks an action message before it is sent.
func (n *network) judgeActions(e *end, b []byte, name uint16) {
	last, unit := int64(-1), 0
	for _, s := range newParser(n.t, n.model).actions(b) {
		if s.unit != unit {
			last, unit = -1, s.unit
		}
		require.Greater(n.t, int64(s.Group), last)
		last = int64(s.Group)
		require.Equal(n.t, n.tick, s.Tick)
		n.judgeAction(e, &s, name)
	}
}

func (n *network) judgeAction(e *end, s *saying, name uint16) {
	o := &e.oracle
	l := o.lives[s.Group]
	if l == nil {
		require.Equal(n.t, repl.Full, s.Kind)
		require.Empty(n.t, o.under[s.Group], "a group begins anew while its end is under way")
		l = &life{begun: n.tick, generation: s.Generation, members: map[repl.Member]standing{}}
		o.lives[s.Group], o.under[s.Group] = l, map[uint16]int{}
	} else {
		require.True(n.t, l.action.Before(n.tick), "two actions of a group in one tick")
	}
	require.True(n.t, s.Kind != repl.Full || s.Generation == l.generation, "a group has one generation")
	for _, count := range o.under[s.Group] {
		require.Less(n.t, l.count-count, repl.MaxActionsInFlight)
	}
	switch {
	case s.Kind == repl.Change && !n.trusts:
		n.judgeBase(l, s)
	case s.Kind == repl.Gone:
		require.Equal(n.t, l.action, s.Base)
	}
	n.judgeRetained(e, s)
	n.judgeMembers(e, l, s)
	n.judgePredicted(e, l, s)
	n.judgeValues(e, l, s)
	o.under[s.Group][name] = l.count
	l.action = n.tick
	l.count++
	if s.Kind == repl.Gone {
		delete(o.lives, s.Group)
	}
}

// judgeBase checks that a baseline is a tick that the peer has, or reaches before anything newer is
// applied: the tick of the last action, or of an update that arrived there after it.
func (n *network) judgeBase(l *life, s *saying) {
	require.True(n.t, s.Base.Before(n.tick))
	require.Falsef(n.t, s.Base.Before(l.action), "handle %d: base %d is before the action of %d", s.Group, s.Base, l.action)
	if s.Base != l.action {
		require.Truef(n.t, l.any && !l.arrived.Before(s.Base), "handle %d: base %d never came there", s.Group, s.Base)
	}
}

// judgeRetained checks that a record of a group that a peer retains contains only despawns, and
// removals of components that the peer may not see any more.
func (n *network) judgeRetained(e *end, s *saying) {
	key := e.keys[s.Group]
	if e.eyes.retained[key] == nil || s.Kind == repl.Gone {
		return
	}
	require.Equal(n.t, repl.Change, s.Kind)
	require.Empty(n.t, s.joins)
	for _, m := range s.members {
		at, has := e.oracle.lives[s.Group].members[m.number]
		if !has {
			continue // the entity was paused when the peer was sent the group, and is not paused any more
		}
		if less := e.eyes.views[key][at.slot].Comps; n.stand(at.slot) != at || !m.set.IsZero() || m.removed != m.removed.And(less) {
			require.Failf(n.t, "kept", "tick %d: group %v: %x loses %x and gets %x; hidden is %x", n.tick, key, at, m.removed, m.set, less)
		}
		n.removed++
	}
	require.True(n.t, len(s.leavers) > 0 || s.said || len(s.members) > 0)
	for _, on := range s.predicted.members {
		require.False(n.t, on)
	}
}

// judgeMembers checks that numbers and names of members match.
func (n *network) judgeMembers(e *end, l *life, s *saying) {
	before := l.members
	if s.Kind != repl.Change {
		l.members = map[repl.Member]standing{}
	} else {
		for number := range s.leavers {
			delete(l.members, number)
		}
	}
	for _, j := range s.joins {
		if j.paused {
			if m, had := before[j.number]; had {
				l.members[j.number] = m
			}
			continue
		}
		if j.native {
			j.id.Generation = l.generation
		}
		slot, ok := e.peer.Slot(j.id)
		require.Truef(n.t, ok, "tick %d: nobody is named %v", n.tick, j.id)
		at, taken := l.members[j.number]
		require.True(n.t, !taken || at == n.stand(slot), "a number is used twice")
		l.members[j.number] = n.stand(slot)
	}
}

// judgePredicted checks that a peer predicts its predicted set after an action arrived.
func (n *network) judgePredicted(e *end, l *life, s *saying) {
	was := l.predicts
	l.predicts = map[repl.Member]bool{}
	for number := range l.members {
		joins := slices.ContainsFunc(s.joins, func(j joining) bool { return j.number == number })
		on, stated := s.predicted.members[number]
		if l.predicts[number] = on; !stated && !joins && s.Kind == repl.Change {
			l.predicts[number] = was[number]
		}
	}
	for number, on := range s.predicted.members {
		if on {
			require.Contains(n.t, l.members, number, "nobody is predicted")
		} else {
			require.True(n.t, was[number], "was not predicted")
		}
	}
	if n.trusts || s.Kind == repl.Gone {
		return
	}
	foreseen := n.foreseen(e)
	for number, at := range l.members {
		key, on := foreseen[at.name]
		if on = on && key == e.keys[s.Group]; on != l.predicts[number] {
			require.Failf(n.t, "foreseen", "tick %d: %x in %v is to be predicted: %v", n.tick, at.name, e.keys[s.Group], on)
		}
	}
}

// foreseen returns the predicted set of a peer by name, with the groups.
func (n *network) foreseen(e *end) map[uint32]groupKey {
	all := map[uint32]groupKey{}
	for slot, is := range n.model.entities {
		key := n.key(slot)
		if e.eyes.predicts[is.name()] && !n.model.paused[slot] && !e.eyes.hides(key, slot).Whole {
			all[is.name()] = key
		}
	}
	return all
}

// judgeValues checks that a record contains the correct values, that the peer may see them, and
// that an update states exactly the changes since its baseline.
func (n *network) judgeValues(e *end, l *life, s *saying) {
	key := e.keys[s.Group]
	if n.trusts || e.eyes.retained[key] != nil {
		return
	}
	told := map[repl.Slot]bool{}
	for i := range s.members {
		m := &s.members[i]
		at, ok := l.members[m.number]
		slot := at.slot
		if !ok || n.stand(slot) != at || told[slot] {
			require.Failf(n.t, "wrong", "tick %d: handle %d has no member %d, or another now, or it is told of twice", n.tick, s.Group, m.number)
		}
		told[slot] = true
		is := n.model.told(slot)
		h := e.eyes.hides(n.key(slot), slot)
		if h.Whole {
			require.Failf(n.t, "hidden", "tick %d: entity %x is hidden, and told of", n.tick, is.name())
		}
		may := is.mask.Without(h.Comps)
		if want := n.stated(s, m, slot, may); m.set != want || m.removed != m.removed.Without(h.Comps).Without(is.mask) {
			require.Failf(n.t, "wrong", "tick %d: entity %x, since %d: %x is said, and %x to be gone; it should be %x", n.tick, is.name(), s.Base, m.set, m.removed, want)
		}
		for c := m.set.Next(0); c >= 0; c = m.set.Next(c + 1) {
			n.judgeValue(e, s, m, slot, c)
		}
	}
	if s.Kind == repl.Update {
		for _, at := range l.members {
			slot := at.slot
			h := e.eyes.hides(n.key(slot), slot)
			may := n.model.entities[slot].mask
			changed := n.changedSince(slot, s.Base, may.Without(h.Comps))
			if !told[slot] && !h.Whole && !n.model.paused[slot] && !changed.IsZero() {
				require.Fail(n.t, "a change is left out")
			}
		}
	}
}

// stated returns the components of which a record has to contain the values.
func (n *network) stated(s *saying, m *stated, slot repl.Slot, may set.Mask) set.Mask {
	if m.whole {
		return may
	}
	return n.changedSince(slot, s.Base, may)
}

func (n *network) judgeValue(e *end, s *saying, m *stated, slot repl.Slot, comp int) {
	is := n.model.told(slot)
	if n.model.deltas.Has(comp) && s.Kind == repl.Update && s.Differs(n.tick) {
		predicted, _, _, ok := n.model.past.predict(slot, comp, n.tick, s.From)
		require.True(n.t, ok)
		m.values[comp] += predicted
	}
	if !n.model.links || comp != linkComp {
		if is.values[comp] != m.values[comp] {
			require.Failf(n.t, "wrong", "tick %d: %x has %x in component %d, and is said to have %x", n.tick, is.name(), is.values[comp], comp, m.values[comp])
		}
		return
	}
	to := repl.Slot(is.values[comp]) - 1
	if _, lives := n.model.entities[to]; !lives {
		require.Zero(n.t, m.values[comp])
		return
	}
	require.NotZero(n.t, m.values[comp])
	named, ok := e.peer.Slot(s.refs[m.values[comp]-1].ID)
	require.True(n.t, ok && named == to)
}

// changedSince returns the components of a set that changed after a tick.
func (n *network) changedSince(slot repl.Slot, base entangle.Tick, of set.Mask) (comps set.Mask) {
	for c := of.Next(0); c >= 0; c = of.Next(c + 1) {
		if base.Before(n.model.changed[slot][c]) {
			comps.Set(c)
		}
	}
	return comps
}

// judgeUpdates checks an updates frame before it is sent.
func (n *network) judgeUpdates(e *end, b []byte) (all []saying, marks []marking) {
	if n.trusts {
		return nil, nil
	}
	all, marks = newParser(n.t, n.model).updates(n.tick, b)
	for i := range all {
		s := &all[i]
		l := e.oracle.lives[s.Group]
		require.NotNilf(n.t, l, "tick %d: values of a group that the peer was not sent: %d", n.tick, s.Group)
		require.True(n.t, l.action.Before(n.tick))
		n.judgeBase(l, s)
		n.judgeValues(e, l, s)
	}
	return all, marks
}

// came records which parts of a frame arrived at the peer.
func (n *network) came(e *end, tick entangle.Tick, all []saying) {
	for i := range all {
		l := e.oracle.lives[all[i].Group]
		if l != nil && l.begun.Before(tick) && (!l.any || l.arrived.Before(tick)) {
			l.arrived, l.any = tick, true
		}
	}
}

// has reports whether a peer should have an entity.
func (n *network) has(e *end, slot repl.Slot) bool {
	key, is := n.key(slot), n.model.entities[slot]
	return !e.eyes.hides(key, slot).Whole || e.eyes.keeps(key, is.name(), n.model.came[slot])
}

// judgeMoves checks, when everything of a tick has been sent, that the peer will have every entity
// in one group. It also checks that the peer still has the entities that it had, unless they were
// despawned or became invisible to it.
func (n *network) judgeMoves(e *end) {
	if n.trusts {
		return
	}
	stands := map[uint32]bool{}
	in := map[uint32]repl.Handle{}
	for h, l := range e.oracle.lives {
		for _, at := range l.members {
			if n.stand(at.slot) != at {
				continue
			}
			if stands[at.name] {
				require.Failf(n.t, "doubled", "tick %d: %x is in two groups, %d and %d", n.tick, at.name, h, in[at.name])
			}
			stands[at.name], in[at.name] = true, h
		}
	}
	for slot, is := range n.model.entities {
		if e.oracle.stood[is.name()] && !stands[is.name()] && !n.model.paused[slot] && n.has(e, slot) {
			require.Failf(n.t, "lost", "tick %d: %x is in no group", n.tick, is.name())
		}
	}
	e.oracle.stood = stands
}

// checkSettled checks, when a tick is confirmed, that the peer predicts its predicted set of that
// tick, and has all of it as of that tick, except for groups of which it has a later tick already.
func (n *network) checkSettled(e *end) {
	tick, ok := e.copy.ConfirmedTick()
	if !ok || e.settled == tick || n.trusts {
		return
	}
	require.True(n.t, e.settles == 0 || e.settled.Before(tick))
	e.settled = tick
	e.settles++
	for _, key := range e.foresaw[tick] {
		if h, there := e.handles[tick][key]; there {
			n.checkSettledGroup(e, key, h, tick)
		}
	}
	for h, key := range e.keys {
		if held, ok := e.copy.Held(h); ok && !tick.Before(held) {
			n.checkForeseen(e, h, key, tick)
		}
	}
}

// checkForeseen checks that the peer predicts its predicted set as of a tick, among the members of
// a group that it has.
func (n *network) checkForeseen(e *end, h repl.Handle, key groupKey, tick entangle.Tick) {
	for _, slot := range e.copy.Members(h, nil) {
		is := e.sink.entities[slot]
		in, foreseen := e.foresaw[tick][is.name()]
		foreseen = foreseen && in == key // unless the entity has moved to a group that the peer has not received
		if foreseen != e.sink.predicts[slot] {
			require.Failf(n.t, "foreseen", "tick %d: at %d %x in group %v is to be predicted: %v", n.tick, tick, is.name(), key, foreseen)
		}
	}
}

func (n *network) checkSettledGroup(e *end, key groupKey, h repl.Handle, tick entangle.Tick) {
	held, ok := e.copy.Held(h)
	if !ok {
		require.Truef(n.t, n.endedSince(e, key, h, tick), "tick %d settles without group %v", tick, key)
		return
	}
	if !held.Before(tick) {
		return
	}
	require.Equalf(n.t, n.settledAs(e, key, tick, held), n.settledAs(e, key, held, tick), "tick %d settles, and group %v (%d) is at %d", tick, key, h, held)
}

// endedSince reports whether a group that a peer saw at a tick has become invisible to it since.
func (n *network) endedSince(e *end, key groupKey, h repl.Handle, tick entangle.Tick) bool {
	for t := tick; t != n.tick; {
		t += 1 + n.skips
		if now, there := e.handles[t][key]; !there || now != h || !e.saw[t].sees(key) {
			return true
		}
	}
	return false
}

// settledAs returns the peer's view of a group at one tick, without the entities that are paused at
// that tick or at the other.
func (n *network) settledAs(e *end, key groupKey, tick, other entangle.Tick) map[uint32]entity {
	all := map[uint32]entity{}
	for _, slot := range n.history[tick].groups[key] {
		is, visible := n.seen(e, tick, key, slot)
		if visible && !n.history[tick].paused[slot] && !n.history[other].paused[slot] {
			all[is.name()] = is
		}
	}
	return all
}

// requireSettled checks that the confirmed tick has advanced, when nothing is in flight, and that
// the peer predicts its predicted set.
func (n *network) requireSettled(e *end) {
	foreseen := n.foreseen(e)
	if len(foreseen) > 0 {
		tick, ok := e.copy.ConfirmedTick()
		require.True(n.t, ok)
		require.LessOrEqual(n.t, int(n.tick.Sub(tick)), (n.delay+12)*(1+int(n.skips)))
	}
	for slot, is := range e.sink.entities {
		_, on := foreseen[is.name()]
		require.Equalf(n.t, on, e.sink.predicts[slot], "%x is to be predicted", is.name())
	}
}
