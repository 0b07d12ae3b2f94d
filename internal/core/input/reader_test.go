package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// hear gives a lane what is said of the ticks up to newest, the newest first.
func hear(t *testing.T, lane *input.Reader, newest entangle.Tick, words ...word) input.Brought {
	t.Helper()
	brought, err := read(plainFrame(newest, nil, plainLane{newest: newest, words: words}), newest, lane)
	require.NoError(t, err)
	require.Len(t, brought, 1)
	return brought[0]
}

// requireTakes runs ticks.
func requireTakes(t *testing.T, lane *input.Reader, all ...acts) {
	t.Helper()
	for _, want := range all {
		v, s := lane.Take(want.tick)
		require.Equal(t, want, acts{want.tick, s, handsOf(v)})
	}
}

// Proves: I5
func TestWhatIsMissingRepeatsTheLastForASecond(t *testing.T) {
	lane := newReader(99)
	requireTakes(t, lane, acts{100, input.Unheard, hands{}})
	hear(t, lane, 102, said(hands{X: 1, Press: 5}))
	requireTakes(
		t, lane,
		acts{101, input.Unheard, hands{}},
		acts{102, input.Fresh, hands{X: 1, Press: 5}},
	)
	for tick := entangle.Tick(103); tick <= 162; tick++ {
		requireTakes(t, lane, acts{tick, input.Repeated, hands{X: 1}})
	}
	for tick := entangle.Tick(163); tick < 3000; tick++ {
		requireTakes(t, lane, acts{tick, input.None, hands{}})
	}
	hear(t, lane, 3001, said(hands{X: 2}))
	requireTakes(t, lane, acts{3000, input.None, hands{}}, acts{3001, input.Fresh, hands{X: 2}})
}

// Proves: I5
func TestNoInputIsNotALostInput(t *testing.T) {
	lane := newReader(99)
	hear(t, lane, 105, said(hands{X: 2}), nothing, no, nothing, said(hands{X: 1, Press: 5}))
	requireTakes(
		t, lane,
		acts{100, input.Unheard, hands{}},
		acts{101, input.Fresh, hands{X: 1, Press: 5}},
		acts{102, input.Repeated, hands{X: 1}},
		acts{103, input.None, hands{}},
		acts{104, input.None, hands{}}, // lost: what was last is that there is none
		acts{105, input.Fresh, hands{X: 2}},
	)
	require.True(t, lane.Has(103))
	require.False(t, lane.Has(104))
}

func TestWhatCameFirstStays(t *testing.T) {
	lane := newReader(99)
	require.Equal(t, uint64(0b1), hear(t, lane, 102, said(hands{X: 1})).New)
	require.Equal(t, uint64(0b101), hear(t, lane, 103, said(hands{X: 9}), said(hands{X: 8}), said(hands{X: 7})).New)
	require.Zero(t, hear(t, lane, 103, said(hands{X: 9}), said(hands{X: 8}), said(hands{X: 7})).New, "a packet that came twice")
	requireActs(t, lane, acts{101, input.Fresh, hands{X: 7}}, acts{102, input.Fresh, hands{X: 1}}, acts{103, input.Fresh, hands{X: 9}})
}

func TestALateInputIsCountedAndChangesNothing(t *testing.T) {
	lane := newReader(99)
	hear(t, lane, 101, said(hands{X: 1, Press: 1}))
	requireTakes(
		t, lane,
		acts{100, input.Unheard, hands{}}, acts{101, input.Fresh, hands{X: 1, Press: 1}}, acts{102, input.Repeated, hands{X: 1}},
	)
	b := hear(t, lane, 103, said(hands{X: 3}), said(hands{X: 2, Press: 2}), said(hands{X: 1, Press: 1}))
	require.Equal(t, input.Brought{Newest: 103, New: 0b1, Late: 0b10}, b)
	require.Equal(t, uint64(1), lane.Stats().Late)
	requireActs(t, lane, acts{102, input.Repeated, hands{X: 1}})
}

// A client hears of the others what is past for it. Its past is then put right, which is
// what a replay reads, and it repeats the newest that it has heard of.
//
// Proves: I5
func TestALateInputOfAnotherPlayerCorrectsThePast(t *testing.T) {
	lane := newFollower(99)
	hear(t, lane, 98, said(hands{X: 1}))
	requireTakes(t, lane, acts{100, input.Repeated, hands{X: 1}}, acts{101, input.Repeated, hands{X: 1}})
	hear(t, lane, 100, said(hands{X: 2, Press: 4}), said(hands{X: 1}))
	requireTakes(t, lane, acts{102, input.Repeated, hands{X: 2}})
	requireActs(t, lane, acts{99, input.Fresh, hands{X: 1}}, acts{100, input.Fresh, hands{X: 2, Press: 4}}, acts{101, input.Repeated, hands{X: 2}})
}

// Somebody else who drives the entity begins with an epoch of its own.
func TestASilentLaneBelievesAnyEpoch(t *testing.T) {
	lane := newReader(99)
	frame := func(newest entangle.Tick, epoch int) []byte {
		return plainFrame(newest, nil, plainLane{epoch: epoch, newest: newest, words: []word{said(hands{X: uint8(epoch)})}})
	}
	for _, c := range []struct {
		now, tick entangle.Tick
		epoch     int
		taken     bool
	}{
		{100, 105, 5, true},
		{101, 106, 4, false}, // of before a jump
		{101, 106, 6, true},
		{166, 170, 4, false}, // 60 ticks after the last
		{167, 171, 4, true},
	} {
		lane.Take(c.now)
		_, err := read(frame(c.tick, c.epoch), c.tick, lane)
		require.NoError(t, err)
		require.Equal(t, c.taken, lane.Has(c.tick), "epoch %d", c.epoch)
	}
	lane.Reset(200)
	_, err := read(frame(205, 1), 205, lane)
	require.NoError(t, err)
	requireActs(t, lane, acts{204, input.Unheard, hands{}}, acts{205, input.Fresh, hands{X: 1}})
}

func TestSightsAreOfTheTickThatAnInputWasMadeIn(t *testing.T) {
	var s input.Sights
	s.Put(100, 3, input.Shown{Tick: 70, Fraction: 9})
	s.Put(103, 6, input.Shown{Tick: 74, Fraction: 200})
	for tick, want := range map[entangle.Tick]input.Shown{
		98: {68, 9}, 100: {70, 9}, 101: {72, 200}, 103: {74, 200},
	} {
		got, ok := s.At(tick)
		require.True(t, ok)
		require.Equal(t, want, got, "tick %d", tick)
	}
	for _, tick := range []entangle.Tick{97, 104, 100 + 256} {
		_, ok := s.At(tick)
		require.False(t, ok)
	}
	s.Put(99+256, 1<<30, input.Shown{})
	_, ok := s.At(98)
	require.False(t, ok, "a frame says it for 64 ticks at most, and of those the old ones make way")
	s.Put(99, 1, input.Shown{})
	_, ok = s.At(99 + 256)
	require.True(t, ok, "what is newer stays")
	s.Reset()
	_, ok = s.At(103)
	require.False(t, ok)
}
