package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What others say to a peer takes its share of the queue, whatever the modes of its channels,
// and gives it back when it is sent or dropped, again and again. None of it takes
// room from what this end says itself.
//
// Proves: Z21
func TestWhatOthersSayHasAShareOfTheQueue(t *testing.T) {
	const (
		fits = 10
		size = FragmentSize
	)
	share := fits*cost(size) + cost(size)/2
	body := make([]byte, size)
	n := newNetwork(t, 1, 0.1, Config{ID: 1}, Config{ID: 2, Mode: UnorderedUnreliable}, Config{ID: 3, Mode: SequencedReliable})
	m := n.a.mux
	for round := range 5 {
		for by, id := range []ID{1, 2, 1} {
			require.NoError(t, m.SendShared(id, body, 0, share, by))
		}
		assert.Equal(t, 2*cost(size), m.Queued(), "of reliable ones")
		assert.Zero(t, m.QueuedOwn())
		for by := range fits - 3 {
			require.NoError(t, m.SendShared(1, body, 0, share, 3+by), "round %d", round)
		}
		require.ErrorIs(t, m.SendShared(1, body, 0, share, fits), ErrShareFull)
		require.ErrorIs(t, m.SendShared(2, body, 0, share, fits), ErrShareFull)
		assert.Zero(t, m.QueuedOwn())
		send(t, m, 3, "one", n.now)
		send(t, m, 3, "takes its place", n.now)
		n.settle(t, 2000)
		assert.Zero(t, m.Queued())
		assert.Zero(t, m.QueuedOwn())
	}
}

// However much others say, as many messages of this end find room as without; and where those
// fill half of the queue, others have nothing more to say.
func TestWhatOthersSayTakesNoRoomOfTheQueue(t *testing.T) {
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
	const share = DefaultReliableQueue / 4
	for by := 0; m.SendShared(1, body, 0, share, by) == nil; by++ {
		require.LessOrEqual(t, m.Queued(), share)
	}
	require.Greater(t, m.Queued(), share-2*cost(len(body)))
	want := fill(alone)
	assert.Equal(t, want, fill(m))

	m = newMux(t, Config{ID: 1})
	for range want / 2 {
		send(t, m, 1, string(body), epoch)
	}
	require.LessOrEqual(t, m.Queued(), DefaultReliableQueue/2)
	require.ErrorIs(t, m.SendShared(1, body, 0, share, 0), ErrShareFull)
	send(t, m, 1, string(body), epoch)
}

// A sender that floods has two thirds of the share for relayed messages, and however many flood,
// there is room for the first message of another one. Their room is free again once the messages
// were sent.
//
// Proves: Z21
func TestNobodyFillsTheShareForWhatOthersSay(t *testing.T) {
	body := make([]byte, FragmentSize)
	const share = 60 * (messageOverhead + FragmentSize)
	n := newNetwork(t, 1, 0, Config{ID: 1})
	m := n.a.mux
	flood := func(by int) (queued int) {
		for m.SendShared(1, body, 0, share, by) == nil {
			queued++
		}
		return queued
	}
	for range 3 {
		first := flood(0)
		assert.InDelta(t, 40, first, 2)
		for by := range 3 {
			assert.NotZero(t, flood(1+by))
			assert.Zero(t, flood(0))
		}
		n.settle(t, 2000)
		assert.Zero(t, m.Queued())
	}
}
