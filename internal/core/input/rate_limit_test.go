package input_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/input"
)

var begin = time.Unix(1000, 0)

// count passes n frames, one per interval, and counts the results.
func count(a *input.RateLimit, from time.Time, n int, every time.Duration) (verdicts [3]int) {
	for i := range n {
		verdicts[a.Take(from.Add(time.Duration(i)*every))]++
	}
	return verdicts
}

// Proves: Z12
func TestAFloodOfInputsIsBounded(t *testing.T) {
	const tick = time.Second / 60
	for _, c := range []struct {
		name  string
		n     int
		every time.Duration
		want  [3]int // allowed, dropped, flood
	}{
		{"a packet a tick", 6000, tick, [3]int{6000}},
		{"two packets a tick", 6000, tick / 2, [3]int{6000}},
		{"a second at once", 60, 0, [3]int{60}},
		{"more than a second at once", 90, 0, [3]int{60, 30}},
		{"half a minute at once", 1800, 0, [3]int{60, 1740}},
		{"beyond it", 1810, 0, [3]int{60, 1740, 10}},
		{"four packets a tick", 6000, tick / 4, [3]int{3060, 2940}},
	} {
		a := input.NewRateLimit(60)
		got := count(&a, begin, c.n, c.every)
		require.Equal(t, c.want, got, c.name)
	}
}

// If the network repeatedly stands still for half a second, a player loses nothing.
func TestBurstsOfAnHonestPlayerPass(t *testing.T) {
	a := input.NewRateLimit(60)
	for i := range 100 {
		at := begin.Add(time.Duration(i) * time.Second / 2)
		require.Equal(t, [3]int{30}, count(&a, at, 30, 0))
	}
}

func TestARateLimitRefills(t *testing.T) {
	a := input.NewRateLimit(60)
	count(&a, begin, 1000, 0)
	require.Equal(t, input.Dropped, a.Take(begin))
	require.Equal(t, input.Allowed, a.Take(begin.Add(10*time.Millisecond)))
	require.Equal(t, [3]int{60}, count(&a, begin.Add(time.Second), 60, 0))
	require.Equal(t, input.Dropped, a.Take(begin), "a clock that runs back refills nothing")
}
