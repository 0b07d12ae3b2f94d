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
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// network is one sender and its peers over links that lose and reorder, tick by
// tick. Actions arrive some time, as over a reliable channel without order.
type network struct {
	t     testing.TB
	rng   *rand.Rand
	loss  float64
	delay int // ticks, at most, one way

	tick  entangle.Tick
	model *model
	world *sender.World
	peers []*end

	sent [][]byte // all that left, in order; for twins
	keep bool

	// The same world once more, as it was after every tick.
	history map[entangle.Tick]map[repl.Slot]entity
	groups  map[entangle.Tick]map[groupKey][]repl.Slot
}

// groupKey names a group of the model: by its place, or the entity that has it alone.
type groupKey struct {
	place sender.Place
	own   uint32
}

// end is a peer as the sender sees it, and what it has made.
type end struct {
	peer *sender.Peer
	copy *receiver.Receiver
	sink *copySink
	pkt  uint16
	msg  uint16
	mail []mail

	keys map[repl.Handle]groupKey // of all groups that were ever sent
	held map[repl.Handle]entangle.Tick
}

// mail is something under way to be done at a tick.
type mail struct {
	at entangle.Tick
	do func()
}

func newNetwork(t testing.TB, seed uint64, comps int, start entangle.Tick) *network {
	n := &network{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), tick: start, model: newModel(comps),
		history: map[entangle.Tick]map[repl.Slot]entity{}, groups: map[entangle.Tick]map[groupKey][]repl.Slot{},
	}
	n.world = sender.NewWorld(n.model, comps)
	return n
}

func (n *network) join() *end {
	e := &end{
		peer: n.world.NewPeer(), sink: newCopySink(n.model.comps),
		keys: map[repl.Handle]groupKey{}, held: map[repl.Handle]entangle.Tick{},
	}
	e.sink.links = n.model.links
	e.copy = receiver.New(e.sink, nil, n.model.comps)
	n.peers = append(n.peers, e)
	return e
}

func (n *network) leave(i int) {
	n.peers[i].peer.Close()
	n.peers = append(n.peers[:i], n.peers[i+1:]...)
}

// step runs one tick: the changes, then everything that is sent, then everything
// that arrives.
func (n *network) step(change func()) {
	n.tick++
	n.world.Begin(n.tick)
	change()
	n.world.Commit()
	n.record()
	for _, e := range n.peers {
		n.sendTo(e)
		n.deliver(e)
		n.check(e)
	}
}

// record remembers the world of this tick, and which group each peer knows by which
// handle.
func (n *network) record() {
	n.history[n.tick] = n.model.snapshot()
	groups := map[groupKey][]repl.Slot{}
	for _, slot := range slices.Sorted(maps.Keys(n.model.entities)) {
		key := n.key(slot)
		groups[key] = append(groups[key], slot)
		for _, e := range n.peers {
			if h, ok := e.peer.Group(slot); ok {
				e.keys[h] = key
			}
		}
	}
	n.groups[n.tick] = groups
}

func (n *network) key(slot repl.Slot) groupKey {
	key := groupKey{place: n.model.places[slot]}
	if key.place.Name == 0 {
		e := n.model.entities[slot]
		key.own = e.name()
	}
	return key
}

func (n *network) sendTo(e *end) {
	for {
		b := e.peer.AppendActions(nil, 300)
		if len(b) == 0 {
			break
		}
		n.note(b)
		e.msg++
		name := e.msg
		e.peer.ActionsSent(name)
		n.post(e, n.travel(), func() {
			require.NoError(n.t, e.copy.HandleActions(b))
			n.post(e, n.travel(), func() { e.peer.HandleDelivered(name) })
		})
	}
	require.False(n.t, e.peer.ActionsOwed(), "half of a move was sent")
	for {
		e.pkt++
		pkt, tick := e.pkt, n.tick
		b := e.peer.AppendUpdates(nil, 200, pkt)
		if len(b) == 0 {
			break
		}
		n.note(b)
		require.LessOrEqual(n.t, len(b), 200)
		if n.rng.Float64() < n.loss {
			n.post(e, 3*n.delay+2, func() { e.peer.HandleLost(pkt) })
			continue
		}
		n.post(e, n.once(), func() {
			require.NoError(n.t, e.copy.HandleUpdates(tick, b))
			if n.rng.Float64() < n.loss {
				n.post(e, 2*n.delay+2, func() { e.peer.HandleLost(pkt) })
				return
			}
			n.post(e, n.once(), func() { e.peer.HandleAcked(pkt) })
		})
	}
}

func (n *network) note(b []byte) {
	if n.keep {
		n.sent = append(n.sent, slices.Clone(b))
	}
}

func (n *network) once() int { return n.rng.IntN(n.delay + 1) }

// travel is how long something takes that is resent until it arrives.
func (n *network) travel() int {
	ticks := n.once()
	for n.rng.Float64() < n.loss {
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
	for h, ok := e.copy.PollResync(); ok; h, ok = e.copy.PollResync() {
		n.post(e, n.travel(), func() { e.peer.HandleResync(h) })
	}
}

// check holds the guarantee: every group that a peer has is the sender's group as it
// was at the tick that the peer says it holds, with the same members, and that tick
// never goes back.
func (n *network) check(e *end) {
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
	want := map[uint32]entity{}
	for _, slot := range n.groups[tick][key] {
		was := n.history[tick][slot]
		want[was.name()] = n.seen(was)
	}
	got := map[uint32]entity{}
	for _, slot := range e.copy.Members(h, nil) {
		is, there := e.sink.entities[slot]
		require.Truef(n.t, there, "tick %d: group %v has an entity that is gone", n.tick, key)
		got[is.name()] = is.entity
	}
	if !maps.Equal(want, got) {
		require.Failf(n.t, "torn", "tick %d: group %v (handle %d) is not what it was at tick %d:\n%s", n.tick, key, h, tick, differ(want, got))
	}
}

// seen is an entity as its copy has it but for its links, which are looked at when
// all is quiet.
func (n *network) seen(e entity) entity {
	if n.model.links {
		e.values[linkComp] = 0
	}
	return e
}

// requireEqual holds that a peer shows what it may see, and nothing else.
func (n *network) requireEqual(e *end) {
	shows, want := map[uint32]entity{}, map[uint32]entity{}
	for _, got := range e.sink.entities {
		shows[got.name()] = got.entity
	}
	for slot, is := range n.model.entities {
		if e.peer.Sees(slot) {
			want[is.name()] = n.seen(is)
		}
	}
	if !maps.Equal(want, shows) {
		require.Failf(n.t, "unequal", "in the end:\n%s", differ(want, shows))
	}
	n.requireLinks(e)
}

// requireLinks holds that every link leads to the copy of what it is to, or to nobody
// if the peer does not have that.
func (n *network) requireLinks(e *end) {
	if !n.model.links {
		return
	}
	byName := map[uint32]entity{}
	for _, is := range n.model.entities {
		byName[is.name()] = is
	}
	for _, got := range e.sink.entities {
		if !got.mask.Has(linkComp) {
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
	for range 40 * (n.delay + 2) {
		n.step(func() {})
	}
}

func seedLine(name string, seed uint64) string {
	return fmt.Sprintf("seed %d; repeat with: go test ./internal/core/repl -run '%s/seed=%d$'", seed, name, seed)
}

// differ says what differs between what a group was and what a peer shows of it.
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
