package repl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// In a random world, a client is sent the same bytes in the same ticks, whatever happens that it
// may not see: to entities of groups that it is not shown or that it retains, to members and
// components that its views hide, and to what other clients see.
//
// Proves: V13
func TestWhatIsHiddenChangesNoByteInRandomWorlds(t *testing.T) {
	for seed := *fromSeed; seed < *fromSeed+some((*seeds+3)/4); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./internal/core/repl -run '^TestWhatIsHiddenChangesNoByteInRandomWorlds$' -seeds 1 -seed %d", seed)
				}
			}()
			p := newPlay(t, seed)
			for range 300 {
				p.step()
			}
			require.NotZero(t, p.bytes)
		})
	}
}

// play is one game in two worlds. The open stage lacks everything that a client does not see; the
// other stage has it.
type play struct {
	t      *testing.T
	rng    *rand.Rand // for the visible part
	dark   *rand.Rand // for the hidden part
	open   *stage
	full   *stage
	bytes  int
	names  uint32
	modes  map[groupKey]mode // of private groups, while they are not shown
	shut   map[int]set.Mask  // components that the client does not see
	bornIn map[int]group.Place
	moved  map[int]bool

	banishedAt map[int]entangle.Tick
}

// mode is the state in which the client has a private group.
type mode uint8

const (
	shownMode mode = iota
	hiddenMode
	retainedMode
	banished // hidden for good
)

// Entities below firstHidden are on both stages.
const firstHidden = 32

// stage is one of the two worlds of a play.
type stage struct {
	n      *network
	flip   bool // entities have other slots than on the other stage
	client *spectator
	others []*spectator
}

func (s *stage) slot(id int) repl.Slot {
	if s.flip {
		return repl.Slot(63 - id)
	}
	return repl.Slot(id)
}

func (s *stage) lives(id int) bool { _, ok := s.n.model.entities[s.slot(id)]; return ok }

func (s *stage) is(id int) entity { return s.n.model.entities[s.slot(id)] }

func (s *stage) paused(id int) bool { return s.n.model.paused[s.slot(id)] }

func (s *stage) place(id int) group.Place { return s.n.model.places[s.slot(id)] }

func newPlay(t *testing.T, seed uint64) *play {
	return &play{
		t: t, rng: rand.New(rand.NewPCG(seed, 3)), dark: rand.New(rand.NewPCG(seed, 4)),
		open: newStage(t, seed, false), full: newStage(t, seed, true),
		modes: map[groupKey]mode{}, shut: map[int]set.Mask{}, bornIn: map[int]group.Place{}, moved: map[int]bool{},
		banishedAt: map[int]entangle.Tick{},
	}
}

func newStage(t *testing.T, seed uint64, flip bool) *stage {
	n := newNetwork(t, seed, []int{4, 13}[seed%2], 0)
	n.model.links = seed%3 == 0
	if seed%5 == 0 {
		n.differ()
	}
	s := &stage{n: n, flip: flip}
	s.client = newSpectator(n, seed, 0)
	for k := range uint64(2) {
		s.others = append(s.others, newSpectator(n, seed, k+1))
	}
	return s
}

func (p *play) step() {
	p.both(func(s *stage) {
		s.n.tick++
		s.n.world.Begin(s.n.tick)
	})
	if p.open.n.tick == 1 {
		for id := range 8 {
			p.spawn(p.rng, id, []group.Place{partly, kept6}[id/4], p.open, p.full)
		}
		for id := range 2 {
			p.spawn(p.rng, 8+id, places[1+id], p.open, p.full)
		}
	}
	for id := range firstHidden {
		p.act(id)
	}
	for range 8 {
		p.behind(p.dark.IntN(64))
	}
	p.check()
	var sent [2][][]byte
	for i, s := range []*stage{p.open, p.full} {
		p.direct(s)
		s.n.world.Commit()
		s.n.model.remember(s.n.tick, 64)
		sent[i] = s.client.send(s.n)
		for _, o := range s.others {
			o.send(s.n)
		}
	}
	for i := range min(len(sent[0]), len(sent[1])) {
		if a, b := sent[0][i], sent[1][i]; string(a) != string(b) {
			require.Failf(p.t, "other bytes", "tick %d, %d:\n%x, should be\n%x", p.open.n.tick, i, b, a)
		}
		p.bytes += len(sent[0][i])
	}
	require.Lenf(p.t, sent[1], len(sent[0]), "tick %d", p.open.n.tick)
}

