package peer_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// populate adds entities to the world in the current tick: those with numbers in [from, to).
func (p *pair) populate(from, to repl.Slot, at group.Place) {
	for s := from; s < to; s++ {
		p.source.values[s] = uint32(s) << 16
		p.world.SpawnAt(s, set.MaskOf(0), at)
	}
}

// holds returns how many entities the client has of those with numbers in [from, to).
func (p *pair) holds(from, to repl.Slot) (n int) {
	for _, v := range p.shown.values {
		if s := repl.Slot(v >> 16); s >= from && s < to {
			n++
		}
	}
	return n
}

// tickWith runs one tick, and calls a function in it.
func (p *pair) tickWith(what func()) {
	p.also = what
	p.step()
	p.also = nil
}

// A client that joins a large world receives the number of groups, then the groups over several
// ticks, and then a notice that it has all of them. Later groups are not waited for. Both ends know
// the progress.
//
// Proves: R3
func TestAClientIsNotifiedOnceItHasTheWholeWorld(t *testing.T) {
	const there = 4000
	for _, loss := range []float64{0, 0.3} {
		p := newPair(t, 1, 1)
		p.loss = loss
		p.tickWith(func() { p.populate(0, there, group.Place{}) })
		next, ticks, have := repl.Slot(there), 0, 0
		for ; !p.client.ReceiveProgress().Done() && ticks < 1000; ticks++ {
			p.tickWith(func() {
				if p.server.SendProgress().Begun {
					p.populate(next, next+1, group.Place{})
					next++
				}
			})
			sent, received := p.server.SendProgress(), p.client.ReceiveProgress()
			require.Equal(t, sent.Done(), sent.Begun && p.holds(0, there) == there && sent.Have == sent.Of)
			require.GreaterOrEqual(t, p.holds(0, there), sent.Have, "the server knows less than the client, never more")
			require.GreaterOrEqual(t, received.Have, have)
			require.True(t, received.Have < received.Of || p.holds(0, there) == there)
			have = received.Have
		}
		assert.Less(t, ticks, 1000, "loss %v", loss)
		assert.Greater(t, ticks, 1, "it takes several ticks")
		assert.Equal(t, sender.Progress{Have: there, Of: there, Begun: true}, p.client.ReceiveProgress())
		assert.Equal(t, p.client.ReceiveProgress(), p.server.SendProgress())
		p.run(60)
		assert.Equal(t, sender.Progress{Have: there, Of: there, Begun: true}, p.client.ReceiveProgress(), "it is notified once")
	}
}

// An empty world is complete at once.
func TestAnEmptyWorldIsCompleteAtOnce(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(5)
	require.True(t, p.client.Open())
	assert.True(t, p.client.ReceiveProgress().Done())
	assert.True(t, p.server.SendProgress().Done())
}

// While a client joins, its groups are kept up to date: each tick brings the present values of the
// groups that have already arrived.
//
// Proves: R3
func TestWhatHasComeIsKeptUpToDateWhileTheRestComes(t *testing.T) {
	p := newPair(t, 1, 1)
	p.tickWith(func() { p.populate(0, 30_000, group.Place{}) })
	for p.holds(0, 30_000) == 0 {
		p.step()
	}
	joining := 0
	for ; !p.client.ReceiveProgress().Done(); joining++ {
		before := map[repl.Slot]uint32{}
		for s, v := range p.shown.values {
			before[s] = v
		}
		p.step()
		for s, v := range before {
			require.Equal(t, p.source.values[repl.Slot(v>>16)], p.shown.values[s], "tick %d", p.tick)
		}
	}
	assert.Greater(t, joining, 2)
}

