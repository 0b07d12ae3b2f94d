package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Relayed messages use a bounded part of the queue, whatever the modes of their channels, and free
// it when they are sent or dropped. They take no room from this end's own messages.
//
// Proves: Z21
func TestRelayedMessagesHaveAPartOfTheQueue(t *testing.T) {
	const (
		fits = 10
		size = FragmentSize
	)
	limit := fits*cost(size) + cost(size)/2
	body := make([]byte, size)
	n := newNetwork(t, 1, 0.1, Config{ID: 1}, Config{ID: 2, Mode: UnorderedUnreliable}, Config{ID: 3, Mode: SequencedReliable})
	m := n.a.mux
	for round := range 5 {
		for source, id := range []ID{1, 2, 1} {
			require.NoError(t, m.SendRelayed(id, body, 0, limit, source))
		}
		assert.Equal(t, 2*cost(size), m.Queued(), "of reliable ones")
		assert.Zero(t, m.QueuedOwn())
		for source := range fits - 3 {
			require.NoError(t, m.SendRelayed(1, body, 0, limit, 3+source), "round %d", round)
		}
		require.ErrorIs(t, m.SendRelayed(1, body, 0, limit, fits), ErrRelayFull)
		require.ErrorIs(t, m.SendRelayed(2, body, 0, limit, fits), ErrRelayFull)
		assert.Zero(t, m.QueuedOwn())
		send(t, m, 3, "one", n.now)
		send(t, m, 3, "takes its place", n.now)
		n.sendAll(t, 2000)
		assert.Zero(t, m.Queued())
		assert.Zero(t, m.QueuedOwn())
	}
}

// However many messages are relayed, as many of this end's own messages fit into the queue as
// without them. Once its own messages fill half of the queue, no more are relayed.
func TestRelayedMessagesTakeNoRoomOfOwnOnes(t *testing.T) {
	body := make([]byte, FragmentSize)
	fill := func(m *Mux) (own int) {
		for {
			if _, err := m.Send(1, body, 0, epoch); err != nil {
				require.ErrorIs(t, err, ErrQueueFull)
				return own
			}
			own++
		}
	}
	alone, m := newMux(t, Config{ID: 1}), newMux(t, Config{ID: 1})
	const limit = DefaultReliableQueue / 4
	for source := 0; m.SendRelayed(1, body, 0, limit, source) == nil; source++ {
		require.LessOrEqual(t, m.Queued(), limit)
	}
	require.Greater(t, m.Queued(), limit-2*cost(len(body)))
	want := fill(alone)
	assert.Equal(t, want, fill(m))

	m = newMux(t, Config{ID: 1})
	for range want / 2 {
		send(t, m, 1, string(body), epoch)
	}
	require.LessOrEqual(t, m.Queued(), DefaultReliableQueue/2)
	require.ErrorIs(t, m.SendRelayed(1, body, 0, limit, 0), ErrRelayFull)
	send(t, m, 1, string(body), epoch)
}

// A source that floods gets two thirds of the part for relayed messages. However many sources
// flood, there is still place for the first message of another source. The places become free again
// once the messages were sent.
//
// Proves: Z21
func TestNoSourceFillsThePartForRelayedMessages(t *testing.T) {
	body := make([]byte, FragmentSize)
	const limit = 60 * (messageOverhead + FragmentSize)
	n := newNetwork(t, 1, 0, Config{ID: 1})
	m := n.a.mux
	flood := func(source int) (queued int) {
		for m.SendRelayed(1, body, 0, limit, source) == nil {
			queued++
		}
		return queued
	}
	for range 3 {
		first := flood(0)
		assert.InDelta(t, 40, first, 2)
		for source := range 3 {
			assert.NotZero(t, flood(1+source))
			assert.Zero(t, flood(0))
		}
		n.sendAll(t, 2000)
		assert.Zero(t, m.Queued())
	}
}
