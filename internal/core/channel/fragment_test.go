package channel

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longText returns n bytes that depend on their position.
func longText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7 / 5)
	}
	return string(b)
}

// fragment returns the frame of one fragment of a message of size bytes.
func fragment(id ID, message uint16, index, size int) frame {
	whole := longText(size)
	return frame{
		id: id, hasID: true, message: message, fragment: true,
		index: uint8(index), final: uint8(fragmentCount(size) - 1),
		body: []byte(whole[index*FragmentSize : min(size, (index+1)*FragmentSize)]),
	}
}

func handle(t require.TestingT, m *Mux, now time.Time, frames ...frame) {
	require.NoError(t, m.HandleFrames(encodeAll(frames...), now))
}

// Proves: P9
func TestFragmentsArriveInAnyOrder(t *testing.T) {
	for mode := OrderedReliable; mode < External; mode++ {
		for _, size := range []int{FragmentSize + 1, 2 * FragmentSize, 10_000, mode.maxMessage()} {
			a, b := pair(t, Config{Mode: mode})
			want := longText(size)
			send(t, a, 0, want, epoch)
			out := packets(a, 1, fullRoom, epoch)
			slices.Reverse(out)
			for i, p := range out {
				require.Empty(t, received(b), "%v, %d bytes, %d of %d packets", mode, size, i, len(out))
				require.NoError(t, b.HandleFrames(p, epoch))
			}
			assert.Equal(t, []string{want}, received(b))
			assert.Zero(t, b.Held())
		}
	}
}

// Proves: P9
func TestLostFragmentOfAReliableMessageIsResentAlone(t *testing.T) {
	a, b := pair(t, Config{Mode: OrderedReliable})
	want := longText(10 * FragmentSize)
	send(t, a, 0, want, epoch)
	out := packets(a, 1, fullRoom, epoch)
	require.Len(t, out, 5, "two fragments per packet")
	for i, p := range out {
		if i != 2 {
			require.NoError(t, b.HandleFrames(p, epoch))
			a.HandleAcked(uint16(i + 1))
		}
	}
	a.HandleLost(3)
	again := packets(a, 6, fullRoom, epoch)
	require.Len(t, again, 1)
	frames, err := parseAll(b, again[0])
	require.NoError(t, err)
	require.Len(t, frames, 2)
	assert.Equal(t, []uint8{4, 5}, []uint8{frames[0].index, frames[1].index})
	require.NoError(t, b.HandleFrames(again[0], epoch))
	assert.Equal(t, []string{want}, received(b))
	a.HandleAcked(6)
	assert.Zero(t, a.Pending())
}

// Proves: P9, Z8
func TestLostFragmentOfAnUnreliableMessageDropsIt(t *testing.T) {
	for _, mode := range []Mode{SequencedUnreliable, UnorderedUnreliable} {
		a, b := pair(t, Config{Mode: mode})
		send(t, a, 0, longText(5*FragmentSize), epoch)
		out := packets(a, 1, fullRoom, epoch)
		require.Len(t, out, 3)
		assert.Zero(t, a.Pending(), "sent once and forgotten")
		a.HandleLost(1)
		assert.False(t, a.Due(epoch.Add(time.Hour), testRTT))
		for _, p := range out[1:] {
			require.NoError(t, b.HandleFrames(p, epoch))
		}
		assert.Equal(t, messageOverhead+3*(fragmentOverhead+FragmentSize), b.Held())
		b.Expire(epoch.Add(ReassemblyTimeout - 1))
		assert.NotZero(t, b.Held())
		b.Expire(epoch.Add(ReassemblyTimeout))
		assert.Zero(t, b.Held())
		assert.Equal(t, uint64(1), b.Stats().Expired)
		assert.Empty(t, received(b))
	}
}

