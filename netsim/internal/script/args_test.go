package script

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestArgsAreReadAsTheirKind(t *testing.T) {
	a := &Args{words: []string{"3", "1.5s", "20%", "2,1", "all", "word"}}
	n, err := a.Int()
	assert.NoError(t, err)
	assert.Equal(t, 3, n)
	d, err := a.Duration()
	assert.NoError(t, err)
	assert.Equal(t, 1500*time.Millisecond, d)
	share, err := a.Percent()
	assert.NoError(t, err)
	assert.InDelta(t, 0.2, share, 1e-12)
	large, err := (&Args{words: []string{"9223372036854775807"}}).Int64()
	assert.NoError(t, err)
	assert.Equal(t, int64(math.MaxInt64), large, "on every machine")
	some, err := a.Clients([]int{1, 2, 3})
	assert.NoError(t, err)
	assert.Equal(t, []int{2, 1}, some)
	all, err := a.Clients([]int{1, 2})
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 2}, all)
	assert.False(t, a.Take("other"))
	assert.True(t, a.Take("word"))
	assert.Zero(t, a.Len())
	rest, err := a.Clients([]int{7})
	assert.NoError(t, err)
	assert.Equal(t, []int{7}, rest)
}

func TestArgsThatAreNoneSayWhatTheyShouldBe(t *testing.T) {
	_, err := (&Args{words: []string{"-1"}}).Int()
	assert.EqualError(t, err, `"-1" is no number of 0 or above`)
	_, err = (&Args{words: []string{"9223372036854775808"}}).Int64()
	assert.EqualError(t, err, `"9223372036854775808" is no number of 0 or above`)
	for _, word := range []string{"5", "-5s", "soon"} {
		_, err = (&Args{words: []string{word}}).Duration()
		assert.ErrorContains(t, err, "is no duration of 0 or above, such as 80ms or 2s")
	}
	for _, word := range []string{"5", "-5%", "101%", "NaN%", "%"} {
		_, err = (&Args{words: []string{word}}).Percent()
		assert.ErrorContains(t, err, "is no share of 0% to 100%")
	}
	for _, word := range []string{"4", "1,4", "x", "1,"} {
		_, err = (&Args{words: []string{word}}).Clients([]int{1, 2})
		assert.ErrorContains(t, err, "is no client; there are [1 2]")
	}
	_, err = (&Args{}).Word()
	assert.EqualError(t, err, "an argument is missing")
}
