package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// A tick allocates nothing: write, send, receive, take, relay, acknowledge.
func TestATickAllocatesNothing(t *testing.T) {
	w, stream, far := newWriter(), newReader(90), newFollower(90)
	streams := []input.OwnStream{{Writer: w}}
	var up, down input.Composer
	var f input.Frame
	var body input.Body
	buffer, v := make([]byte, 0, 2048), hands{X: 1, Y: 2}.bytes()
	tick := entangle.Tick(100)
	var screens input.Screens
	seen := input.NewSeenTimes(60)
	play := func() {
		tick++
		v[0], v[2] = byte(tick/3), byte(tick%5)
		w.Write(tick, 2, v)
		w.At(tick)
		screens.Write(tick+2, screenAt(tick))
		up.Begin(buffer, 1100, tick)
		up.Pack(streams, names{}, &screens, 8, uint16(tick))
		f.Open(up.Finish(), tick, 1, 1)
		take(&f, stream)
		seen.Put(&f, tick-9, input.SeenLimits{Newest: tick - 9, TickRate: 60})
		seen.At(tick-8, 6)
		w.HandleAcked(uint16(tick - 5))
		stream.Take(tick - 8)

		body.Encode(stream, tick-8, 6)
		down.Begin(buffer, 1100, tick-8)
		down.Stream(0).Uvarint(0)
		down.Put(&body)
		f.OpenDown(down.Finish(), tick-8, 1)
		take(&f, far)
		far.Take(tick)
		far.At(tick - 8)
	}
	for range 200 {
		play()
	}
	require.Zero(t, alloctest.Count(500, play))
	require.NoError(t, f.Err())
}

func take(f *input.Frame, stream *input.Reader) {
	for f.Next() {
		f.Bits().Uvarint()
		f.Put(stream)
	}
}

// Ticks far from the present are recognised before a stream is created for them, and do not
// affect an existing one.
//
// Proves: I7
// Proves: Z11
func TestFarTicksCostNothing(t *testing.T) {
	now := entangle.Tick(40)
	require.True(t, input.InWindow(now-256, now, 60))
	require.False(t, input.InWindow(now-257, now, 60))
	require.True(t, input.InWindow(now+64, now, 60))
	require.False(t, input.InWindow(now+65, now, 60))
	require.True(t, input.InWindow(now+128, now, 128), "a second, if that is more")
	require.False(t, input.InWindow(now+1<<31, now, 60))

	stream := newReader(now)
	for _, newest := range []entangle.Tick{now + 65 + 4, now - 300, now + 4000, now - 4000} {
		words := []word{val(hands{X: 9}), no, no, no, no}
		var f input.Frame
		frame := plainFrame(now, nil, plainStream{newest: newest, words: words})
		var brought input.Received
		require.Zero(t, alloctest.Count(10, func() {
			f.Open(frame, now, 1, 1)
			for f.Next() {
				f.Bits().Uvarint()
				brought = f.Put(stream)
			}
		}))
		require.NoError(t, f.Err())
		require.Equal(t, input.Received{Newest: newest, Far: 5}, brought)
		_, known := stream.Newest()
		require.False(t, known)
	}
	for newest, want := range map[entangle.Tick]input.Received{
		now - 256: {Late: 1}, now - 257: {Far: 1}, now + 64: {New: 1}, now + 65: {Far: 1},
	} {
		want.Newest = newest
		brought, err := read(plainFrame(now, nil, plainStream{newest: newest, words: []word{no}}), now, newReader(now))
		require.NoError(t, err)
		require.Equal(t, []input.Received{want}, brought)
	}
	// Of a stream that crosses the limit, the ticks within the limit count.
	brought, err := read(plainFrame(now, nil, plainStream{newest: now + 66, words: []word{no, no, no, val(hands{X: 1})}}), now, stream)
	require.NoError(t, err)
	require.Equal(t, []input.Received{{Newest: now + 66, New: 0b1100, Far: 2}}, brought)
}
