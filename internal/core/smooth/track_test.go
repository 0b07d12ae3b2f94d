package smooth

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

var numbers = binary.LittleEndian

func number(b []byte) float64     { return math.Float64frombits(numbers.Uint64(b)) }
func put(b []byte, v float64)     { numbers.PutUint64(b, math.Float64bits(v)) }
func at(ms int) time.Time         { return time.Unix(100, 0).Add(time.Duration(ms) * time.Millisecond) }
func mix(a, b, t float64) float64 { return a + (b-a)*t }
func column(values ...float64) []byte {
	b := make([]byte, 8*len(values))
	for i, v := range values {
		put(b[8*i:], v)
	}
	return b
}

func values(b []byte) (v []float64) {
	for ; len(b) > 0; b = b[8:] {
		v = append(v, number(b))
	}
	return v
}

// kind returns a Kind whose values are single numbers.
func kind() Kind {
	return Kind{
		Size: 8,
		Blend: func(dst, a, b []byte, t float64) {
			for i := 0; i < len(dst); i += 8 {
				put(dst[i:], mix(number(a[i:]), number(b[i:]), t))
			}
		},
		Carry: func(dst, from, to []byte, t float64) {
			put(dst, number(dst)+(number(to)-number(from))*t)
		},
	}
}

// stage drives a track with whole columns, like an app does in its frames.
type stage struct {
	*Track
	world []byte
}

func newStage(k Kind, values ...float64) *stage {
	s := &stage{Track: New(k), world: column(values...)}
	from := make([]int32, len(values))
	for i := range from {
		from[i] = -1
	}
	s.Arrange(from)
	return s
}

func (s *stage) restore() {
	s.Restore(0, s.world)
	s.Restored()
}

func (s *stage) tick(values ...float64) {
	s.begin()
	s.world = column(values...)
}

func (s *stage) begin() {
	if s.Kept() {
		s.Amend(0, s.world)
		s.Ease(at(0), 1)
	}
	if s.Open() {
		s.Sample(0, s.world)
		s.Sampled()
	}
	s.Advance()
}

func (s *stage) show(ms int, share float64) []float64 {
	if s.Kept() {
		s.Amend(0, s.world)
		s.Ease(at(ms), share)
	}
	if s.Open() {
		s.Sample(0, s.world)
		s.Sampled()
	} else {
		s.Peek(0, s.world)
	}
	s.Show(at(ms), share)
	s.Put(0, s.world)
	return values(s.world)
}

// A frame without a tick continues between the same two samples. A frame with two ticks shows the
// later samples.
func TestNoneOneAndTwoTicksInAFrame(t *testing.T) {
	s := newStage(kind(), 0)
	assert.Equal(t, []float64{0}, s.show(0, 0.5), "there is no sample")
	s.restore()
	s.tick(1)
	assert.Equal(t, []float64{1}, s.show(1, 0.25), "there is one sample")
	s.restore()
	s.tick(2)
	assert.Equal(t, []float64{1.25}, s.show(2, 0.25))
	s.restore()
	assert.Equal(t, []float64{2}, values(s.world))
	assert.Equal(t, []float64{1.75}, s.show(3, 0.75), "no tick")
	s.restore()
	assert.Equal(t, []float64{2}, values(s.world))
	s.tick(3)
	s.tick(5)
	assert.Equal(t, []float64{4}, s.show(4, 0.5), "two ticks")
	s.restore()
	assert.Equal(t, []float64{5}, values(s.world))
}

// If the game writes a value while the column has displayed values, that value is the true one
// afterwards. The values beside it are restored.
func TestAValueWrittenOverADisplayedOneStays(t *testing.T) {
	s := newStage(kind(), 0, 0, 0)
	s.tick(1, 1, 1)
	s.tick(2, 2, 2)
	require.Equal(t, []float64{1.5, 1.5, 1.5}, s.show(1, 0.5))
	put(s.world[8:], 7)
	s.restore()
	assert.Equal(t, []float64{2, 7, 2}, values(s.world))
	put(s.world, 1.5)
	s.restore()
	assert.Equal(t, []float64{1.5, 7, 2}, values(s.world), "while nothing shows there is nothing to restore")
}

// A value that is written between two ticks is true at once, and displayed after a tick has ended
// with it.
func TestAValueWrittenBetweenTicksIsKept(t *testing.T) {
	s := newStage(kind(), 0)
	s.tick(1)
	s.tick(2)
	s.show(1, 0.5)
	s.restore()
	s.world = column(10)
	assert.Equal(t, []float64{1.75}, s.show(2, 0.75))
	s.restore()
	assert.Equal(t, []float64{10}, values(s.world))
	s.tick(10)
	assert.Equal(t, []float64{6}, s.show(3, 0.5), "from 2 on")
}