func (p *play) both(do func(s *stage)) {
	do(p.open)
	do(p.full)
}

// Places of the entities that the client sees. Only hidden entities enter the last two after the
// first tick, because a number would reveal that other numbers are taken.
var (
	places     = []group.Place{{}, {Name: 1}, {Name: 2}, {Private: true}, {Private: true}, {Name: 3, Private: true}, {Name: 4, Private: true}, {Hierarchy: 4, Private: true}}
	partly     = group.Place{Name: 5, Private: true}
	kept6      = group.Place{Name: 6, Private: true}
	darkPlaces = []group.Place{{Private: true}, {Private: true}, {Name: 7, Private: true}, {Hierarchy: 7, Private: true}, partly, kept6}
)

// lastPublic is the tick before which public groups begin.
const lastPublic = 240

// place draws a place.
func (p *play) place() group.Place {
	at := places[p.rng.IntN(len(places))]
	at.Private = at.Private || p.open.n.tick >= lastPublic
	return at
}

// key returns the group of an entity that is on both stages.
func (p *play) key(id int) groupKey {
	if at := p.open.place(id); at.Name|at.Hierarchy != 0 {
		return groupKey{place: at}
	} else {
		return groupKey{place: at, own: uint32(id + 1)}
	}
}

// act does something visible with one entity.
func (p *play) act(id int) {
	if !p.open.lives(id) {
		if p.rng.IntN(12) == 0 && p.modes[groupKey{own: uint32(id + 1)}] != banished {
			p.spawn(p.rng, id, p.place(), p.open, p.full)
		}
		return
	}
	k := p.key(id)
	what := p.rng.IntN(70)
	value, comp := p.rng.Uint32(), 1+p.rng.IntN(p.open.n.model.comps-1)
	if p.modes[groupKey{own: uint32(id + 1)}] == banished {
		return
	}
	// A free public handle is reused when all peers have acknowledged its end, which depends on the
	// packets that they were sent. Therefore no public group ends while others begin.
	lasts := id == 8 || id == 9 || p.open.n.tick < lastPublic && k.own != 0 && !k.place.Private
	switch what {
	case 0:
		if !lasts {
			p.both(func(s *stage) { s.end(id, value%6 == 0) })
		}
	case 1, 2, 3, 4, 5, 6:
		p.both(func(s *stage) { p.write(s, id, comp, value) })
	case 7, 8:
		p.both(func(s *stage) { p.reshape(s, id, comp, value) })
	case 9:
		to := p.place()
		if !lasts && !p.bornIn[id].Private && k.place != partly && k.place != kept6 && p.modes[k] == shownMode {
			if p.moved[id] = true; !p.open.paused(id) {
				p.sync(id) // the entity may be seen in full there
			}
			p.both(func(s *stage) { s.n.moveTo(s.slot(id), to) })
		}
	case 10, 11:
		// An entity that is paused before all peers have received its move is sent in its present
		// state.
		if p.modes[k] == shownMode && !p.moved[id] {
			p.both(func(s *stage) { s.pause(id) })
		}
	case 12:
		if p.modes[k] == shownMode {
			p.both(func(s *stage) { s.client.peer.Predict(s.slot(id), value%2 == 0) })
		}
	case 13:
		if k.place == partly || k.place == kept6 {
			return // the rate of a group follows from all its members
		}
		p.both(func(s *stage) {
			s.n.world.SetRate(s.slot(id), group.Rate{Every: uint16(value % 4), MaxAge: uint16(value % 9)})
		})
	case 14, 15, 16:
		p.turn(id, k, mode(value%3))
	case 17, 18:
		if p.open.paused(id) {
			return
		}
		p.sync(id)
		if delete(p.shut, id); what == 17 {
			p.shut[id] = set.MaskOf(1+int(value%3), 2)
		}
	case 19:
		// An entity that was born publicly keeps its id, and therefore its handle, while it lives.
		// Links lead to entities 8 and 9.
		if id != 8 && id != 9 && k.own != 0 && k.place.Private && p.bornIn[id].Private && value%4 == 0 {
			p.modes[k], p.banishedAt[id] = banished, p.open.n.tick
			p.modes[groupKey{own: uint32(id + 1)}] = banished
		}
	}
}

