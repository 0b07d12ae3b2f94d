package input

import (
	"log/slog"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endless is an input stream that has inputs for all ticks up to 1000.
type endless struct{ input.Stream }

func (endless) Newest() (entangle.Tick, bool) { return 1000, true }

// New inputs of a stream are relayed in RelayCopies sends and in no more, without earlier inputs
// that were relayed as often. Then the stream is silent until it has new inputs.
//
// Proves: I6, R33
func TestWhatCameIsPassedOnSoOften(t *testing.T) {
	w := ecs.NewWorld()
	collector, err := source.NewCollector(&w, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r := &relay{collector: collector, kinds: []relayed{{on: true}}}
	p := &passing{entity: w.NewEntity(), stream: endless{}}
	send := func() (since int) {
		r.Prepare(1000, true)
		if len(r.streams) == 0 {
			return 0
		}
		// Prepare has already cleared the news that the next send will replace, so this is the
		// oldest tick of the next send, without new inputs.
		return int(p.firstDue().tick)
	}
	for round := range 3 * RelayCopies {
		r.addNews(p, entangle.Tick(100+round))
		oldest := max(100, 100+round-RelayCopies+2) // of the next send, if no inputs arrive before it
		assert.Equal(t, oldest, send(), "round %d", round)
	}
	last := 100 + 3*RelayCopies - 1
	for more := range RelayCopies - 1 {
		assert.Len(t, r.streams, 1)
		since := send()
		if more < RelayCopies-2 {
			assert.Equal(t, last-RelayCopies+3+more, since)
		}
	}
	assert.Len(t, r.streams, 1)
	assert.False(t, p.firstDue().some, "all of it was said often enough")
	r.Prepare(1000, true)
	assert.Empty(t, r.streams)
	assert.False(t, p.listed)
	r.addNews(p, 500)
	assert.Len(t, r.streams, 1)
	assert.Equal(t, entangle.Tick(500), p.firstDue().tick)
}
