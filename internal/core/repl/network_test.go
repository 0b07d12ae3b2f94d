package repl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// network is one sender and its peers over links that lose and reorder, tick by tick. Actions
// always arrive, some time later, as over a reliable channel without order.
type network struct {
	t     testing.TB
	rng   *rand.Rand
	loss  float64
	delay int // greatest delay in one direction, in ticks
	late  int // ticks by which actions are delayed in addition

	tick  entangle.Tick
	model *model
	world *sender.World
	peers []*end

	sent [][]byte // everything that was sent, in order, for twins
	keep bool
	told func(*end, saying) // called for every update that is sent

	bursts bool             // many entities alike come and go at once
	skips  entangle.Tick    // ticks that are not observed between two that are
	tight  bool             // not everything that could be sent is sent
	limit  func(e *end) int // bytes of updates in one tick; below 0: no limit
	most   int              // packets of updates in one tick; 0: no limit
	room   func() int       // of an action message; nil: 300 bytes
	jams   func() bool      // whether no more actions are sent in this tick, unless they are owed; nil: never
	trusts bool             // few checks are made, because a twin makes them

	removed int // how often a component was removed from an entity that a peer retains

	withholds bool // acknowledgements leave out some of what arrived until later, but for the newest

	messages bool // messages name entities
	reached  reached

	history map[entangle.Tick]moment // the model after every tick
}

// groupKey identifies a group of the model: by its place, or by the entity if it is alone.
type groupKey struct {
	place group.Place
	own   uint32
}

// end is a peer at the sender, with its replica of the world.
type end struct {
	peer *sender.Peer
	copy *receiver.Receiver
	sink *copySink
	pkt  uint16
	msg  uint16
	mail []mail

	arrived []uint16 // packets that arrived, in that order, and that the sender does not know of yet
	newest  uint16   // the newest that arrived

	rng *rand.Rand // for the peer's line

	keys    map[repl.Handle]groupKey // of all groups that were ever sent
	held    map[repl.Handle]entangle.Tick
	oracle  oracle
	stirred bool // something arrived in this tick

	eyes    eyes
	saw     map[entangle.Tick]eyes
	handles map[entangle.Tick]map[groupKey]repl.Handle
	foresaw map[entangle.Tick]map[uint32]groupKey // the peer's predicted sets by tick, with the group of each name
	missed  map[uint32]bool                       // names that the peer did not see at some tick of their lives
	fresh   map[uint32]entangle.Tick              // the last tick at which a name was shown, unless it was paused
	settled entangle.Tick
	settles int

	names int // messages in flight to the peer that name entities
}

// mail is something in flight that is done at a tick.
type mail struct {
	at entangle.Tick
	do func()
}

func newNetwork(t testing.TB, seed uint64, comps int, start entangle.Tick) *network {
	n := &network{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), tick: start, model: newModel(comps),
		history: map[entangle.Tick]moment{},
	}
	n.world = sender.NewWorld(n.model, comps)
	return n
}

// acknowledge acknowledges a packet like packet headers do: together with all earlier ones that
// arrived, or with some of them, but always with the newest. Differences rely on that.
func (n *network) acknowledge(e *end, pkt uint16) {
	e.arrived, e.newest = append(e.arrived, pkt), max(e.newest, pkt)
	all := slices.Clone(e.arrived)
	due := n.once(e)
	if e.rng.Float64() < n.loss {
		due = 2*n.delay + 2
	}
	if n.withholds {
		all = slices.DeleteFunc(all, func(pkt uint16) bool { return pkt != e.newest && e.rng.IntN(2) == 0 })
		e.rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		n.post(e, 4*n.delay+4, func() { n.tellArrived(e, slices.Clone(e.arrived)) })
	}
	n.post(e, due, func() { n.tellArrived(e, all) })
}

// tellArrived tells the sender which packets arrived, without those that it knows of.
func (n *network) tellArrived(e *end, pkts []uint16) {
	pkts = slices.DeleteFunc(pkts, func(pkt uint16) bool { return !slices.Contains(e.arrived, pkt) })
	e.arrived = slices.DeleteFunc(e.arrived, func(pkt uint16) bool { return slices.Contains(pkts, pkt) })
	e.peer.HandleAcked(pkts...)
}

// differ makes the sender send differences. It is called before a peer joins.
func (n *network) differ() {
	n.model.deltas = deltas(n.model.comps)
	n.model.past = newDeltaPast(n.model.deltas)
	n.world = sender.NewWorld(differing{n.model}, n.model.comps)
}