func TestTooFarToBlend(t *testing.T) {
	k := kind()
	k.TooFar = func(a, b []byte) bool { return math.Abs(number(a)-number(b)) > 10 }
	s := newStage(k, 0, 0)
	s.tick(1, 1)
	s.tick(2, 100)
	assert.Equal(t, []float64{1.5, 100}, s.show(1, 0.5))
}

func TestExcludedRowsShowTheirTrueValues(t *testing.T) {
	s := newStage(kind(), 0, 0)
	s.Exclude(1)
	s.tick(1, 1)
	s.tick(2, 2)
	assert.Equal(t, []float64{1.5, 2}, s.show(1, 0.5))
	assert.Equal(t, []int32{1}, s.Unblended())
	assert.True(t, s.Ready(1))
	s.restore()
	assert.Equal(t, []float64{1.75, 2}, s.show(1, 0.75), "nor in a frame without a tick")
}

// Proves: B19
// The displayed value does not change at the moment of a correction, is correct when the time of
// the correction is over, and in between depends only on time.
func TestACorrectionEases(t *testing.T) {
	for _, frames := range []int{1, 2, 5, 50} {
		k := kind()
		k.Over = 100 * time.Millisecond
		s := newStage(k, 0)
		s.tick(1)
		s.tick(2)
		require.Equal(t, []float64{1.5}, s.show(0, 0.5))
		s.restore()
		s.correct(column(11), column(12))
		assert.Equal(t, []float64{1.5}, s.show(0, 0.5), "nothing moves yet")
		s.restore()
		assert.Equal(t, []float64{12}, values(s.world), "and the true value is correct at once")
		for f := 1; f <= frames; f++ {
			got := s.show(50*f/frames, 0.5)[0]
			s.restore()
			if f == frames {
				assert.InDelta(t, 11.5-10*0.25, got, 1e-9, "a quarter is left at half time, in %d frames", frames)
			}
		}
		assert.Equal(t, []float64{11.5}, s.show(100, 0.5))
		s.restore()
		assert.Equal(t, []float64{11.75}, s.show(120, 0.75), "it is over")
	}
}

func (s *stage) correct(before, last []byte) {
	s.Keep()
	s.Before(0, before)
	s.world = last
}

// A correction during another one is added to it, and the displayed value does not jump.
//
// Proves: B19
func TestCorrectionsAddUp(t *testing.T) {
	k := kind()
	k.Over = 100 * time.Millisecond
	s := newStage(k, 0)
	s.tick(10)
	s.tick(10)
	s.show(0, 0.5)
	s.restore()
	s.correct(column(20), column(20))
	s.show(0, 0.5)
	s.restore()
	s.correct(column(24), column(24))
	assert.InDelta(t, 20-10*0.25, s.show(50, 0.5)[0], 1e-9, "as without the second")
	s.restore()
	assert.InDelta(t, 24-(4+2.5)*0.25, s.show(100, 0.5)[0], 1e-9)
	s.restore()
	assert.Equal(t, []float64{24}, s.show(150, 0.5))
}

// If further ticks follow a correction in the same frame, the correction applies to the tick with
// which it ended.
func TestACorrectionWithTicksAfterIt(t *testing.T) {
	k := kind()
	k.Over = 100 * time.Millisecond
	s := newStage(k, 0)
	s.tick(1)
	s.tick(2)
	s.show(0, 0)
	s.restore()
	s.correct(column(11), column(12))
	s.tick(13)
	assert.InDelta(t, 2.25, s.show(0, 0.25)[0], 1e-9, "it moves as fast as the true value")
}

func TestACorrectionThatIsTooFarShowsAtOnce(t *testing.T) {
	k := kind()
	k.Over = 100 * time.Millisecond
	k.TooFar = func(a, b []byte) bool { return math.Abs(number(a)-number(b)) > 10 }
	s := newStage(k, 0)
	s.tick(1)
	s.tick(2)
	s.show(0, 0.5)
	s.restore()
	s.correct(column(5), column(6))
	s.show(0, 0.5)
	s.restore()
	s.correct(column(101), column(102))
	assert.Equal(t, []float64{101.5}, s.show(10, 0.5), "nor is anything left of the one before")
	s.restore()
	s.correct(column(102), column(103))
	assert.Equal(t, []float64{101.5}, s.show(10, 0.5), "one that is near eases again")
	s.restore()
	assert.InDelta(t, 102.5-0.25, s.show(60, 0.5)[0], 1e-9, "once")
}

