package snapshot

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/set"
)

// single is a store with one entity, and with one column that the test looks at.
type single struct {
	*Store
	slot  Slot
	every uint16
	col   int
	jumps uint8
}

func newSingle(every uint16, col int) *single {
	s := &single{Store: New(kinds(), tickRate), every: every, col: col}
	s.slot = s.Add(every)
	return s
}

func (s *single) add(tick entangle.Tick, v float64) bool {
	return s.AddSample(s.slot, tick, set.MaskOf(s.col), func(int) []byte { return memory(v) })
}

// unchanged adds a sample without new values.
func (s *single) unchanged(tick entangle.Tick) { s.AddSample(s.slot, tick, set.Mask{}, nil) }

// at advances to a time and returns the shown value.
func (s *single) at(time float64) float64 {
	tick := math.Floor(time)
	s.Advance(s.every, entangle.Tick(int64(tick)), time-tick)
	return s.value()
}

func (s *single) value() float64 {
	dst := make([]byte, 8)
	if !s.Shown(s.slot) {
		return math.NaN()
	}
	s.Select([]Slot{s.slot})
	s.Show(s.col, dst)
	return number(dst)
}

// A column that was removed and is inserted again does not continue in the direction from its former value, nor does it
// move on from that.
func TestAReinsertedColumnHasNoFormerValue(t *testing.T) {
	s := newSingle(2, beyond)
	s.add(10, 1)
	s.add(12, 1)
	s.add(14, 3)
	s.at(10)
	s.at(13)
	s.Reinsert(s.slot, 14, set.MaskOf(beyond), func(int) []byte { return memory(3) })
	assert.Equal(t, 3.0, s.at(14))
	assert.Equal(t, 3.0, s.at(15))
	s.add(15, 5) // late
	s.add(18, 20)
	assert.Equal(t, 3.0, s.at(15))
	s.Reinsert(s.slot, 17, set.MaskOf(beyond), func(int) []byte { return memory(19) })
	assert.InDelta(t, 19+2.0/3, s.at(17), 1e-6)
}

// Proves: N1, N2, N3
func TestAnEntityMovesBetweenTwoSamples(t *testing.T) {
	s := newSingle(2, plain)
	s.at(9)
	assert.False(t, s.Shown(s.slot), "there is no sample")
	s.add(10, 1)
	s.at(9.75)
	assert.False(t, s.Shown(s.slot), "not before its tick")
	assert.InDelta(t, 1, s.at(10), 0)
	assert.True(t, s.Shown(s.slot))
	s.add(12, 5)
	assert.InDelta(t, 2, s.at(10.5), 0)
	assert.InDelta(t, 0.25, s.Share(s.slot), 0)
	s.add(14, 0.1)
	assert.InDelta(t, 4, s.at(11.5), 0)
	assert.InDelta(t, 4, s.at(11), 0, "the time does not go back")
	assert.InDelta(t, 5-4.9/4, s.at(12.5), 1e-6)
	assert.InDelta(t, 0.1, s.at(14), 0, "the last value, exactly")
	assert.InDelta(t, 0.1, s.at(99.9), 0)
	assert.Zero(t, s.Share(s.slot))
}

// Lost updates are bridged: the entity moves on to the next one that arrives, if that is in time.
//
// Proves: N7
func TestAGapOfLostUpdatesIsBridged(t *testing.T) {
	s := newSingle(1, plain)
	s.add(10, 10)
	s.at(10)
	s.add(16, 16)
	for time := 10.0; time < 16; time += 0.25 {
		assert.InDelta(t, time, s.at(time), 1e-6)
	}
	assert.InDelta(t, 16, s.at(16), 0)
}

// An entity that rested starts when the next value arrives, and reaches it at its tick.
//
// Proves: N15
func TestAnEntityStartsFromRest(t *testing.T) {
	s := newSingle(1, plain)
	s.add(10, 0)
	assert.InDelta(t, 0, s.at(20.5), 0, "it rests")
	s.add(22, 3)
	assert.InDelta(t, 0, s.value(), 0, "no step when it arrives")
	assert.InDelta(t, 1, s.at(21), 1e-6)
	assert.InDelta(t, 2, s.at(21.5), 1e-6)
	assert.InDelta(t, 3, s.at(22), 0)
}

