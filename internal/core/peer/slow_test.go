package peer_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// deafness is a way in which a client does not receive packets, or does not acknowledge them.
type deafness struct {
	name  string
	drops func(p *pair) func(from *peer.Peer, payload []byte) bool
}

// deafnesses lists these ways. None of them ends by itself.
var deafnesses = []deafness{
	{"it acknowledges nothing", func(p *pair) func(*peer.Peer, []byte) bool {
		return func(from *peer.Peer, _ []byte) bool { return from == p.client }
	}},
	{"it is silent", func(*pair) func(*peer.Peer, []byte) bool {
		return func(*peer.Peer, []byte) bool { return true }
	}},
	{"it acknowledges all packets but those with structure", func(p *pair) func(*peer.Peer, []byte) bool {
		return func(from *peer.Peer, b []byte) bool {
			return from == p.server && len(b) > packet.HeaderSize && b[packet.HeaderSize]&0x3f == byte(peer.Actions)
		}
	}},
}

// inStep returns a pair in which the client has all of n entities.
func inStep(t *testing.T, n repl.Slot) *pair {
	p := newPair(t, 1, 1)
	p.tickWith(func() { p.populate(0, n, group.Place{}) })
	p.run(30)
	require.True(t, p.client.ReceiveProgress().Done())
	return p
}

// churn returns a function that replaces some entities in a tick: the next ones in turn, of those
// below n.
func (p *pair) churn(n repl.Slot, some int) func() {
	return func() {
		for i := range some {
			s := repl.Slot((int(p.tick)*some + i) % int(n))
			p.world.Despawn(s)
			p.source.values[s] = uint32(s) << 16
			p.world.Spawn(s, set.MaskOf(0))
		}
	}
}

// requireBounded checks the memory kept for the client against its bounds.
func (p *pair) requireBounded() {
	p.t.Helper()
	require.LessOrEqual(p.t, p.server.QueuedBytes(), channel.DefaultReliableQueue)
	require.LessOrEqual(p.t, p.server.ActionBytes(), peer.MaxActionBytes)
	require.LessOrEqual(p.t, p.server.InFlight(), peer.MaxInFlight)
	require.Less(p.t, p.server.EarlyBytes(), channel.ReliableWindow+channel.UnreliableWindow)
}

// serve sends a peer all waiting data, which arrives at once.
func serve(to *sender.Peer) {
	for len(to.AppendActions(nil, 1000)) > 0 {
		to.ActionsSent(1)
		to.HandleDelivered(1)
	}
	to.Prepare()
	for len(to.AppendUpdates(nil, 1000, 1)) > 0 {
		to.HandleAcked(1)
	}
}

// heap returns the memory in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A client that receives or sends nothing for five minutes costs the server no more memory than one
// that does so for twenty seconds, although all values change all the time. Structure, which is
// reliable, does not change here.
//
// Proves: R39, Z10
func TestADeafClientCostsNoMoreWithTime(t *testing.T) {
	for _, deaf := range deafnesses {
		t.Run(deaf.name, func(t *testing.T) {
			p := inStep(t, 60)
			p.drops = deaf.drops(p)
			p.tickWith(p.churn(60, 10)) // there is structure that the client does not have
			other := p.world.NewPeer()
			for range 20 * 60 {
				p.step()
				serve(other)
			}
			before := heap()
			for range minutes(5)*60 - 20*60 {
				p.step()
				serve(other)
				require.NoError(t, p.slow)
				p.requireBounded()
			}
			assert.Less(t, heap()-before, int64(256<<10))
			p.drops = nil
			p.run(120)
			assert.Equal(t, p.values(p.source), p.values(p.shown), "it comes back to the present")
		})
	}
}

// minutes returns some minutes as a number of seconds, or a fifth of that with -short.
func minutes(n int) (seconds int) {
	if testing.Short() {
		return n * 60 / 5
	}
	return n * 60
}

// values returns how often each value occurs in a world.
func (*pair) values(n numbers) map[uint32]int {
	all := map[uint32]int{}
	for _, v := range n.values {
		all[v]++
	}
	return all
}

