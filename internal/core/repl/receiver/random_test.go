package receiver_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

var seed = flag.Uint64("seed", 0, "run the random tests with this seed alone")

// Whatever a sender's groups and their members do, and however its records are lost, duplicated and
// reordered, every group's replica equals the group at the tick that the replica has. An entity is
// spawned once and despawned when it is dead, and is in one group all the time.
//
// Proves: R20, R24, R37, R41
func TestRandomMoves(t *testing.T) {
	seeds := []uint64{*seed}
	if *seed == 0 {
		seeds = seeds[:0]
		for s := range uint64(60) {
			seeds = append(seeds, s+1)
		}
	}
	var seen counts
	for _, s := range seeds {
		t.Run(fmt.Sprint("seed ", s), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("to repeat: go test ./internal/core/repl/receiver -run TestRandomMoves -args -seed %d", s)
				}
			}()
			w := newWorld(t, s)
			w.run(200)
			seen.add(&w.counts)
		})
	}
	t.Logf("%+v", seen)
	if *seed == 0 && !t.Failed() {
		require.Greater(t, min(seen.units, seen.inParts, seen.waited, seen.dependent, seen.ends, seen.fulls), 100, "%+v", seen)
	}
}

// counts counts what happened to units.
type counts struct{ units, inParts, waited, dependent, ends, fulls int }

func (s *counts) add(o *counts) {
	s.units += o.units
	s.inParts += o.inParts
	s.waited += o.waited
	s.dependent += o.dependent
	s.ends += o.ends
	s.fulls += o.fulls
}

// world is a simple model of a sender: it sends a record per group and tick. Groups between which entities moved in the tick
// form a unit, with needs for every group that an entity passed through before.
type world struct {
	*scripted
	counts
	rng    *rand.Rand
	tick   entangle.Tick
	groups map[repl.Handle]*sent
	alive  map[repl.ID]*being
	births int
	past   map[repl.Handle]map[entangle.Tick]map[repl.ID]was
	wire   []flying
	freed  map[repl.Handle]entangle.Tick

	// Of the current tick:
	actions map[repl.Handle]*action
	links   [][2]repl.Handle // groups between which an entity moved

	pending map[repl.Need]*united // units that are not applied, by group and tick of each of their records
}

// action is an action that is to be sent in this tick.
type action struct {
	rec   record
	group *sent
	needs []repl.Need
	unit  int // the lowest number of an action that it is connected with
}

// united is a unit of the sender.
type united struct {
	tick    entangle.Tick
	actions []*action
	needs   []repl.Need
	left    int // parts that have not arrived
}

// sent is a group of the sender.
type sent struct {
	handle  repl.Handle
	members map[repl.Member]*being
	next    repl.Member
	begun   bool
	acted   entangle.Tick // tick of the last action
	united  entangle.Tick // of the last unit
	base    entangle.Tick // newest tick that the receiver certainly has
	flying  int           // actions in flight
	joined  map[repl.Member]bool
	left    map[repl.Member]gone // members that left since the group began
	changed bool

	predicts map[repl.ID]bool // of its members, according to the last action
}

// was is an entity in a group at a tick.
type was struct {
	value     uint32
	predicted bool
}

type gone struct {
	tick entangle.Tick
	fate repl.Fate
}

// being is an entity of the sender.
type being struct {
	id      repl.ID
	value   uint32
	changed entangle.Tick
	trail   []repl.Need // the groups it left
}

// flying is a message or frame in flight: of one record, or of parts of units.
type flying struct {
	due   entangle.Tick
	rec   record
	group *sent

	message []byte
	units   []*united // of each part
	groups  []*sent   // of each of their records
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		scripted: newScripted(t), rng: rand.New(rand.NewPCG(seed, 1)), tick: 10,
		groups: map[repl.Handle]*sent{}, alive: map[repl.ID]*being{},
		past: map[repl.Handle]map[entangle.Tick]map[repl.ID]was{}, freed: map[repl.Handle]entangle.Tick{},
		actions: map[repl.Handle]*action{}, pending: map[repl.Need]*united{},
	}
	w.sink.onDespawn = func(id repl.ID) { require.Nil(t, w.alive[id], "%v lives", id) }
	return w
}

func (w *world) run(ticks int) {
	for range ticks {
		w.tick++
		w.changeGroups()
		for range w.rng.IntN(4) {
			w.change()
		}
		w.emitAll()
		w.deliver(false)
	}
	w.tick++
	w.emitAll()
	w.deliver(true)
	require.Zero(w.t, w.copy.Stats().Abandoned)
	require.Zero(w.t, w.copy.Stats().Overflow)
	require.Zero(w.t, w.copy.WaitingBytes())
	require.Len(w.t, w.sink.entities, len(w.alive))
	require.Equal(w.t, len(w.groups), w.copy.Len())
	require.LessOrEqual(w.t, w.sink.spawns, w.births, "one died and came again")
	for h, g := range w.groups {
		require.Len(w.t, w.members(h), len(g.members))
	}
}