func (n *network) join() *end {
	e := &end{
		peer: n.world.NewPeer(), sink: newCopySink(n.model.comps),
		rng:  rand.New(rand.NewPCG(n.rng.Uint64(), 2)),
		keys: map[repl.Handle]groupKey{}, held: map[repl.Handle]entangle.Tick{},
		oracle: newOracle(), eyes: newEyes(), saw: map[entangle.Tick]eyes{},
		handles: map[entangle.Tick]map[groupKey]repl.Handle{}, foresaw: map[entangle.Tick]map[uint32]groupKey{},
		missed: map[uint32]bool{}, fresh: map[uint32]entangle.Tick{},
	}
	e.sink.links = n.model.links
	e.copy = receiver.New(n.sinkOf(e), n.model.comps)
	n.peers = append(n.peers, e)
	return e
}

func (n *network) sinkOf(e *end) receiver.Sink {
	if n.model.deltas.IsZero() {
		return e.sink
	}
	return newDeltaSink(e.sink, n.model.deltas)
}

func (n *network) leave(i int) {
	n.peers[i].peer.Close()
	n.peers = append(n.peers[:i], n.peers[i+1:]...)
}

// step runs one tick: the changes, then everything that is sent, then everything
// that arrives.
func (n *network) step(change func()) {
	n.tick += 1 + n.skips
	n.world.Begin(n.tick)
	change()
	n.world.Commit()
	n.model.remember(n.tick, 64)
	n.record()
	for _, e := range n.peers {
		n.sendTo(e)
		n.sendNames(e)
		n.deliver(e)
		n.check(e)
	}
}

// record stores the world of this tick, and which group each peer has under which handle.
func (n *network) record() {
	now := moment{entities: n.model.snapshot(), groups: map[groupKey][]repl.Slot{}, paused: maps.Clone(n.model.paused), frozen: maps.Clone(n.model.frozen), came: maps.Clone(n.model.came)}
	for _, slot := range slices.Sorted(maps.Keys(n.model.entities)) {
		key := n.key(slot)
		now.groups[key] = append(now.groups[key], slot)
	}
	n.history[n.tick] = now
	for _, e := range n.peers {
		n.recordEyes(e)
	}
}

// recordEyes stores what a peer may see in this tick.
func (n *network) recordEyes(e *end) {
	e.saw[n.tick], e.handles[n.tick] = e.eyes.clone(), map[groupKey]repl.Handle{}
	e.foresaw[n.tick] = n.foreseen(e)
	for key, members := range n.history[n.tick].groups {
		if h, ok := e.peer.Group(members[0]); ok {
			n.noteHandle(e, h, key)
			e.keys[h], e.handles[n.tick][key] = key, h
		}
		for _, slot := range members {
			if e.eyes.sees(key) != e.peer.Sees(slot) {
				require.Failf(n.t, "unseen", "tick %d: group %v", n.tick, key)
			}
			if is := n.model.entities[slot]; !n.has(e, slot) {
				e.missed[is.name()] = true
			}
		}
	}
}

func (n *network) key(slot repl.Slot) groupKey {
	key := groupKey{place: n.model.places[slot]}
	if key.place.Name == 0 && key.place.Hierarchy == 0 {
		e := n.model.entities[slot]
		key.own = e.name()
	}
	return key
}

func (n *network) sendTo(e *end) {
	n.sendActions(e)
	require.False(n.t, e.peer.ActionsOwed(), "half of a move was sent")
	n.judgeMoves(e)
	limit, spent, records := n.limitOf(e), 0, 0
	for packets := 0; n.most == 0 || packets < n.most; packets++ {
		e.pkt++
		b := e.peer.AppendUpdates(nil, 200, e.pkt)
		if len(b) == 0 {
			break
		}
		require.LessOrEqual(n.t, len(b), 200)
		spent += len(b)
		records += n.sendFrame(e, e.pkt, b)
		if limit >= 0 && spent > limit && !n.trusts {
			require.Truef(n.t, limit > 0 && records == 1, "%d bytes and %d records, under a limit of %d", spent, records, limit)
		}
		if n.tight && e.rng.IntN(2) == 0 {
			break // the rest waits
		}
	}
	if e.pkt++; e.rng.IntN(4) > 0 { // a packet that is sent anyway
		if b := e.peer.AppendMark([]byte("head"), 200); len(b) > len("head") {
			n.sendFrame(e, e.pkt, b[len("head"):])
		}
	}
}