// While entities are replaced, the network ids that a client without acknowledgements may still
// take for other entities cannot be reused. When there are too many of them the client has to be
// disconnected, and no sooner. Then all ids can be reused.
//
// Proves: R39
func TestADeafClientHoldsUpSoManyNames(t *testing.T) {
	const entities, some = 300, 30
	for _, deaf := range deafnesses {
		t.Run(deaf.name, func(t *testing.T) {
			p := inStep(t, entities)
			p.drops = deaf.drops(p)
			ticks := 0
			for ; p.slow == nil && ticks < 2000; ticks++ {
				p.requireBounded()
				p.tickWith(p.churn(entities, some))
				require.LessOrEqual(t, p.server.Tombstones(), sender.MaxTombstones+some)
			}
			require.ErrorIs(t, p.slow, peer.ErrTombstones)
			assert.InDelta(t, sender.MaxTombstones/some, ticks, 3)
			p.server.Close()
			before := heap()
			for range 3000 {
				p.tick++
				p.world.Begin(p.tick)
				p.churn(entities, some)()
				p.world.Commit()
			}
			assert.Less(t, heap()-before, int64(256<<10), "what it held up serves again")
		})
	}
}

// A client that reads a tenth of its packets is only slow. It is never disconnected, costs no more
// than its bounds, and is up to date as soon as it reads all packets.
//
// Proves: R39
func TestAClientThatReadsATenthKeepsUp(t *testing.T) {
	const entities = 300
	p := inStep(t, entities)
	p.loss = 0.9
	for range 60 * 60 {
		p.tickWith(p.churn(entities, 1))
		require.NoError(t, p.slow)
		p.requireBounded()
		require.Less(t, p.server.Tombstones(), sender.MaxTombstones/2)
	}
	p.loss = 0
	p.run(120)
	assert.Equal(t, p.values(p.source), p.values(p.shown))
}

// A client that was silent for some time, and returns before it times out, is up to date within two
// seconds.
//
// Proves: R39
func TestAClientThatComesBackIsAtThePresent(t *testing.T) {
	const entities = 400
	for _, seconds := range []int{5, 30, minutes(5)} {
		t.Run(fmt.Sprint(seconds, " s"), func(t *testing.T) {
			p := inStep(t, entities)
			p.drops = func(*peer.Peer, []byte) bool { return true }
			for i := range seconds * 60 {
				change := func() {}
				if i%2 == 0 {
					change = p.churn(entities, 1)
				}
				p.tickWith(change)
				require.NoError(t, p.slow)
				p.requireBounded()
			}
			p.drops = nil
			p.run(120)
			assert.Equal(t, p.values(p.source), p.values(p.shown))
			assert.Zero(t, p.server.Tombstones())
		})
	}
}

// Messages of a game to a client that acknowledges nothing fill the client's queue up to 1 MiB. Then
// Send returns an error that asks to disconnect the client.
//
// Proves: Z10
func TestAQueueThatIsNotReadIsFullAtOneMebibyte(t *testing.T) {
	for _, deaf := range deafnesses[:2] {
		p := inStep(t, 10)
		p.drops = deaf.drops(p)
		body := make([]byte, 1000)
		for range 3000 {
			before := p.server.QueuedBytes()
			if err := p.server.Send(peer.FirstMessages, body, 0, p.now); err != nil {
				require.ErrorIs(t, err, channel.ErrQueueFull)
				require.Equal(t, before, p.server.QueuedBytes())
				break
			}
			p.step()
			p.requireBounded()
		}
		assert.Greater(t, p.server.QueuedBytes(), channel.DefaultReliableQueue-2000)
	}
}

// Moves that connect more entities than the queue has room for end the connection with a reason that names them.
func TestMovesThatNoQueueHasRoomForAreNamed(t *testing.T) {
	const groups, each = 29, 3500
	p := newPair(t, 1, 1)
	place := func(g int) group.Place { return group.Place{Name: uint32(g%groups) + 1} }
	p.tickWith(func() {
		for g := range groups {
			p.world.SpawnAt(repl.Slot(g), set.MaskOf(0), place(g))
		}
		for s := range repl.Slot(groups * each) {
			p.world.Spawn(groups+s, set.MaskOf(0))
		}
	})
	p.run(80)
	p.tickWith(func() {
		for g := range groups { // connects all groups
			p.world.Move(repl.Slot(g), place(g+1))
		}
		for s := range groups * each {
			p.world.Move(repl.Slot(groups+s), place(s/each))
		}
	})
	require.ErrorIs(t, p.slow, peer.ErrMoves)
	require.ErrorIs(t, p.slow, channel.ErrQueueFull)
}
