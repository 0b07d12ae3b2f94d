package repl_test

import (
	"fmt"
	"math/rand/v2"
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

	// The same world once more, as it was after every tick.
	history map[entangle.Tick]map[repl.Slot]entity
}

// end is a peer as the sender sees it, and what it has made.
type end struct {
	peer *sender.Peer
	copy *receiver.Receiver
	sink *copySink
	pkt  uint16
	msg  uint16
	mail []mail
}

// mail is something under way to be done at a tick.
type mail struct {
	at entangle.Tick
	do func()
}

func newNetwork(t testing.TB, seed uint64, comps int, start entangle.Tick) *network {
	n := &network{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), tick: start, model: newModel(comps),
		history: map[entangle.Tick]map[repl.Slot]entity{},
	}
	n.world = sender.NewWorld(n.model, comps)
	return n
}

func (n *network) join() *end {
	e := &end{peer: n.world.NewPeer(), sink: newCopySink(n.model.comps)}
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
	n.history[n.tick] = n.model.snapshot()
	for _, e := range n.peers {
		n.sendTo(e)
		n.deliver(e)
		n.check(e)
	}
}

func (n *network) sendTo(e *end) {
	for {
		b := e.peer.AppendActions(nil, 300)
		if len(b) == 0 {
			break
		}
		e.msg++
		name := e.msg
		e.peer.ActionsSent(name)
		n.post(e, n.travel(), func() {
			require.NoError(n.t, e.copy.HandleActions(b))
			n.post(e, n.travel(), func() { e.peer.HandleDelivered(name) })
		})
	}
	for {
		e.pkt++
		pkt, tick := e.pkt, n.tick
		b := e.peer.AppendUpdates(nil, 200, pkt)
		if len(b) == 0 {
			break
		}
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

// check holds the guarantee: every group that a peer shows is the sender's group
// as it was at the tick that the peer says it holds.
func (n *network) check(e *end) {
	for slot, got := range e.sink.entities {
		was, ok := n.history[got.tick][got.origin()]
		require.Truef(n.t, ok, "tick %d: slot %d shows an entity that was not there at tick %d", n.tick, slot, got.tick)
		require.Equalf(n.t, was, got.entity, "tick %d: slot %d is not what it was at tick %d", n.tick, slot, got.tick)
	}
}

func (n *network) requireEqual(e *end) {
	shows := map[repl.Slot]entity{}
	for _, got := range e.sink.entities {
		shows[got.origin()] = got.entity
	}
	require.Equal(n.t, n.model.snapshot(), shows)
}

func (n *network) settle() {
	for range 40 * (n.delay + 2) {
		n.step(func() {})
	}
}

func seedLine(name string, seed uint64) string {
	return fmt.Sprintf("seed %d; repeat with: go test ./internal/core/repl -run '%s/seed=%d$'", seed, name, seed)
}