func (n *network) sendActions(e *end) {
	for {
		if n.jams != nil && !e.peer.ActionsOwed() && n.jams() {
			return
		}
		room := 300
		if n.room != nil {
			room = n.room()
		}
		b := e.peer.AppendActions(nil, room)
		if len(b) == 0 {
			return
		}
		n.note(b)
		e.msg++
		name := e.msg
		n.judgeActions(e, b, name)
		if groups := e.peer.ActionsSent(name); groups > 1 {
			require.LessOrEqual(n.t, len(b), room)
		}
		n.post(e, n.late+n.travel(e), func() {
			e.stirred = true
			require.NoError(n.t, e.copy.HandleActions(b))
			n.checkSettled(e)
			n.post(e, n.travel(e), func() {
				for _, under := range e.oracle.under {
					delete(under, name)
				}
				e.peer.HandleDelivered(name)
			})
		})
	}
}

// limitOf sets the limit of a peer in this tick.
func (n *network) limitOf(e *end) int {
	if n.limit == nil {
		return -1
	}
	e.peer.Prepare()
	limit := n.limit(e)
	e.peer.Limit(limit)
	return limit
}

// sendFrame sends an updates frame in a packet, and returns the number of its records.
func (n *network) sendFrame(e *end, pkt uint16, b []byte) int {
	n.note(b)
	tick := n.tick
	says, _ := n.judgeUpdates(e, b)
	if n.told != nil {
		if n.trusts {
			says, _ = newParser(n.t, n.model).updates(tick, b)
		}
		for _, s := range says {
			n.told(e, s)
		}
	}
	if e.rng.Float64() < n.loss {
		n.post(e, 3*n.delay+2, func() { e.peer.HandleLost(pkt) })
		return len(says)
	}
	n.post(e, n.once(e), func() {
		require.NoError(n.t, e.copy.HandleUpdates(tick, b))
		n.came(e, tick, says)
		e.stirred = e.stirred || len(says) > 0
		n.checkSettled(e)
		if !n.model.deltas.IsZero() {
			n.acknowledge(e, pkt)
			return
		}
		if e.rng.Float64() < n.loss {
			n.post(e, 2*n.delay+2, func() { e.peer.HandleLost(pkt) })
			return
		}
		n.post(e, n.once(e), func() { e.peer.HandleAcked(pkt) })
	})
	return len(says)
}

func (n *network) note(b []byte) {
	if n.keep {
		n.sent = append(n.sent, slices.Clone(b))
	}
}

func (n *network) once(e *end) int { return e.rng.IntN(n.delay + 1) }

// travel returns how long something travels that is resent until it arrives.
func (n *network) travel(e *end) int {
	ticks := n.once(e)
	for e.rng.Float64() < n.loss {
		ticks += n.delay + 1
	}
	return ticks
}

func (n *network) post(e *end, in int, do func()) {
	e.mail = append(e.mail, mail{at: n.tick + entangle.Tick(in), do: do})
}

func (n *network) deliver(e *end) {
	for again := true; again; {
		again = false
		for i := 0; i < len(e.mail); i++ {
			if m := e.mail[i]; !n.tick.Before(m.at) {
				e.mail = append(e.mail[:i], e.mail[i+1:]...)
				i--
				m.do()
				again = true
			}
		}
	}
}

// check requires the guarantee: every group that a peer has equals the sender's group at the tick
// that the peer has it at, with the same members, and that tick never decreases.
func (n *network) check(e *end) {
	if !e.stirred || n.trusts {
		return
	}
	e.stirred = false
	for h, key := range e.keys {
		tick, ok := e.copy.Held(h)
		if !ok {
			delete(e.held, h)
			continue
		}
		if before, had := e.held[h]; had {
			require.Falsef(n.t, tick.Before(before), "tick %d: group %v goes back to tick %d", n.tick, key, tick)
		}
		e.held[h] = tick
		n.checkGroup(e, h, key, tick)
	}
}

func (n *network) checkGroup(e *end, h repl.Handle, key groupKey, tick entangle.Tick) {
	want, got := map[uint32]entity{}, map[uint32]entity{}
	for _, slot := range e.copy.Members(h, nil) {
		is, there := e.sink.entities[slot]
		got[is.name()] = is.entity
		if !there || e.sink.born[is.name()] != 1 && !e.missed[is.name()] {
			require.Failf(n.t, "born again", "tick %d: %x in group %v is gone, or was seen all along and is spawned again", n.tick, is.name(), key)
		}
	}
	if e.saw[tick].retained[key] != nil {
		n.checkRetained(e, key, tick, got)
		return
	}
	for _, slot := range n.history[tick].groups[key] {
		was := n.history[tick].entities[slot]
		is, visible := n.seen(e, tick, key, slot)
		switch {
		case n.history[tick].paused[slot]:
			n.checkPaused(e, tick, key, slot, got)
		case visible:
			want[was.name()] = is
			e.fresh[was.name()] = tick
		}
	}
	if !maps.Equal(want, got) {
		require.Failf(n.t, "torn", "tick %d: group %v (handle %d) is not what it was at tick %d:\n%s", n.tick, key, h, tick, differ(want, got))
	}
}

