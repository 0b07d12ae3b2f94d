package timesync

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An adaptive delay does not follow each change of the round trip: it is kept for a pause after a change, and shortened
// only if a round trip that is one tick longer would not need it.
func TestAnAdaptiveDelayIsKeptForAWhile(t *testing.T) {
	const pause = 60 * One
	var d delay
	d.change(Delay{Max: 10})
	at := Phase(0)
	wants := func(after, roundTrip Phase) int {
		at += after
		d.choose(at, roundTrip, pause)
		return d.wanted
	}
	assert.Equal(t, 4, wants(0, 4*One))
	assert.Equal(t, 4, wants(pause-1, 6*One), "before the pause is over")
	assert.Equal(t, 6, wants(1, 6*One))
	assert.Equal(t, 6, wants(pause, 5*One+1), "a round trip longer by a tick needs 7")
	assert.Equal(t, 6, wants(1, 5*One), "a round trip longer by a tick needs 6")
	assert.Equal(t, 5, wants(1, 4*One))
	assert.Equal(t, 5, wants(pause-1, One))
	assert.Equal(t, 2, wants(1, One))

	d.change(Delay{Max: 10})
	assert.Equal(t, 1, wants(0, One), "a new setting takes effect at once, and exactly")
}