// A value that arrives too late is reached as many ticks after its arrival as there are between two
// updates. The next one takes its place, and if it is in time, the entity is in time again.
//
// Proves: N15
func TestALateValueMakesNoStep(t *testing.T) {
	s := newSingle(2, plain)
	s.add(10, 0)
	s.at(15)
	s.add(12, 8)
	assert.InDelta(t, 0, s.at(15), 0)
	assert.InDelta(t, 2, s.at(15.5), 1e-6)
	s.add(14, 10)
	assert.InDelta(t, 2, s.value(), 1e-6)
	assert.InDelta(t, 4, s.at(16), 1e-6, "a quarter of the way from 2 to 10")
	s.add(18, 5)
	assert.InDelta(t, 4.5, s.at(17), 1e-6, "half of the way from 4 to 5, at its tick")
	s.add(20, 7)
	assert.InDelta(t, 5, s.at(18), 0)
	assert.InDelta(t, 6, s.at(19), 1e-6)
	assert.InDelta(t, 7, s.at(30), 0)
}

// What is not blended changes at once if a sample is late, also if each of many samples is, and none is reached before the
// next one comes.
//
// Proves: N2
func TestALateSampleHasItsFlagsAtOnce(t *testing.T) {
	s := newSingle(1, 0)
	s.Store = New([]Kind{{Size: 8, Blend: hold, Each: holdEach(8), Discrete: func(dst, from []byte) { copy(dst, from) }}}, tickRate)
	s.slot = s.Add(1)
	s.add(10, 1)
	s.at(10.5)
	s.add(12, 2)
	assert.InDelta(t, 1, s.at(11.9), 0)
	assert.InDelta(t, 2, s.at(12), 0, "it was in time")
	for i := range 20 {
		tick := entangle.Tick(13 + i)
		at := float64(tick) + 0.9
		s.at(at)
		s.add(tick, float64(tick))
		assert.InDelta(t, float64(tick), s.at(at+0.01), 0)
	}
}

// A movement of constant speed, whose updates are lost and late by random times, is shown without a
// step: an entity becomes faster only as far as it then takes it the ticks between two updates to
// the newest known value. It never moves back.
//
// Proves: N15
func TestLateUpdatesMakeNoStep(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		every := 1 + r.IntN(4)
		s := newSingle(uint16(every), plain)
		arrivals := map[int][]int{} // by frame: ticks
		const frames, perTick, delay = 4000, 4, 3
		for tick := 0; tick < frames/perTick; tick += every {
			if late := int(r.ExpFloat64() * 8); r.IntN(4) > 0 {
				arrivals[tick*perTick+late] = append(arrivals[tick*perTick+late], tick)
			}
		}
		newest, last, speed := 0.0, math.NaN(), 0.0 // the speed is per frame
		for frame := range frames {
			for _, tick := range arrivals[frame] {
				if s.add(entangle.Tick(tick)+100, float64(tick)) {
					newest = float64(tick)
				}
			}
			now := s.at(100 - delay + float64(frame)/perTick)
			if !s.Shown(s.slot) {
				continue
			}
			if !math.IsNaN(last) {
				fastest := max(speed, (newest-last)/perTick/float64(every))
				speed = now - last
				require.LessOrEqual(t, speed, fastest+1e-4, "seed %d, frame %d", seed, frame)
				require.GreaterOrEqual(t, speed, -1e-4)
			}
			last = now
		}
	}
}

// Proves: N15
func TestAColumnIsExtrapolatedForABoundedTime(t *testing.T) {
	s := newSingle(1, beyond)
	s.add(10, 1)
	s.add(11, 2)
	assert.InDelta(t, 2, s.at(11), 0)
	assert.InDelta(t, 3.5, s.at(12.5), 1e-6)
	assert.InDelta(t, 2, number(s.From(s.slot, beyond)), 0, "for a function of the game, it rests")
	assert.InDelta(t, 4, s.at(13), 1e-6)
	assert.InDelta(t, 3.5, s.at(13.5), 1e-6, "no more than two ticks: it comes back")
	s.add(15, 0)
	assert.InDelta(t, 3.5, s.value(), 1e-6, "no step")
	assert.InDelta(t, 0, s.at(15.5), 0, "it has come from a value that is no sample")
	s.add(24, 0)
	s.add(25, 1)
	assert.InDelta(t, 2, s.at(26), 1e-6)
	s.unchanged(28)
	assert.InDelta(t, 1.5, s.at(27), 1e-6, "back, if it is known to rest")
	assert.InDelta(t, 1, s.at(28), 0)
	assert.InDelta(t, 1, s.at(29), 0)

	s = newSingle(1, beyond)
	s.add(10, 1)
	s.add(11, 2)
	s.at(11)
	assert.InDelta(t, 2, s.at(15), 0, "N3: it has stopped")
	assert.InDelta(t, 2, s.at(1000), 0)

	s = newSingle(1, beyond)
	s.add(10, 1)
	s.add(11, 100)
	assert.InDelta(t, 1, s.at(10.75), 0, "too far from each other")
	assert.InDelta(t, 100, s.at(12), 0, "so that there is no direction")
}

