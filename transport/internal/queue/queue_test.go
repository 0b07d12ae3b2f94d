package queue_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

func peer(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}), uint16(n))
}

// The ring must behave as a plain slice does, whatever the limit and the order
// of calls. To repeat a failure: go test ./transport/internal/queue -rapid.seed=SEED
func TestQueueEqualsPlainSlice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 70).Draw(rt, "limit")
		q := queue.New(limit)
		var plain [][]byte
		buf := make([]byte, entangle.MaxDatagram)
		for i, push := range rapid.SliceOfN(rapid.Bool(), 0, 300).Draw(rt, "pushes") {
			if push {
				data := []byte{byte(i), byte(i >> 8), byte(i * 7)}[:1+i%3]
				require.Equal(rt, len(plain) < limit, q.Push(peer(i%250), data))
				if len(plain) < limit {
					plain = append(plain, append(data, byte(i%250)))
				}
				continue
			}
			n, from, err := q.Pop(buf)
			if len(plain) == 0 {
				require.ErrorIs(rt, err, transport.ErrEmpty)
				continue
			}
			require.NoError(rt, err)
			want := plain[0]
			plain = plain[1:]
			require.Equal(rt, want, append(append([]byte{}, buf[:n]...), byte(from.Port())))
			require.Equal(rt, peer(int(from.Port())), from)
		}
	})
}

func TestQueueCountsWhatItDrops(t *testing.T) {
	q := queue.New(2)
	assert.False(t, q.Push(peer(1), nil))
	assert.False(t, q.Push(peer(1), make([]byte, entangle.MaxDatagram+1)))
	assert.True(t, q.Push(peer(1), make([]byte, entangle.MaxDatagram)))
	assert.True(t, q.Push(peer(2), []byte("fits")))
	assert.False(t, q.Push(peer(3), []byte("one too many")))

	n, from, err := q.Pop(make([]byte, 10))
	require.NoError(t, err)
	assert.Equal(t, 4, n, "the large one is skipped, not cut")
	assert.Equal(t, peer(2), from)
	assert.Equal(t, queue.Stats{Pushed: 2, Full: 1, Size: 2, TooLarge: 1}, q.Stats())
}

func TestClosedQueueRefuses(t *testing.T) {
	q := queue.New(2)
	require.True(t, q.Push(peer(1), []byte("waits")))
	assert.False(t, q.Closed())
	q.Close()
	assert.True(t, q.Closed())
	assert.False(t, q.Push(peer(1), []byte("late")))
	_, _, err := q.Pop(make([]byte, 10))
	assert.ErrorIs(t, err, transport.ErrClosed)
}

func TestQueueAllocatesNothing(t *testing.T) {
	q := queue.New(64)
	data, buf := make([]byte, entangle.MaxDatagram), make([]byte, entangle.MaxDatagram)
	frame := func() {
		for range 64 {
			q.Push(peer(1), data)
		}
		for range 64 {
			_, _, _ = q.Pop(buf)
		}
	}
	frame()
	assert.Zero(t, alloctest.Count(100, frame))
}