// Proves: Z8
func TestReassemblyIsBounded(t *testing.T) {
	t.Run("unreliable: the oldest make room", func(t *testing.T) {
		m := newMux(t, allModes()...)
		for n := range uint16(2000) {
			now := epoch.Add(time.Duration(n) * time.Millisecond)
			mode := SequencedUnreliable + Mode(n%2)
			handle(t, m, now, fragment(ID(mode), n/2, 0, 2*FragmentSize))
			require.LessOrEqual(t, m.Held(), UnreliableWindow)
		}
		assert.NotZero(t, m.Stats().Evicted)
		handle(t, m, epoch.Add(2*time.Second), fragment(ID(UnorderedUnreliable), 999, 1, 2*FragmentSize))
		assert.Len(t, received(m), 1, "the newest is still whole")
	})
	t.Run("reliable: a peer that exceeds its window is wrong", func(t *testing.T) {
		m := newMux(t, allModes()...)
		var err error
		for n := uint16(0); err == nil; n++ {
			require.Less(t, n, uint16(1000))
			err = m.HandleFrames(encodeAll(fragment(ID(UnorderedReliable), n, 0, 2*FragmentSize)), epoch)
			require.LessOrEqual(t, m.Held(), ReliableWindow)
		}
		require.ErrorIs(t, err, ErrWindow)
		assert.Equal(t, uint64(1), m.Stats().Violations)
	})
	t.Run("to the byte", func(t *testing.T) {
		m := newMux(t, allModes()...)
		handle(t, m, epoch, frame{hasID: true, message: 1})
		var err error
		for n := uint16(0); err == nil; n++ {
			require.Less(t, n, uint16(1000))
			err = m.HandleFrames(encodeAll(fragment(ID(UnorderedReliable), n, 0, 2*FragmentSize)), epoch)
		}
		left := ReliableWindow - m.Held()
		assert.GreaterOrEqual(t, left, 0)
		assert.Less(t, left, messageOverhead+fragmentOverhead+FragmentSize, "the window can be used up")
	})
	t.Run("early messages count too", func(t *testing.T) {
		m := newMux(t, allModes()...)
		var err error
		for n := uint16(1); err == nil; n++ {
			require.Less(t, n, uint16(Window))
			err = m.HandleFrames(encodeAll(frame{hasID: true, message: n, body: make([]byte, FragmentSize)}), epoch)
			require.LessOrEqual(t, m.Held(), ReliableWindow)
		}
		require.ErrorIs(t, err, ErrWindow)
	})
}

// Proves: Z8
func TestPacketsExpireOldFragments(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedUnreliable})
	handle(t, m, epoch, fragment(0, 0, 0, 2*FragmentSize))
	handle(t, m, epoch.Add(ReassemblyTimeout))
	assert.Zero(t, m.Held())
}

// Proves: Z8
func TestContradictingFragments(t *testing.T) {
	for mode := OrderedReliable; mode < External; mode++ {
		m := newMux(t, Config{Mode: mode})
		want := longText(3 * FragmentSize)
		handle(t, m, epoch, fragment(0, 0, 1, len(want)))
		held := m.Held()

		for _, total := range []int{2, 4} {
			other := fragment(0, 0, 0, total*FragmentSize)
			require.ErrorIs(t, m.HandleFrames(encodeAll(other), epoch), ErrFragment, "%v: %d of 3", mode, total)
		}
		forged := fragment(0, 0, 1, len(want))
		forged.body = bytes.Repeat([]byte("x"), FragmentSize)
		handle(t, m, epoch, forged)
		assert.Equal(t, uint64(1), m.Stats().Duplicates)
		assert.Equal(t, held, m.Held())

		handle(t, m, epoch, fragment(0, 0, 0, len(want)), fragment(0, 0, 2, len(want)))
		assert.Equal(t, []string{want}, received(m), "%v: what came first stays", mode)
		assert.Zero(t, m.Held())
	}
}

func TestWholeMessageInPlaceOfFragments(t *testing.T) {
	for _, mode := range []Mode{OrderedReliable, UnorderedReliable, SequencedReliable, SequencedUnreliable} {
		m := newMux(t, Config{Mode: mode})
		handle(t, m, epoch, fragment(0, 0, 0, 2*FragmentSize))
		handle(t, m, epoch, frame{hasID: true, message: 0, body: []byte("x")})
		assert.Equal(t, []string{"x"}, received(m), mode)
		handle(t, m, epoch, fragment(0, 0, 1, 2*FragmentSize))
		assert.Empty(t, received(m), mode)
		assert.Zero(t, m.Held())
	}
}

func TestNewerSequencedMessageDropsOlderFragments(t *testing.T) {
	for _, mode := range []Mode{SequencedReliable, SequencedUnreliable} {
		m := newMux(t, Config{Mode: mode})
		handle(t, m, epoch, fragment(0, 0, 0, 2*FragmentSize), fragment(0, 2, 0, 2*FragmentSize))
		handle(t, m, epoch, frame{hasID: true, message: 1, body: []byte("x")})
		assert.Equal(t, []string{"x"}, received(m))
		assert.EqualValues(t, 1, m.Stats().Stale)
		handle(t, m, epoch, fragment(0, 0, 1, 2*FragmentSize))
		handle(t, m, epoch, fragment(0, 2, 1, 2*FragmentSize))
		assert.Equal(t, []string{longText(2 * FragmentSize)}, received(m))
		assert.Zero(t, m.Held())
	}
}