// An entity that is on the screen already moves from its place there.
func TestRebaseMovesFromTheGivenValue(t *testing.T) {
	given := func(v float64) func(int) []byte { return func(int) []byte { return memory(v) } }
	s := newSingle(1, plain)
	s.Rebase(s.slot, set.MaskOf(plain), given(3))
	assert.False(t, s.Shown(s.slot), "it has no sample")
	s.at(10)
	s.add(12, 7)
	s.Rebase(s.slot, set.MaskOf(plain), given(3))
	assert.True(t, s.Shown(s.slot))
	assert.InDelta(t, 3, s.value(), 0)
	assert.InDelta(t, 5, s.at(11), 0)
	assert.InDelta(t, 7, s.at(20), 0)
	s.Rebase(s.slot, set.MaskOf(plain), given(9))
	assert.InDelta(t, 8, s.at(20.5), 0, "back to the last value")
	assert.InDelta(t, 7, s.at(21), 0)
}

// An entity that gets another interval moves on from its shown value, at the time of its new class: that of the former
// one if it is the first in its class.
//
// Proves: N7
func TestAnEntityGetsAnotherInterval(t *testing.T) {
	s := newSingle(2, plain)
	s.add(10, 0)
	s.add(16, 12)
	assert.InDelta(t, 2, s.at(11), 1e-6)
	s.every = 3
	s.SetEvery(s.slot, s.every)
	assert.InDelta(t, 2, s.at(11), 1e-6, "no step, and no step in time")
	assert.InDelta(t, 4, s.at(12), 1e-6)

	s.Add(4)
	s.Advance(4, 9, 0)
	s.every = 4
	s.SetEvery(s.slot, s.every)
	assert.InDelta(t, 4, s.value(), 1e-6, "no step to a class that is behind")
	assert.InDelta(t, 4, s.at(9), 1e-6)
	assert.InDelta(t, 8, s.at(12.5), 1e-6, "half of the way from 9 to 16")
	assert.InDelta(t, 12, s.at(16), 0)
}

// An entity that continues beyond its newest sample goes on there with another interval, from its shown value.
//
// Proves: N15
func TestAnEntityThatContinuesGetsAnotherInterval(t *testing.T) {
	for name, time := range map[string]entangle.Tick{"behind": 11, "ahead": 15} {
		t.Run(name, func(t *testing.T) {
			s := newSingle(2, beyond)
			s.add(10, 0)
			s.add(12, 2)
			assert.InDelta(t, 0, s.at(10), 0)
			assert.InDelta(t, 3, s.at(13), 1e-6)
			s.Add(3)
			s.Advance(3, time, 0)
			s.every = 3
			s.SetEvery(s.slot, s.every)
			assert.InDelta(t, 3, s.value(), 1e-6, "no step")
			assert.InDelta(t, 4, s.at(float64(time)+1), 1e-6)
			assert.InDelta(t, 2, s.at(float64(time)+3), 1e-6, "it has come back")
		})
	}
}

// An entity that gets an interval which no entity had for a while sets off at the present time, also behind another
// one that has just been added with it.
//
// Proves: N7
func TestAnIntervalIsUsedAgain(t *testing.T) {
	s := newSingle(1, plain)
	advance := func(tick entangle.Tick) {
		s.Classes(func(every uint16) { s.Advance(every, tick, 0) })
	}
	s.add(10, 0)
	advance(10)
	s.SetEvery(s.slot, 2)
	advance(1000)
	s.Add(1)
	s.SetEvery(s.slot, 1)
	s.add(1008, 8)
	advance(1004)
	assert.InDelta(t, 4, s.value(), 1e-6)

	s = newSingle(2, plain)
	s.add(1000, 0)
	advance(1000)
	s.Add(3)
	s.SetEvery(s.slot, 3)
	s.add(1008, 8)
	advance(1004)
	assert.InDelta(t, 4, s.value(), 1e-6)
}

