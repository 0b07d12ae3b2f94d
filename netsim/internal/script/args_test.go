package script

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestArgsAreReadAsTheirKind(t *testing.T) {
	a := &Args{words: []string{"3", "1.5s", "20%", "2,1", "all", "word"}}
	assert.Equal(t, 3, a.Int())
	assert.Equal(t, 1500*time.Millisecond, a.Duration())
	assert.InDelta(t, 0.2, a.Percent(), 1e-12)
	large := &Args{words: []string{"9223372036854775807"}}
	assert.Equal(t, int64(math.MaxInt64), large.Int64(), "on every machine")
	assert.NoError(t, large.Err())
	assert.Equal(t, []int{2, 1}, a.Clients([]int{1, 2, 3}))
	assert.Equal(t, []int{1, 2}, a.Clients([]int{1, 2}))
	assert.False(t, a.Take("other"))
	assert.True(t, a.Take("word"))
	assert.Zero(t, a.Len())
	assert.Equal(t, []int{7}, a.Clients([]int{7}))
	assert.NoError(t, a.Err())
}

func TestArgsThatAreNoneSayWhatTheyShouldBe(t *testing.T) {
	taking := func(take func(*Args), words ...string) error {
		a := &Args{words: words}
		take(a)
		return a.Err()
	}
	word := func(a *Args) { a.Word() }
	number := func(a *Args) { a.Int() }
	assert.EqualError(t, taking(number, "-1"), `"-1" is no number of 0 or above`)
	assert.EqualError(t, taking(func(a *Args) { a.Int64() }, "9223372036854775808"), `"9223372036854775808" is no number of 0 or above`)
	for _, word := range []string{"5", "-5s", "soon"} {
		assert.ErrorContains(t, taking(func(a *Args) { a.Duration() }, word), "is no duration of 0 or above, such as 80ms or 2s")
	}
	for _, word := range []string{"5", "-5%", "101%", "NaN%", "%"} {
		assert.ErrorContains(t, taking(func(a *Args) { a.Percent() }, word), "is no share of 0% to 100%")
	}
	for _, word := range []string{"4", "1,4", "x", "1,"} {
		assert.ErrorContains(t, taking(func(a *Args) { a.Clients([]int{1, 2}) }, word), "is no client; there are [1 2]")
	}
	assert.EqualError(t, taking(word), "an argument is missing")
	assert.EqualError(t, taking(func(a *Args) { a.Int(); a.Duration() }, "x", "y"), `"x" is no number of 0 or above`, "the first")
	assert.NoError(t, taking(func(a *Args) { a.Fail(nil) }))
}

// After an error no words are left, no word is taken, and no client is meant.
func TestArgsAreDroppedAfterAnError(t *testing.T) {
	a := &Args{words: []string{"x", "all", "1"}}
	a.Int()
	assert.Zero(t, a.Len())
	assert.False(t, a.Take("all"))
	assert.Empty(t, a.Clients([]int{1}))
	assert.Empty(t, a.Rest())
}