// checkPaused checks that a paused entity, if it exists at the peer, equals its state at some tick
// since it was last shown, and removes it from got.
func (n *network) checkPaused(e *end, tick entangle.Tick, key groupKey, slot repl.Slot, got map[uint32]entity) {
	was := n.history[tick].entities[slot]
	shown, there := got[was.name()]
	if !there {
		return
	}
	delete(got, was.name())
	if !n.wasShown(e, tick, slot, shown, set.Mask{}) {
		require.Failf(n.t, "torn", "tick %d: %x in group %v at %d was never what is shown of it since %d: %x", n.tick, was.name(), key, tick, e.fresh[was.name()], shown)
	}
}

// wasShown reports whether an entity of a peer equals its state at some tick since it was last shown, up to a tick,
// without components that the peer may have lost.
func (n *network) wasShown(e *end, tick entangle.Tick, slot repl.Slot, shown entity, less set.Mask) bool {
	for t := tick; ; t -= 1 + n.skips {
		is, lives := n.history[t].entities[slot]
		if !lives || is.name() != shown.name() {
			return false
		}
		if n.history[t].paused[slot] {
			is = n.history[t].frozen[slot]
		}
		key := n.keyAt(t, slot)
		if e.saw[t].retained[key] != nil {
			less = less.Or(e.saw[t].views[key][slot].Comps)
		}
		if is, _ = n.view(e.saw[t], is, key, slot); is.without(less) == shown.without(less) {
			return true
		}
		if since, was := e.fresh[shown.name()]; was && t == since {
			return false
		}
	}
}

// keyAt returns the group in which a slot was after a tick.
func (n *network) keyAt(tick entangle.Tick, slot repl.Slot) groupKey {
	for key, members := range n.history[tick].groups {
		if slices.Contains(members, slot) {
			return key
		}
	}
	return groupKey{}
}

// requireEqual checks that a peer has exactly the entities that it may see.
func (n *network) requireEqual(e *end) {
	want, shows := map[uint32]entity{}, e.sink.byName()
	for slot, was := range n.model.entities {
		if is, visible := n.view(e.eyes, was, n.key(slot), slot); visible {
			want[was.name()] = is
		}
		if _, visible := n.view(e.eyes, was, n.key(slot), slot); !visible && n.has(e, slot) {
			require.Contains(n.t, shows, was.name())
			delete(shows, was.name())
		}
	}
	if !maps.Equal(want, shows) {
		require.Failf(n.t, "unequal", "in the end:\n%s", differ(want, shows))
	}
	n.requireLinks(e)
}

// requireLinks checks that every link leads to the replica of its target, or to none if the peer
// does not have the target.
func (n *network) requireLinks(e *end) {
	if !n.model.links {
		return
	}
	byName := map[uint32]entity{}
	for _, is := range n.model.entities {
		byName[is.name()] = is
	}
	for slot, is := range n.model.entities { // retained entities keep their old links
		if e.eyes.retained[n.key(slot)] != nil {
			delete(byName, is.name())
		}
	}
	for _, got := range e.sink.entities {
		if _, shown := byName[got.name()]; !shown || !got.mask.Has(linkComp) {
			continue
		}
		at := got.link.Slot
		if got.link.Late {
			at, _ = e.copy.Slot(got.link.ID)
		}
		to, lives := n.model.entities[repl.Slot(byName[got.name()].values[linkComp])-1]
		shown, there := e.sink.entities[at]
		if there {
			require.True(n.t, lives)
			require.Equal(n.t, to.name(), shown.name())
		}
	}
}

func (n *network) settle() {
	for range 12 * (n.delay + 6) {
		n.step(func() {})
	}
}

func seedLine(name string, seed uint64) string {
	return fmt.Sprintf("seed %d; repeat with: go test ./internal/core/repl -run '%s/seed=%d$'", seed, name, seed)
}

// differ describes the difference between a group and what a peer shows of it.
func differ(want, got map[uint32]entity) (text string) {
	for name, is := range want {
		if shown, there := got[name]; !there {
			text += fmt.Sprintf("%x is missing\n", name)
		} else if shown != is {
			text += fmt.Sprintf("%x is %x, should be %x\n", name, shown, is)
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			text += fmt.Sprintf("%x is too much\n", name)
		}
	}
	return text
}