// turn shows a private group to the client, or stops showing it.
func (p *play) turn(id int, k groupKey, to mode) {
	if !k.place.Private {
		return
	}
	for other := range firstHidden {
		if to != shownMode || !p.open.lives(other) || p.key(other) != k {
			continue
		}
		if p.open.paused(other) || p.moved[other] { // a full may wait for the former group, until all peers have received the move
			return
		}
		p.sync(other)
	}
	p.modes[k] = to
}

// sync gives an entity its state on the open stage, before it becomes visible again.
func (p *play) sync(id int) {
	if !p.open.lives(id) || !p.full.lives(id) {
		return
	}
	want, s, slot := p.open.is(id), p.full, p.full.slot(id)
	if s.paused(id) != p.open.paused(id) {
		s.pause(id)
	}
	for c := 1; c < s.n.model.comps; c++ {
		is := s.is(id)
		value := want.values[c]
		if s.n.model.links && c == linkComp && want.mask.Has(c) {
			value = uint32(s.slot(int(value-1))) + 1
		}
		switch {
		case is.mask.Has(c) != want.mask.Has(c):
			s.reshape(id, c, value)
		case is.mask.Has(c) && is.values[c] != value:
			s.n.set(slot, c, value)
		}
	}
}

func (p *play) spawn(rng *rand.Rand, id int, at group.Place, stages ...*stage) {
	p.names++
	is := entity{mask: set.MaskOf(0, 2)}
	is.values[0] = uint32(id) | p.names<<16
	for _, s := range stages {
		s.n.put(s.slot(id), is, at)
	}
	delete(p.modes, groupKey{place: at, own: uint32(id + 1)})
	delete(p.shut, id)
	p.bornIn[id], p.moved[id] = at, false
}

func (s *stage) end(id int, letGo bool) {
	if letGo {
		s.n.abandon(s.slot(id))
	} else {
		s.n.despawn(s.slot(id))
	}
}

// write writes a value. A link leads to an entity that everybody sees all the time, because a link
// to another one would reveal its despawn.
func (p *play) write(s *stage, id, comp int, value uint32) {
	if is := s.is(id); is.mask.Has(comp) && width(comp) > 0 {
		s.n.set(s.slot(id), comp, p.value(s, comp, value))
	}
}

func (p *play) value(s *stage, comp int, value uint32) uint32 {
	if s.n.model.links && comp == linkComp {
		return uint32(s.slot(8+int(value%2))) + 1
	}
	return value
}

func (p *play) reshape(s *stage, id, comp int, value uint32) {
	s.reshape(id, comp, p.value(s, comp, value))
}

func (s *stage) reshape(id, comp int, value uint32) {
	slot, is := s.slot(id), s.is(id)
	if s.n.model.paused[slot] {
		return
	}
	if is.mask.Has(comp) {
		is.mask.Clear(comp)
		is.values[comp] = 0
		s.n.world.Reshape(slot, set.Mask{}, set.MaskOf(comp))
	} else {
		is.mask.Set(comp)
		if width(comp) > 0 {
			is.values[comp] = value
		}
		s.n.world.Reshape(slot, set.MaskOf(comp), set.Mask{})
	}
	s.n.model.changed[slot][comp] = s.n.world.Tick()
	s.n.model.entities[slot] = is
}

