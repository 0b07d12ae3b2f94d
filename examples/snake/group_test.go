package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A snake with all segments in one group is shown as it was on the server at one tick, in every
// frame, and never at an earlier tick than before. Meanwhile it crawls, grows, shrinks and gets new
// heads, and a fifth of all datagrams is lost.
//
// Proves: X2
func TestAGroupIsNeverTorn(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		s := flags(t)
		s.Seed = seed
		p, err := newPlay(s)
		require.NoError(t, err)
		server, client := newWatcher(p.Worlds[0]), newWatcher(p.Worlds[1])
		var was []string // shapes of the server's snake, frame by frame
		at, moved := 0, 0
		for range 10 * tickRate {
			p.Frame()
			was = append(was, shape(server.snake(grouped)))
			shown := shape(client.snake(grouped))
			if shown == "" {
				continue
			}
			if shown != was[at] {
				moved++
			}
			for at < len(was) && was[at] != shown {
				at++
			}
			require.Less(t, at, len(was), "the client shows a snake that never was, or that was before:\n%s", shown)
		}
		assert.Greater(t, moved, tickRate, "the client's snake crawls")
		assert.Zero(t, p.tallies[grouped].Torn)
		assert.NotZero(t, p.tallies[ungrouped].Torn)
	})
}

// shape returns the visible state of a snake as text.
func shape(parts []part) (text string) {
	for _, part := range parts {
		text += fmt.Sprint(part.Segment, part.Place)
	}
	return text
}

// The program finds that only the snake without a group was torn, and exits with 0.
//
// Proves: X2
func TestTheProgramShowsWhatAGroupIsFor(t *testing.T) {
	r, says, code := runHeadless(t, "-seconds", "5", "-loss", "0.2")
	assert.Zero(t, code, says)
	assert.Zero(t, r.GroupedTorn)
	assert.NotZero(t, r.UngroupedTorn)
	assert.Equal(t, "snake", r.Example)
}