// The progress does not wait for groups that are removed, hidden, paused or found too large before
// anything of them was sent. Groups that the client received before they were removed count as
// received.
//
// Proves: R3
func TestWhatEndsOrIsHeldBackIsNotWaitedFor(t *testing.T) {
	const each = 8_000
	private := group.Place{Private: true}
	p := newPair(t, 1, 1)
	p.tickWith(func() {
		p.populate(0, each, group.Place{})
		p.populate(each, 2*each, private)
		p.populate(2*each, 3*each, private) // these are never shown
		p.populate(3*each, 3*each+1, group.Place{})
		p.world.Pause(3 * each)
	})
	for p.server.Replication() == nil {
		p.step()
		if up := p.server.Replication(); up != nil {
			require.Equal(t, sender.Progress{}, p.server.SendProgress())
		}
	}
	for s := range repl.Slot(each) {
		require.True(t, p.server.Replication().Show(each+s))
	}
	p.step()
	require.Equal(t, 2*each+1, p.server.SendProgress().Of, "what it may see")
	require.Equal(t, 2*each+1, p.client.ReceiveProgress().Of)
	require.False(t, p.server.SendProgress().Done())
	p.tickWith(func() { // half of the public ones are despawned, and half of the others are hidden
		for s := range repl.Slot(each) {
			switch s % 2 {
			case 0:
				p.world.Despawn(s)
				delete(p.source.values, s)
				p.server.Replication().Hide(each + s)
			}
		}
	})
	p.run(20)
	assert.True(t, p.server.SendProgress().Done())
	assert.True(t, p.client.ReceiveProgress().Done())
	assert.Equal(t, each, p.holds(0, 3*each))
}

// joins returns a control message with the number of groups.
func joins(of uint32) []byte { return binary.LittleEndian.AppendUint32([]byte{3}, of) }

// Joining messages are sent once, in their order, and only by a side that replicates.
func TestJoiningOutOfPlaceEndsTheConnection(t *testing.T) {
	for name, says := range map[string][][]byte{
		"a second number":         {joins(3), joins(3)},
		"a second end":            {joins(3), {4}, {4}},
		"an end of nothing":       {{4}},
		"a number after the end":  {joins(3), {4}, joins(3)},
		"a number cut short":      {joins(3)[:4]},
		"a number that is longer": {append(joins(3), 0)},
		"an end that is longer":   {joins(3), {5, 0}},
		"more than there can be":  {joins(2*repl.MaxGroups + 1)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, 1, 1)
			var f forge
			require.NoError(t, p.client.Begin(p.now))
			require.NoError(t, p.client.HandlePayload(f.payload(f.say(hello(1)...)), p.now))
			for _, say := range says[:len(says)-1] {
				require.NoError(t, p.client.HandlePayload(f.payload(f.say(say...)), p.now))
			}
			assert.ErrorIs(t, p.client.HandlePayload(f.payload(f.say(says[len(says)-1]...)), p.now), peer.ErrControl)
		})
	}
	t.Run("before the hello", func(t *testing.T) {
		p := newPair(t, 1, 1)
		var f forge
		require.NoError(t, p.client.Begin(p.now))
		assert.ErrorIs(t, p.client.HandlePayload(f.payload(f.say(joins(3)...)), p.now), peer.ErrControl)
	})
	t.Run("to a side that takes nothing in", func(t *testing.T) {
		p := newPair(t, 1, 1)
		var f forge
		require.NoError(t, p.server.Begin(p.now))
		require.NoError(t, p.server.HandlePayload(f.payload(f.say(hello(1)...)), p.now))
		assert.ErrorIs(t, p.server.HandlePayload(f.payload(f.say(joins(3)...)), p.now), peer.ErrControl)
	})
}

// While one client joins a large world, the bytes and entities that a tick adds for it are bounded,
// and a hundred others continue to play: each of them is sent every change in its tick.
//
// Proves: R3
func TestJoiningIsBoundedWhileOthersPlay(t *testing.T) {
	const there, playing, most = 5000, 100, 16 << 10
	p := newPair(t, 1, 1)
	p.tickWith(func() { p.populate(0, there, group.Place{}) })
	p.drops = func(*peer.Peer, []byte) bool { return p.server.Replication() == nil && p.tick < 3 }
	var others []*sender.Peer
	for range playing {
		others = append(others, p.world.NewPeer())
		serve(others[len(others)-1])
	}
	p.source.values = map[repl.Slot]uint32{0: 0, 1: 1 << 16, 2: 2 << 16} // the moving entities
	ticks := 0
	for ; !p.server.SendProgress().Done(); ticks++ {
		require.Less(t, ticks, 100)
		held, out := len(p.shown.values), p.server.Stats().BytesOut
		p.step()
		require.Less(t, len(p.shown.values)-held, 2048+140, "2,048 and a message")
		require.Less(t, p.server.Stats().BytesOut-out, uint64(most+2*entangle.MaxPayload))
		for i, other := range others {
			other.Prepare()
			require.NotEmpty(t, other.AppendUpdates(nil, 1000, 1), "client %d in tick %d", i, p.tick)
			other.HandleAcked(1)
		}
	}
	assert.Greater(t, ticks, 2)
}