// Of many entities that are shown together, one that moves between the same samples from another value, or from another
// time on, is at its own place.
func TestManyEntitiesAreShownTogether(t *testing.T) {
	s := New(kinds(), tickRate)
	var slots []Slot
	for range 40 {
		slot := s.Add(1)
		slots = append(slots, slot)
		for tick := range entangle.Tick(2) {
			s.AddSample(slot, 10+2*tick, set.MaskOf(plain), func(int) []byte { return memory(float64(slot) + 8*float64(tick)) })
		}
	}
	s.Advance(1, 10, 0.5)
	s.Rebase(slots[20], set.MaskOf(plain), func(int) []byte { return memory(59) })
	s.Advance(1, 11, 0)
	dst := make([]byte, 8*len(slots))
	s.Select(slots)
	s.Show(plain, dst)
	for i, slot := range slots {
		want := float64(slot) + 4
		if i == 20 {
			want = 59 + (21+8-59)/3.0
		}
		assert.InDelta(t, want, number(dst[8*i:]), 1e-5)
	}
}

// A slot that is used again has nothing of the entity before.
func TestASlotIsUsedAgain(t *testing.T) {
	s := newSingle(1, plain)
	s.add(10, 0)
	s.add(11, 1)
	s.at(10.5)
	s.Remove(s.slot)
	require.Equal(t, s.slot, s.Add(1))
	s.add(12, 7)
	assert.Zero(t, s.Share(s.slot))
	s.Rebase(s.slot, set.Mask{}, nil)
	assert.InDelta(t, 7, s.value(), 0)
}

// teleported adds a sample after a teleport.
func (s *single) teleported(tick entangle.Tick, v float64) {
	s.jumps++
	s.SetTeleports(s.slot, s.jumps)
	s.add(tick, v)
}

// Samples before and after a teleport are not blended, also if one between them was lost or there were two, and
// nothing continues across it. A late teleport happens at once. The number wraps around.
//
// Proves: N16
func TestTeleportsAreNotBlended(t *testing.T) {
	s := newSingle(2, plain)
	s.jumps = 254
	s.teleported(10, 0)
	s.teleported(14, 8) // 0: one at 12 was lost
	assert.True(t, s.TeleportAhead(s.slot))
	s.jumps++
	s.teleported(16, 4)
	s.add(18, 6)
	assert.InDelta(t, 0, s.at(10), 0)
	assert.InDelta(t, 0, s.at(13.9), 0)
	assert.InDelta(t, 8, s.at(14), 0)
	assert.Zero(t, s.Share(s.slot))
	assert.InDelta(t, 8, s.at(15.9), 0)
	assert.InDelta(t, 4, s.at(16), 0)
	assert.False(t, s.TeleportAhead(s.slot))
	assert.InDelta(t, 5, s.at(17), 0)
	assert.InDelta(t, 6, s.at(21), 0, "it rests")

	s.teleported(20, 30)
	assert.InDelta(t, 30, s.at(21.25), 0, "at once, because it is late")
	s.teleported(24, 40)
	assert.InDelta(t, 30, s.at(23.9), 0, "at its tick")
	assert.InDelta(t, 40, s.at(24), 0)

	s = newSingle(1, beyond)
	s.add(10, 1)
	s.teleported(11, 3)
	assert.InDelta(t, 3, s.at(12), 0, "no direction to continue in")
	s.add(13, 5)
	s.add(14, 7)
	assert.InDelta(t, 8, s.at(14.5), 0)
	s.teleported(16, 0)
	assert.InDelta(t, 8, s.at(15.9), 0, "from where it has continued to")
	assert.InDelta(t, 0, s.at(16), 0)
}

// An entity that has rested for longer than half of the wrap-around of ticks moves again.
func TestALongRest(t *testing.T) {
	s := newSingle(1, plain)
	s.add(0, 1)
	last := uint64(0)
	for range 12 {
		last += 1 << 28
		s.Advance(1, entangle.Tick(last), 0)
	}
	require.True(t, s.add(entangle.Tick(last+2), 3))
	s.Advance(1, entangle.Tick(last+1), 0)
	assert.InDelta(t, 2, s.value(), 0)
}

