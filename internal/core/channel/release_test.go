package channel

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A packet closes the gap of an ordered channel, and contains a later message of it and a message
// of another channel. Released messages are polled one by one after those of the packet, at any
// time, and in order. Until then they count as held.
func TestWhatAPacketReleasesCanWait(t *testing.T) {
	m := newMux(t, Config{ID: 4}, Config{ID: 5, Mode: UnorderedReliable})
	appendFrame := func(b []byte, ch byte, id uint16, body ...byte) []byte {
		return append(append(binary.LittleEndian.AppendUint16(append(b, ch), id), byte(len(body))), body...)
	}
	now := time.Unix(100, 0)
	handle := func(b []byte) { require.NoError(t, m.HandleFrames(b, now)) }
	for id := uint16(1); id < 6; id++ {
		handle(appendFrame(nil, 4, id, byte(id)))
		require.False(t, m.Waits())
	}
	handle(appendFrame(appendFrame(appendFrame(nil, 4, 0, 0), 5, 0, 100), 4, 6, 6))
	poll := func() byte {
		_, body, ok := m.Poll()
		require.True(t, ok)
		return body[0]
	}
	require.False(t, m.Polled())
	assert.EqualValues(t, 0, poll())
	assert.EqualValues(t, 100, poll())
	require.True(t, m.Polled())
	require.True(t, m.Waits())
	held := m.Held()
	assert.NotZero(t, held)
	assert.EqualValues(t, 1, poll())
	assert.Less(t, m.Held(), held)
	handle(appendFrame(appendFrame(nil, 4, 2, 2), 5, 1, 101)) // the packet arrives again, which changes nothing
	for _, want := range []byte{2, 101, 3, 4, 5, 6} {
		require.True(t, m.Waits())
		assert.Equal(t, want, poll())
	}
	assert.False(t, m.Waits())
	assert.Zero(t, m.Held())
	_, _, ok := m.Poll()
	assert.False(t, ok)
}
