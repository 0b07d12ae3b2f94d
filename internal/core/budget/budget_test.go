package budget

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func TestABucketEarnsItsRateAndSavesNoMoreThanItHolds(t *testing.T) {
	b := NewBucket(1000, 100*time.Millisecond)
	assert.Equal(t, 100, b.Level(epoch), "it begins full")
	b.Spend(100)
	assert.Equal(t, 0, b.Level(epoch))
	assert.Equal(t, 10, b.Level(epoch.Add(10*time.Millisecond)))
	assert.Equal(t, 100, b.Level(epoch.Add(time.Hour)))
	assert.Equal(t, 100, b.Level(epoch), "time does not run back")
}

func TestADebtIsPaidBeforeAnythingElse(t *testing.T) {
	b := NewBucket(1000, 100*time.Millisecond)
	b.Level(epoch)
	b.Spend(350)
	assert.Equal(t, -250, b.Level(epoch))
	assert.Equal(t, -1, b.Level(epoch.Add(249*time.Millisecond+1)), "less than a byte is none")
	assert.Equal(t, 1, b.Level(epoch.Add(251*time.Millisecond)))
}

func TestAnUnavoidableDebtIsForgottenAfterASecond(t *testing.T) {
	b := NewBucket(1000, 100*time.Millisecond)
	b.Level(epoch)
	for range 1000 {
		b.Spend(1 << 30)
	}
	assert.Equal(t, -1000, b.Level(epoch))
	assert.Equal(t, 0, b.Level(epoch.Add(time.Second)))
}

func TestTheFastestBucketDoesNotOverflow(t *testing.T) {
	b := NewBucket(math.MaxInt, time.Hour)
	assert.Equal(t, 2*MaxRate, b.Level(epoch))
	b.Spend(5 * MaxRate)
	assert.Equal(t, -MaxRate, b.Level(epoch))
	assert.Equal(t, 2*MaxRate, b.Level(epoch.Add(200*365*24*time.Hour)))
}

// A sender that stops while no budget is left never sends more in any span of time than the rate,
// the size and one piece allow, if no piece is larger than the bytes that the rate adds in a
// second. A larger debt is forgotten.
func TestNoSpanOfTimeLetsMoreThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, 1e6).Draw(t, "rate")
		piece := min(1150, rate)
		span := time.Duration(rapid.Int64Range(1, int64(time.Second)).Draw(t, "span"))
		b := NewBucket(rate, span)
		type sent struct {
			at    time.Duration
			bytes int
		}
		var all []sent
		at := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at += time.Duration(rapid.Int64Range(0, int64(200*time.Millisecond)).Draw(t, "wait"))
			for range 20 {
				if b.Level(epoch.Add(at)) <= 0 {
					break
				}
				n := rapid.IntRange(1, piece).Draw(t, "bytes")
				b.Spend(n)
				all = append(all, sent{at, n})
			}
		}
		size := float64(rate) * span.Seconds()
		for from := range all {
			bytes := 0
			for _, s := range all[from:] {
				bytes += s.bytes
				limit := float64(rate)*(s.at-all[from].at).Seconds() + size + float64(piece)
				require.LessOrEqual(t, float64(bytes), limit)
			}
		}
	})
}

// divideSlowly is a simple model of Divide: it gives one byte in turn to each that wants one more.
func divideSlowly(wants []int, total int) []int {
	got := make([]int, len(wants))
	for moved := true; moved && total > 0; {
		moved = false
		for i := range wants {
			if got[i] < wants[i] && total > 0 {
				got[i]++
				total--
				moved = true
			}
		}
	}
	return got
}

func TestDivideEqualsPlainTwin(t *testing.T) {
	var share Share
	rapid.Check(t, func(t *rapid.T) {
		wants := rapid.SliceOfN(rapid.IntRange(0, 300), 0, 20).Draw(t, "wants")
		total := rapid.IntRange(-10, 3000).Draw(t, "total")
		want := divideSlowly(wants, total)
		share.Divide(wants, total)
		require.Equal(t, want, wants)
	})
}

func TestTwoDivideAsManyDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(0, 100).Draw(t, "a"), rapid.IntRange(0, 100).Draw(t, "b")
		total := rapid.IntRange(-10, 250).Draw(t, "total")
		want := divideSlowly([]int{a, b}, total)
		forA, forB := Two(total, a, b)
		require.Equal(t, want, []int{forA, forB})
	})
}

func TestDividingAllocatesNothing(t *testing.T) {
	var share Share
	all, wants := make([]int, 100), make([]int, 100)
	for i := range all {
		all[i] = (i * 7919) % 1000
	}
	divide := func() {
		copy(wants, all)
		share.Divide(wants, 20_000)
	}
	divide()
	assert.Zero(t, alloctest.Count(10, divide))
}