// pause pauses an entity, or resumes it.
func (s *stage) pause(id int) {
	slot := s.slot(id)
	if s.n.model.paused[slot] {
		s.n.resume(slot)
		return
	}
	s.n.model.paused[slot], s.n.model.frozen[slot] = true, s.n.model.entities[slot]
	s.n.world.Pause(slot)
}

// behind does something that the client does not see.
func (p *play) behind(id int) {
	s, value := p.full, p.dark.Uint32()
	comp := 1 + p.dark.IntN(s.n.model.comps-1)
	what := p.dark.IntN(16)
	if id < firstHidden {
		p.beside(id, what, comp, value)
		return
	}
	if !s.lives(id) {
		p.spawn(p.dark, id, darkPlaces[value%uint32(len(darkPlaces))], s)
		return
	}
	switch what {
	case 0, 1:
		s.end(id, value%6 == 0)
	case 2:
		s.n.moveTo(s.slot(id), darkPlaces[value%uint32(len(darkPlaces))])
	case 3:
		s.pause(id)
	case 4:
		if at := s.place(id); at == partly || at == kept6 {
			return
		}
		s.n.world.SetRate(s.slot(id), group.Rate{Every: uint16(value % 4), MaxAge: uint16(value % 9)})
	case 5, 6, 7:
		p.cast(id, value)
	case 8, 9:
		s.reshape(id, comp, value%64)
	default:
		if is := s.is(id); is.mask.Has(comp) && width(comp) > 0 {
			s.n.set(s.slot(id), comp, value%64)
		}
	}
}

// cast shows a group to another client, or stops showing it.
func (p *play) cast(id int, value uint32) {
	s := p.full
	o := s.others[value%2].peer
	switch slot := s.slot(id); value / 2 % 5 {
	case 0:
		o.Hide(slot)
	case 1:
		o.Retain(slot)
	case 2:
		o.Predict(slot, value%3 > 0)
	default:
		o.Show(slot)
		o.SetView(slot)
	}
}

// beside does something that the client does not see with an entity that is on both stages.
func (p *play) beside(id, what, comp int, value uint32) {
	s := p.full
	if !s.lives(id) {
		return
	}
	k := p.key(id)
	unseen, shut := k.place.Private && p.modes[k] != shownMode, p.shut[id]
	if p.open.lives(id) && p.modes[groupKey{own: uint32(id + 1)}] == banished {
		switch what {
		case 0:
			s.end(id, value%6 == 0 && p.banishedAt[id] != p.open.n.tick) // otherwise the entity may keep the client's replica
			return
		case 1:
			s.n.moveTo(s.slot(id), darkPlaces[value%2])
			return
		}
	}
	if s.n.model.links && comp == linkComp || !unseen && (!k.place.Private || !shut.Has(comp)) {
		return
	}
	switch what {
	case 2, 3:
		if unseen {
			s.pause(id)
		}
	case 4, 5, 6:
		if unseen || k.place.Private {
			s.reshape(id, comp, value)
		}
	case 7:
		p.cast(id, value)
	default:
		if is := s.is(id); is.mask.Has(comp) && width(comp) > 0 {
			s.n.set(s.slot(id), comp, value)
		}
	}
}

// direct sets the views of the peers of a stage.
func (p *play) direct(s *stage) {
	groups := map[groupKey][]int{}
	var order []groupKey
	for id := range 64 {
		if !s.lives(id) || !s.place(id).Private {
			continue
		}
		k := groupKey{place: s.place(id), own: uint32(id + 1)}
		if k.place.Name|k.place.Hierarchy != 0 {
			k.own = 0
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], id)
	}
	for _, k := range order {
		p.directGroup(s, k, groups[k])
	}
}

