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
// spawned once and despawned when it is dead, and no group is requested.
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
	for _, s := range seeds {
		t.Run(fmt.Sprint("seed ", s), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("to repeat: go test ./internal/core/repl/receiver -run TestRandomMoves -args -seed %d", s)
				}
			}()
			newWorld(t, s).run(200)
		})
	}
}

// world is a simple model of a sender: it sends a record per group and tick, with needs for every
// group that an entity passed through.
type world struct {
	*scripted
	rng    *rand.Rand
	tick   entangle.Tick
	groups map[repl.Handle]*sent
	alive  map[repl.ID]*being
	births int
	past   map[repl.Handle]map[entangle.Tick]map[repl.ID]was
	wire   []flying
	freed  map[repl.Handle]entangle.Tick
}

// sent is a group of the sender.
type sent struct {
	handle  repl.Handle
	members map[repl.Member]*being
	next    repl.Member
	seq     repl.Seq
	begun   bool
	acted   entangle.Tick // tick of the last action
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

// flying is a message or frame in flight.
type flying struct {
	due   entangle.Tick
	rec   record
	group *sent
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		scripted: newScripted(t), rng: rand.New(rand.NewPCG(seed, 1)), tick: 10,
		groups: map[repl.Handle]*sent{}, alive: map[repl.ID]*being{},
		past: map[repl.Handle]map[entangle.Tick]map[repl.ID]was{}, freed: map[repl.Handle]entangle.Tick{},
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
	// An entity that died between two fulls is in transit for a while.
	require.NoError(w.t, w.copy.HandleUpdates(w.tick+1000, nil))
	require.Empty(w.t, w.asks())
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
				w.leave(g, n, repl.Moved)
				w.enter(to, b)
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
			w.leave(g, n, repl.Moved)
			w.enter(to, b)
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
	switch {
	case !g.begun:
		r.kind, g.begun = repl.Full, true
	case w.rng.IntN(5) == 0:
		r.kind = repl.Full
		fallthrough
	default:
		g.seq = g.seq.Next()
	}
	r.seq = g.seq
	for _, n := range slices.Sorted(maps.Keys(g.left)) {
		l := g.left[n]
		if r.kind == repl.Change && l.tick == w.tick || r.kind == repl.Full && l.fate == repl.Moved && g.members[n] == nil {
			r.leavers = append(r.leavers, leaver{n, l.fate})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(g.members)) {
		w.emitMember(g, &r, n)
	}
	w.predict(g, &r)
	g.acted, g.base, g.changed = w.tick, w.tick, false
	clear(g.joined)
	w.send(g, r)
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

func (w *world) emitMember(g *sent, r *record, n repl.Member) {
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
		if need.Group != g.handle {
			r.needs = append(r.needs, need)
		}
	}
}

func (w *world) emitGone(g *sent) {
	g.seq = g.seq.Next()
	r := record{kind: repl.Gone, group: g.handle, seq: g.seq, tick: w.tick}
	for _, n := range slices.Sorted(maps.Keys(g.left)) {
		if l := g.left[n]; l.tick == w.tick {
			r.leavers = append(r.leavers, leaver{n, l.fate})
		}
	}
	delete(w.groups, g.handle)
	w.freed[g.handle] = w.tick
	w.send(g, r)
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
		w.wire = append(w.wire, flying{due: w.tick + entangle.Tick(w.rng.IntN(25)), rec: r, group: g})
	}
}

// deliver delivers the due records, in any order.
func (w *world) deliver(all bool) {
	w.rng.Shuffle(len(w.wire), func(i, j int) { w.wire[i], w.wire[j] = w.wire[j], w.wire[i] })
	left := w.wire[:0:0]
	for _, f := range w.wire {
		if !all && w.tick.Before(f.due) {
			left = append(left, f)
			continue
		}
		w.get(f.rec)
		if f.rec.kind != repl.Update {
			f.group.flying--
		} else if f.group.base.Before(f.rec.tick) && !f.rec.tick.Before(f.group.acted) {
			f.group.base = f.rec.tick // acknowledged
		}
		w.compare()
	}
	w.wire = left
}

// compare compares the replica with the earlier states of every group.
func (w *world) compare() {
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
