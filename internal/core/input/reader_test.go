package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// hear passes the contents of the ticks up to newest to a stream; words has the newest first.
func hear(t *testing.T, stream *input.Reader, newest entangle.Tick, words ...word) input.Received {
	t.Helper()
	brought, err := read(plainFrame(newest, nil, plainStream{newest: newest, words: words}), newest, stream)
	require.NoError(t, err)
	require.Len(t, brought, 1)
	return brought[0]
}

// requireTakes runs ticks and checks their inputs.
func requireTakes(t *testing.T, stream *input.Reader, all ...acts) {
	t.Helper()
	for _, want := range all {
		v, s := stream.Take(want.tick)
		require.Equal(t, want, acts{want.tick, s, handsOf(v)})
	}
}

// Proves: I5
func TestAMissingInputRepeatsTheLastForASecond(t *testing.T) {
	stream := newReader(99)
	requireTakes(t, stream, acts{100, input.Unknown, hands{}})
	hear(t, stream, 102, val(hands{X: 1, Press: 5}))
	requireTakes(
		t, stream,
		acts{101, input.Unknown, hands{}},
		acts{102, input.Fresh, hands{X: 1, Press: 5}},
	)
	for tick := entangle.Tick(103); tick <= 162; tick++ {
		requireTakes(t, stream, acts{tick, input.Repeated, hands{X: 1}})
	}
	for tick := entangle.Tick(163); tick < 3000; tick++ {
		requireTakes(t, stream, acts{tick, input.None, hands{}})
	}
	hear(t, stream, 3001, val(hands{X: 2}))
	requireTakes(t, stream, acts{3000, input.None, hands{}}, acts{3001, input.Fresh, hands{X: 2}})
}

// Proves: I5
func TestNoInputIsNotALostInput(t *testing.T) {
	stream := newReader(99)
	hear(t, stream, 105, val(hands{X: 2}), nothing, no, nothing, val(hands{X: 1, Press: 5}))
	requireTakes(
		t, stream,
		acts{100, input.Unknown, hands{}},
		acts{101, input.Fresh, hands{X: 1, Press: 5}},
		acts{102, input.Repeated, hands{X: 1}},
		acts{103, input.None, hands{}},
		acts{104, input.None, hands{}}, // lost, and the previous one was no input
		acts{105, input.Fresh, hands{X: 2}},
	)
	require.True(t, stream.Has(103))
	require.False(t, stream.Has(104))
}

func TestTheFirstReceivedInputCounts(t *testing.T) {
	stream := newReader(99)
	require.Equal(t, uint64(0b1), hear(t, stream, 102, val(hands{X: 1})).New)
	require.Equal(t, uint64(0b101), hear(t, stream, 103, val(hands{X: 9}), val(hands{X: 8}), val(hands{X: 7})).New)
	require.Zero(t, hear(t, stream, 103, val(hands{X: 9}), val(hands{X: 8}), val(hands{X: 7})).New, "a duplicated packet")
	requireActs(t, stream, acts{101, input.Fresh, hands{X: 7}}, acts{102, input.Fresh, hands{X: 1}}, acts{103, input.Fresh, hands{X: 9}})
}

func TestALateInputIsCountedAndChangesNothing(t *testing.T) {
	stream := newReader(99)
	hear(t, stream, 101, val(hands{X: 1, Press: 1}))
	requireTakes(
		t, stream,
		acts{100, input.Unknown, hands{}}, acts{101, input.Fresh, hands{X: 1, Press: 1}}, acts{102, input.Repeated, hands{X: 1}},
	)
	b := hear(t, stream, 103, val(hands{X: 3}), val(hands{X: 2, Press: 2}), val(hands{X: 1, Press: 1}))
	require.Equal(t, input.Received{Newest: 103, New: 0b1, Late: 0b10}, b)
	require.Equal(t, uint64(1), stream.Stats().Late)
	requireActs(t, stream, acts{102, input.Repeated, hands{X: 1}})
}

// A client receives inputs of other players for ticks that it has run. At then returns the
// corrected inputs, which a replay reads, and repeats the newest one received.
// Proves: I5
func TestALateInputOfAnotherPlayerCorrectsItsTick(t *testing.T) {
	stream := newFollower(99)
	hear(t, stream, 98, val(hands{X: 1}))
	requireTakes(t, stream, acts{100, input.Repeated, hands{X: 1}}, acts{101, input.Repeated, hands{X: 1}})
	hear(t, stream, 100, val(hands{X: 2, Press: 4}), val(hands{X: 1}))
	requireTakes(t, stream, acts{102, input.Repeated, hands{X: 2}})
	requireActs(t, stream, acts{99, input.Fresh, hands{X: 1}}, acts{100, input.Fresh, hands{X: 2, Press: 4}}, acts{101, input.Repeated, hands{X: 2}})
}

// Another player who takes over the entity begins with another epoch.
func TestASilentStreamAcceptsAnyEpoch(t *testing.T) {
	stream := newReader(99)
	frame := func(newest entangle.Tick, epoch int) []byte {
		return plainFrame(newest, nil, plainStream{epoch: epoch, newest: newest, words: []word{val(hands{X: uint8(epoch)})}})
	}
	for _, c := range []struct {
		now, tick entangle.Tick
		epoch     int
		taken     bool
	}{
		{100, 105, 5, true},
		{101, 106, 4, false}, // from before a jump
		{101, 106, 6, true},
		{166, 170, 4, false}, // 60 ticks after the last one
		{167, 171, 4, true},
	} {
		stream.Take(c.now)
		_, err := read(frame(c.tick, c.epoch), c.tick, stream)
		require.NoError(t, err)
		require.Equal(t, c.taken, stream.Has(c.tick), "epoch %d", c.epoch)
	}
	stream.Reset(200)
	_, err := read(frame(205, 1), 205, stream)
	require.NoError(t, err)
	requireActs(t, stream, acts{204, input.Unknown, hands{}}, acts{205, input.Fresh, hands{X: 1}})
}

// The events of replaced inputs act with the first input of the new epoch, and Received returns that input as it arrived.
//
// Proves: T10
func TestReceivedLeavesOutTheEventsOfReplacedInputs(t *testing.T) {
	stream := newReader(99)
	put := func(newest entangle.Tick, epoch int, words ...word) {
		_, err := read(plainFrame(newest, nil, plainStream{newest: newest, epoch: epoch, words: words}), newest, stream)
		require.NoError(t, err)
	}
	received := func(tick entangle.Tick) acts {
		v, s := stream.Received(tick)
		return acts{tick, s, handsOf(v)}
	}
	put(108, 0, val(hands{X: 8, Press: 5}), val(hands{X: 7}))
	require.Equal(t, acts{108, input.Fresh, hands{X: 8, Press: 5}}, received(108))
	put(104, 1, val(hands{X: 4}), val(hands{X: 3}))
	requireActs(t, stream, acts{103, input.Fresh, hands{X: 3, Press: 5}}, acts{104, input.Fresh, hands{X: 4}})
	require.Equal(t, acts{103, input.Fresh, hands{X: 3}}, received(103))
	put(102, 2, no, no)
	requireActs(t, stream, acts{101, input.Fresh, hands{Press: 5}})
	require.Equal(t, input.None, received(101).status)
	stream.Reset(99)
	put(101, 2, val(hands{X: 1, Press: 6}))
	require.Equal(t, acts{101, input.Fresh, hands{X: 1, Press: 6}}, received(101))
}