// No ticks make the memory of an entity grow without bound, and samples beyond MaxSamples do not
// change what is shown now.
func TestMemoryIsBounded(t *testing.T) {
	s := newSingle(1, plain)
	s.add(100, 0)
	s.add(102, 10)
	s.at(101)
	for i := range entangle.Tick(2000) {
		require.True(t, s.add(103+i, float64(i)))
		require.False(t, s.add(103+i, 7), "the same tick")
		require.False(t, s.add(50+i, 7), "an earlier one")
		require.False(t, s.add(103+i+1<<31, 7), "half of the wrap-around away")
	}
	stats := s.Stats()
	assert.Equal(t, MaxSamples, stats.Samples)
	assert.Equal(t, uint64(6000), stats.Ignored)
	assert.Equal(t, uint64(2002-MaxSamples), stats.Dropped)
	assert.InDelta(t, 5, s.value(), 0)
	assert.InDelta(t, 10, s.at(102), 0)
	assert.InDelta(t, 1999, s.at(3000), 0)

	require.True(t, s.add(2102+1<<31-1, 1), "far ahead")
	assert.InDelta(t, 1999, s.at(3001), 1e-3)
}

// One entity with many samples, many entities and many columns take no more than maxBytes together. Samples beyond
// that do not change what is shown now, nor the newest value.
func TestMemoryOfAllEntitiesIsBounded(t *testing.T) {
	s := newSingle(1, plain)
	s.most = 200_000
	s.add(100, 0)
	s.add(102, 10)
	s.at(101)
	for i := range entangle.Tick(1000) {
		if i == 600 { // the first values of two more columns
			s.AddSample(s.slot, 103+i, set.MaskOf(beyond, held), func(int) []byte { return memory(7) })
			continue
		}
		require.True(t, s.add(103+i, float64(i)))
		if i%2 == 0 {
			s.AddSample(s.Add(1), 103+i, set.MaskOf(plain), func(int) []byte { return memory(7) })
		}
		require.LessOrEqual(t, s.ring.bytes(), s.most)
		assert.InDelta(t, 5, s.value(), 0)
	}
	assert.Less(t, s.Stats().Samples, 32)
	assert.Positive(t, s.Stats().Dropped)
	assert.InDelta(t, 10, s.at(102), 0)
	assert.InDelta(t, 999, s.at(3000), 0)
}

// Slots without samples, such as those of entities without blended components, take no more either.
func TestMemoryOfSlotsWithoutSamplesIsBounded(t *testing.T) {
	s := newSingle(1, plain)
	s.most = 200_000
	for i := range entangle.Tick(200) {
		require.True(t, s.add(100+i, float64(i)))
	}
	for range 500 {
		s.Add(1)
		require.LessOrEqual(t, s.ring.bytes(), s.most)
	}
	assert.InDelta(t, 199, s.at(299), 0)
}

// A late value of an entity that is seldom sent is reached within a second.
func TestALateValueIsReachedWithinASecond(t *testing.T) {
	s := newSingle(math.MaxUint16, plain)
	s.add(10, 0)
	s.at(20)
	s.add(15, 8)
	assert.InDelta(t, 4, s.at(20+tickRate/2), 1e-6)
	assert.InDelta(t, 8, s.at(20+tickRate), 0)
}

func TestNothingIsAllocatedInTheSteadyState(t *testing.T) {
	s := New(kinds(), tickRate)
	var slots []Slot
	for range 100 {
		slots = append(slots, s.Add(1))
	}
	cols := set.MaskOf(plain, limited, beyond, held)
	mem, dst := memory(5), make([]byte, 8*len(slots))
	value := func(int) []byte { return mem }
	tick := entangle.Tick(0)
	frame := func() {
		tick++
		for i, slot := range slots {
			if (int(tick)+i)%5 > 0 { // some arrive late
				s.AddSample(slot, tick+1, cols, value)
			}
		}
		s.Advance(1, tick, 0.5)
		s.Rebase(slots[0], cols, value)
		s.Remove(slots[1])
		slots[1] = s.Add(1)
		s.AddSample(slots[1], tick, cols, value)
		s.Select(slots)
		for col := range cols.All() {
			s.Show(col, dst)
		}
	}
	for range 20 {
		frame()
	}
	assert.Zero(t, alloctest.Count(100, frame))
}

// A server may give each entity an interval of its own.
func TestManyClassesAreNotSearched(t *testing.T) {
	s := New(kinds(), tickRate)
	for every := 1; every <= math.MaxUint16; every++ {
		s.Add(uint16(every))
	}
	for tick := range entangle.Tick(100) { // if classes were searched, these would take minutes
		s.Classes(func(every uint16) { s.Advance(every, tick, 0) })
	}
}