// open returns a group that may send an action now, because few of its actions are in flight.
func (w *world) open() *sent {
	var all []*sent
	for _, h := range slices.Sorted(maps.Keys(w.groups)) {
		if g := w.groups[h]; g.flying < repl.MaxActionsInFlight-1 {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.rng.IntN(len(all))]
}

func (w *world) changeGroups() {
	if len(w.groups) < 6 && w.rng.IntN(3) == 0 {
		h := repl.Handle(w.rng.IntN(10))
		if w.rng.IntN(3) == 0 {
			h += repl.Private
		}
		if freed, was := w.freed[h]; w.groups[h] != nil || was && (w.tick-freed < 60 || w.native(h)) {
			return
		}
		g := &sent{handle: h, members: map[repl.Member]*being{}, left: map[repl.Member]gone{}, joined: map[repl.Member]bool{}}
		w.groups[h] = g
		w.spawn(g)
		return
	}
	if g := w.open(); g != nil && g.begun && w.rng.IntN(20) == 0 {
		for _, n := range slices.Sorted(maps.Keys(g.members)) {
			b := g.members[n]
			if to := w.open(); to != nil && to != g && w.rng.IntN(2) == 0 {
				w.move(g, to, n, b)
			} else {
				w.leave(g, n, repl.Despawned)
			}
		}
		w.emitGone(g)
	}
}

// native reports whether an entity that was born under a handle is alive.
func (w *world) native(h repl.Handle) bool {
	for id := range w.alive {
		if id.Group == h {
			return true
		}
	}
	return false
}

func (w *world) change() {
	g := w.open()
	if g == nil {
		return
	}
	n, b := w.pick(g)
	switch w.rng.IntN(6) {
	case 0:
		w.spawn(g)
	case 1:
		if b != nil && !g.joined[n] {
			w.leave(g, n, repl.Despawned)
		}
	case 2, 3:
		if to := w.open(); b != nil && to != g && !g.joined[n] {
			w.move(g, to, n, b)
		}
	default:
		if b != nil {
			b.value, b.changed = w.rng.Uint32()>>1, w.tick
		}
	}
}

func (w *world) pick(g *sent) (repl.Member, *being) {
	if len(g.members) == 0 {
		return 0, nil
	}
	numbers := slices.Sorted(maps.Keys(g.members))
	n := numbers[w.rng.IntN(len(numbers))]
	return n, g.members[n]
}

func (w *world) spawn(g *sent) {
	b := &being{id: id(g.handle, g.next), value: w.rng.Uint32() >> 1, changed: w.tick}
	w.alive[b.id] = b
	w.births++
	g.members[g.next], g.joined[g.next] = b, true
	g.next++
	g.changed = true
}

func (w *world) move(from, to *sent, n repl.Member, b *being) {
	w.leave(from, n, repl.Moved)
	w.enter(to, b)
	w.links = append(w.links, [2]repl.Handle{from.handle, to.handle})
}

// enter adds an entity that moved to a group. In its home group it gets its old number.
func (w *world) enter(g *sent, b *being) {
	n := g.next
	if b.id.Group == g.handle {
		n = b.id.Member
	} else {
		g.next++
	}
	g.members[n], g.joined[n] = b, true
	g.changed = true
}

func (w *world) leave(g *sent, n repl.Member, fate repl.Fate) {
	b := g.members[n]
	delete(g.members, n)
	delete(g.joined, n)
	g.left[n] = gone{w.tick, fate}
	g.changed = true
	if fate == repl.Despawned {
		delete(w.alive, b.id)
		w.freed[b.id.Group] = w.tick
	} else {
		b.trail = append(b.trail, repl.Need{Group: g.handle, Tick: w.tick})
	}
}

func (w *world) emitAll() {
	for _, h := range slices.Sorted(maps.Keys(w.groups)) {
		g := w.groups[h]
		w.remember(g)
		switch {
		case g.changed, w.rng.IntN(12) == 0 && g.flying < repl.MaxActionsInFlight-1:
			w.emitAction(g)
		case w.rng.IntN(3) == 0:
			w.emitUpdate(g)
		}
	}
	w.sendActions()
}

// remember stores the state of the group at this tick.
func (w *world) remember(g *sent) {
	if w.past[g.handle] == nil {
		w.past[g.handle] = map[entangle.Tick]map[repl.ID]was{}
	}
	now := map[repl.ID]was{}
	for _, b := range g.members {
		now[b.id] = was{b.value, g.predicts[b.id]}
	}
	w.past[g.handle][w.tick] = now
}

func (w *world) emitAction(g *sent) {
	r := record{kind: repl.Change, group: g.handle, tick: w.tick, base: g.base}
	held, ok := w.copy.Held(g.handle)
	switch {
	case !g.begun:
		r.kind, g.begun = repl.Full, true
	case w.rng.IntN(5) == 0 && ok && !held.Before(g.united): // the sender waits until no action is in flight
		r.kind = repl.Full
	}
	act := w.act(g)
	for _, n := range slices.Sorted(maps.Keys(g.left)) {
		l := g.left[n]
		if r.kind == repl.Change && l.tick == w.tick || r.kind == repl.Full && l.fate == repl.Moved && g.members[n] == nil {
			r.leavers = append(r.leavers, leaver{n, l.fate})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(g.members)) {
		w.emitMember(g, &r, n, act)
	}
	w.predict(g, &r)
	g.acted, g.base, g.changed = w.tick, w.tick, false
	clear(g.joined)
	act.rec = r
}

// act adds an action of a group to those of the tick.
func (w *world) act(g *sent) *action {
	a := &action{group: g}
	w.actions[g.handle] = a
	return a
}

// predict makes an action state which members are predicted: any of a full, and for any of a change whether
// it is.
func (w *world) predict(g *sent, r *record) {
	states, before := w.rng.IntN(3) > 0, g.predicts
	g.predicts = map[repl.ID]bool{}
	r.predicted, r.ended = nil, nil
	for _, n := range slices.Sorted(maps.Keys(g.members)) {
		b := g.members[n]
		switch choice := w.rng.IntN(3); {
		case states && choice == 0:
			r.predicted = append(r.predicted, n)
			g.predicts[b.id] = true
		case states && choice == 1 && r.kind == repl.Change:
			r.ended = append(r.ended, n)
		case r.kind == repl.Change && !g.joined[n]:
			g.predicts[b.id] = before[b.id]
		}
	}
	w.remember(g)
}

func (w *world) emitMember(g *sent, r *record, n repl.Member, act *action) {
	b := g.members[n]
	if r.kind == repl.Change && !g.joined[n] {
		if b.changed-r.base-1 < 1<<31 {
			r.changed = append(r.changed, change{n, number(b.value)})
		}
		return
	}
	j := joining{number: n, content: number(b.value)}
	if b.id != id(g.handle, n) {
		r.refs = append(r.refs, repl.Ref{ID: b.id})
		j.from = len(r.refs)
	}
	r.joins = append(r.joins, j)
	for _, need := range b.trail {
		if need.Group != g.handle && need.Tick != w.tick {
			act.needs = append(act.needs, need)
		}
	}
}

func (w *world) emitGone(g *sent) {
	r := ends(g.handle, w.tick, g.acted)
	for _, n := range slices.Sorted(maps.Keys(g.left)) {
		if l := g.left[n]; l.tick == w.tick {
			r.leavers = append(r.leavers, leaver{n, l.fate})
		}
	}
	delete(w.groups, g.handle)
	w.freed[g.handle] = w.tick
	w.act(g).rec = r
}

// sendActions sends the actions of the tick: alone, or as units.
func (w *world) sendActions() {
	handles := slices.Sorted(maps.Keys(w.actions))
	for i, h := range handles {
		w.actions[h].unit = i
	}
	for range handles { // until all that are connected have the same number
		for _, l := range w.links {
			a, b := w.actions[l[0]], w.actions[l[1]]
			a.unit = min(a.unit, b.unit)
			b.unit = a.unit
		}
	}
	byUnit := make([][]*action, len(handles))
	for _, h := range handles {
		a := w.actions[h]
		byUnit[a.unit] = append(byUnit[a.unit], a)
	}
	var parts []part
	var of []*united
	for number, actions := range byUnit {
		u := &united{tick: w.tick, actions: actions}
		for _, a := range actions {
			u.needs = append(u.needs, a.needs...)
		}
		switch {
		case len(actions) == 0:
		case len(actions) == 1 && len(u.needs) == 0 && w.rng.IntN(8) > 0:
			w.send(actions[0].group, actions[0].rec)
		default:
			parts = append(parts, w.divide(u, uint64(number))...)
			for len(of) < len(parts) {
				of = append(of, u)
			}
		}
	}
	w.rng.Shuffle(len(parts), func(i, j int) {
		parts[i], parts[j], of[i], of[j] = parts[j], parts[i], of[j], of[i]
	})
	for len(parts) > 0 {
		n := 1 + w.rng.IntN(min(3, len(parts)))
		f := flying{due: w.due(), message: units(w.tick, parts[:n]...), units: of[:n]}
		for _, p := range parts[:n] {
			for _, r := range p.records {
				g := w.actions[r.group].group
				g.flying++
				f.groups = append(f.groups, g)
			}
		}
		w.wire, parts, of = append(w.wire, f), parts[n:], of[n:]
	}
	clear(w.actions)
	w.links = w.links[:0]
}

// divide divides a unit into parts.
func (w *world) divide(u *united, number uint64) (parts []part) {
	p := part{unit: number, needs: u.needs}
	for _, a := range u.actions {
		if (len(p.records) > 0 || len(p.needs) > 0) && w.rng.IntN(2) == 0 {
			parts = append(parts, p)
			p = part{unit: number, number: p.number + 1}
		}
		p.records = append(p.records, a.rec)
		a.group.united = w.tick
		w.pending[repl.Need{Group: a.rec.group, Tick: w.tick}] = u
		switch a.rec.kind {
		case repl.Gone:
			w.ends++
		case repl.Full:
			w.fulls++
		}
	}
	p.last = true
	parts = append(parts, p)
	w.units++
	if u.left = len(parts); u.left > 1 {
		w.inParts++
	}
	return parts
}

// arrived notes that all parts of a unit have arrived.
func (w *world) arrived(u *united) {
	waits, dependent := false, false
	for _, a := range u.actions {
		held, ok := w.copy.Held(a.rec.group)
		reached := ok && !held.Before(u.tick) || w.copy.EndedBy(a.rec.group, u.tick)
		waits = waits || !reached
		if at := (repl.Need{Group: a.rec.group, Tick: a.rec.base}); !reached && a.rec.kind != repl.Full {
			dependent = dependent || w.pending[at] != nil
		}
	}
	if !waits {
		return
	}
	w.waited++
	for _, need := range u.needs {
		dependent = dependent || w.pending[need] != nil
	}
	if dependent {
		w.dependent++
	}
}

func (w *world) emitUpdate(g *sent) {
	r := record{kind: repl.Update, group: g.handle, tick: w.tick, base: g.base}
	for _, n := range slices.Sorted(maps.Keys(g.members)) {
		if b := g.members[n]; r.base.Before(b.changed) {
			r.changed = append(r.changed, change{n, number(b.value)})
		}
	}
	if len(r.changed) > 0 && w.rng.IntN(3) > 0 {
		w.send(g, r)
	}
}

func (w *world) send(g *sent, r record) {
	for range 1 + w.rng.IntN(5)/4 {
		if r.kind != repl.Update {
			g.flying++
		}
		w.wire = append(w.wire, flying{due: w.due(), rec: r, group: g})
	}
}

// due draws when something arrives. Most arrives soon, and what was lost late.
func (w *world) due() entangle.Tick {
	if w.rng.IntN(3) > 0 {
		return w.tick + entangle.Tick(w.rng.IntN(4))
	}
	return w.tick + entangle.Tick(w.rng.IntN(25))
}

// deliver delivers what is due, in any order.
func (w *world) deliver(all bool) {
	w.rng.Shuffle(len(w.wire), func(i, j int) { w.wire[i], w.wire[j] = w.wire[j], w.wire[i] })
	left := w.wire[:0:0]
	for _, f := range w.wire {
		switch {
		case !all && w.tick.Before(f.due):
			left = append(left, f)
			continue
		case f.message != nil:
			w.deliverUnits(&f)
		default:
			w.get(f.rec)
			if f.rec.kind != repl.Update {
				f.group.flying--
			} else if f.group.base.Before(f.rec.tick) && !f.rec.tick.Before(f.group.acted) {
				f.group.base = f.rec.tick // acknowledged
			}
		}
		w.compare()
	}
	w.wire = left
}

func (w *world) deliverUnits(f *flying) {
	require.NoError(w.t, w.copy.HandleActions(f.message))
	w.check()
	for _, g := range f.groups {
		g.flying--
	}
	for need, u := range w.pending {
		held, ok := w.copy.Held(need.Group)
		if u.left == 0 && (ok && !held.Before(need.Tick) || w.copy.EndedBy(need.Group, need.Tick)) {
			delete(w.pending, need)
		}
	}
	for _, u := range f.units {
		if u.left--; u.left == 0 {
			w.arrived(u)
		}
	}
}

// compare compares the replica with the earlier states of every group. Each entity is in one group.
func (w *world) compare() {
	w.checkMembers()
	for h, past := range w.past {
		held, ok := w.copy.Held(h)
		if !ok {
			continue
		}
		have := map[repl.ID]was{}
		for _, slot := range w.copy.Members(h, nil) {
			is := w.sink.entities[slot]
			have[is.id] = was{is.value, w.sink.predicted[slot]}
		}
		require.Equal(w.t, past[held], have, "group %d at %d", h, held)
	}
}