// This also holds if the rows change their order before the next Show.
//
// Proves: B19
func TestARowThatMovesAfterACorrectionTooFar(t *testing.T) {
	k := kind()
	k.Over = 100 * time.Millisecond
	k.TooFar = func(a, b []byte) bool { return math.Abs(number(a)-number(b)) > 10 }
	s := newStage(k, 0, 0)
	s.tick(1, 1)
	s.tick(2, 2)
	s.show(0, 0.5)
	s.restore()
	s.correct(column(5, 1), column(6, 2))
	s.show(0, 0.5)
	s.restore()
	s.correct(column(101, 1), column(102, 2))
	s.Amend(0, s.world)
	s.Ease(at(10), 0.5)
	s.Arrange([]int32{1, 0})
	s.world = column(2, 102)
	assert.Equal(t, []float64{1.5, 101.5}, s.show(10, 0.5))
	s.restore()
	s.correct(column(1, 102), column(2, 103))
	assert.Equal(t, []float64{1.5, 101.5}, s.show(10, 0.5), "one that is near eases again")
	s.restore()
	assert.InDelta(t, 102.5-0.25, s.show(60, 0.5)[1], 1e-9)
}

// Without a Carry function, the transition blends from the value that was displayed.
func TestACorrectionWithoutCarry(t *testing.T) {
	k := kind()
	k.Carry, k.Over = nil, 100*time.Millisecond
	s := newStage(k, 0)
	s.tick(1)
	s.tick(2)
	s.show(0, 0.5)
	s.restore()
	s.correct(column(11), column(12))
	assert.Equal(t, []float64{1.5}, s.show(0, 0.5))
	s.restore()
	assert.InDelta(t, mix(11.5, 1.5, 0.25), s.show(50, 0.5)[0], 1e-9)
	s.restore()
	assert.Equal(t, []float64{11.5}, s.show(100, 0.5))
}

// A value that is amended without a replay moves as fast as before.
func TestThePresentIsAmended(t *testing.T) {
	for _, over := range []time.Duration{0, 100 * time.Millisecond} {
		k := kind()
		k.Over = over
		s := newStage(k, 0, 0)
		s.tick(1, 1)
		s.tick(2, 2)
		s.show(0, 0.5)
		s.restore()
		s.Keep()
		put(s.world, 12)
		want := []float64{11.5, 1.5}
		if over > 0 {
			want[0] = 1.5
		}
		assert.Equal(t, want, s.show(0, 0.5))
		s.restore()
		want = []float64{11.75, 1.75}
		if over > 0 {
			want[0] -= 2.5
		}
		assert.Equal(t, want, s.show(50, 0.75))
	}
	k := kind()
	k.Carry = nil
	s := newStage(k, 0)
	s.tick(1)
	s.tick(2)
	s.show(0, 0.5)
	s.restore()
	s.Keep()
	put(s.world, 12)
	assert.Equal(t, []float64{12}, s.show(0, 0.5), "without Carry it is at its true value")
}

// If the clock is set back, a correction starts again, so that it does not take longer.
func TestAClockThatIsSetBack(t *testing.T) {
	k := kind()
	k.Over = 100 * time.Millisecond
	s := newStage(k, 0)
	s.tick(1)
	s.tick(1)
	s.show(5000, 0.5)
	s.restore()
	s.correct(column(2), column(2))
	s.show(5000, 0.5)
	s.restore()
	s.show(0, 0.5)
	s.restore()
	assert.Equal(t, []float64{2}, s.show(100, 0.5))
}

func TestAFrameAllocatesNothing(t *testing.T) {
	k := kind()
	k.Over = 100 * time.Millisecond
	s := newStage(k, make([]float64, 100)...)
	from := make([]int32, 100)
	for i := range from {
		from[i] = int32(len(from) - 1 - i)
	}
	frame := func() {
		s.restore()
		s.Arrange(from)
		s.Keep()
		s.Before(0, s.world)
		put(s.world, number(s.world)+1)
		s.begin()
		s.begin()
		if s.Open() {
			s.Sample(0, s.world)
			s.Sampled()
		}
		s.Show(at(0), 0.5)
		s.Put(0, s.world)
	}
	for range 3 {
		frame()
	}
	assert.Zero(t, alloctest.Count(100, frame))
}