func (p *play) directGroup(s *stage, k groupKey, ids []int) {
	first := s.slot(ids[0])
	if ids[0] < firstHidden {
		for _, o := range s.others {
			if !s.flip || p.dark.IntN(4) == 0 {
				o.peer.Show(first)
			}
		}
	}
	var hidden []view.Hidden
	some := false
	for _, id := range ids {
		switch {
		case id >= firstHidden:
			hidden = append(hidden, view.Hidden{Slot: s.slot(id), Whole: true})
		default:
			some = true
			hidden = append(hidden, view.Hidden{Slot: s.slot(id), Comps: p.shut[id]})
		}
	}
	c := s.client.peer
	switch {
	case !some, p.modes[k] == hiddenMode, p.modes[k] == banished:
		c.Hide(first)
		return
	case p.modes[k] == retainedMode:
		c.Retain(first, hidden...)
		return
	default:
		c.Show(first)
	}
	c.SetView(first, hidden...)
}

// spectator is a peer on a line that depends on a random source only.
type spectator struct {
	peer     *sender.Peer
	rng      *rand.Rand
	loss     float64
	delay    int
	pkt, msg uint16
	mail     []mail
}

func newSpectator(n *network, seed, k uint64) *spectator {
	return &spectator{
		peer: n.world.NewPeer(), rng: rand.New(rand.NewPCG(seed, 10+k)),
		loss: []float64{0, 0.1, 0.4}[(seed+k)%3], delay: int(seed/3+k) % 8,
	}
}

// send writes all due records, and completes the packets in flight.
func (s *spectator) send(n *network) (all [][]byte) {
	for b := s.peer.AppendActions(nil, 300); len(b) > 0; b = s.peer.AppendActions(nil, 300) {
		s.msg++
		name, ticks := s.msg, 1+s.rng.IntN(s.delay+1)
		s.peer.ActionsSent(name)
		for s.rng.Float64() < s.loss {
			ticks += s.delay + 1
		}
		s.post(n, ticks, func() { s.peer.HandleDelivered(name) })
		all = append(all, b)
	}
	for s.pkt++; ; s.pkt++ {
		pkt, b := s.pkt, s.peer.AppendUpdates(nil, 200, s.pkt)
		if len(b) == 0 {
			break
		}
		all = append(all, b)
		if s.rng.Float64() < s.loss {
			s.post(n, 2*s.delay+2, func() { s.peer.HandleLost(pkt) })
		} else {
			s.post(n, 1+s.delay, func() { s.peer.HandleAcked(pkt) }) // in order, as differences require
		}
	}
	if b := s.peer.AppendMark(nil, 200); len(b) > 0 {
		all = append(all, b)
	}
	kept := s.mail[:0]
	for _, m := range s.mail {
		if n.tick.Before(m.at) {
			kept = append(kept, m)
		} else {
			m.do()
		}
	}
	s.mail = kept
	return all
}

func (s *spectator) post(n *network, in int, do func()) {
	s.mail = append(s.mail, mail{at: n.tick + entangle.Tick(in), do: do})
}

// check requires that the client may see the same on both stages.
func (p *play) check() {
	for id := range firstHidden {
		if !p.open.lives(id) || p.modes[p.key(id)] != shownMode {
			continue
		}
		a, b, shut := p.open.is(id), p.full.is(id), p.shut[id]
		require.Equal(p.t, p.open.paused(id), p.full.paused(id))
		for c := range a.values {
			if shut.Has(c) && p.key(id).place.Private || c == linkComp && p.open.n.model.links {
				continue
			}
			require.True(p.t, a.mask.Has(c) == b.mask.Has(c) && a.values[c] == b.values[c], "tick %d: %d, component %d", p.open.n.tick, id, c)
		}
	}
}
