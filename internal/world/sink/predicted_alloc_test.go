package sink

import (
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record returns the frames of some ticks in which change is called. The receiver applies them
// later.
func (p *pair) record(ticks int, change func()) (all [][][]byte) {
	for range ticks {
		change()
		p.tick++
		require.NoError(p.t, p.collector.Observe(p.tick))
		p.peer.Prepare()
		require.False(p.t, p.peer.ActionsDue())
		var frames [][]byte
		for b := p.peer.AppendUpdates(nil, 1000, p.packet); len(b) > 0; b = p.peer.AppendUpdates(nil, 1000, p.packet) {
			frames = append(frames, b)
			p.peer.HandleAcked(p.packet)
			p.packet++
		}
		all = append(all, frames)
	}
	return all
}

// Applying the confirmed state of a thousand predicted entities does not allocate, with twins, too.
func TestConfirmingAllocatesNothing(t *testing.T) {
	for name, twins := range map[string]bool{"alone": false, "with twins": true} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			if twins {
				p.applier.KeepTwins()
			}
			w := p.world
			var all []ecs.Entity
			for range 1000 {
				all = append(all, p.spawn(idIn[aheadPlace](w), idIn[aheadPath](w), idIn[aheadScore](w)))
			}
			p.send()
			first, n := p.tick, 0
			ticks := p.record(150, func() {
				n++
				for i, e := range all {
					value[aheadPlace](w, e).X = float32((n + i) % 90)
					if i%3 == 0 {
						value[aheadScore](w, e).N = uint8((n + i) % 90)
					}
					if i%7 == 0 {
						value[aheadPath](w, e).N += uint32(i)
					}
				}
			})
			next := 0
			hear := func() {
				for _, b := range ticks[next] {
					if err := p.receiver.HandleUpdates(first+entangle.Tick(next)+1, b); err != nil {
						panic(err)
					}
				}
				next++
			}
			for range 120 { // until the histories of differences have their full length
				hear()
			}
			p.events = slices.Grow(p.events, 1<<20) // so that the test itself allocates nothing
			assert.Zero(t, alloctest.Count(20, hear))
			place := confirmedOf[aheadPlace](p, p.there(all[5]))
			assert.Equal(t, float32((next+5)%90), place.X)
			assert.Greater(t, p.by.news[p.by.slots[p.there(all[5])]], 20)
		})
	}
}

// Malformed input is refused, whichever entities are predicted, and leaves the confirmed state as
// it was at the point of the error.
func TestWhatBreaksOffIsNotConfirmed(t *testing.T) {
	frames := func(p *pair) [][]byte {
		var all []ecs.Entity
		for range 20 {
			all = append(all, p.spawnAll())
		}
		p.send()
		return p.record(1, func() {
			for i, e := range all {
				p.set(e, uint8(i+2))
			}
		})[0]
	}
	whole := newPair(t)
	frame := frames(whole)[0]
	for cut := 1; cut < len(frame); cut++ {
		p := newPair(t)
		frames(p)
		require.Error(t, p.receiver.HandleUpdates(p.tick, frame[:cut]))
		for e := range replicasOf(p.applier) {
			place, path := confirmedOf[aheadPlace](p, e), confirmedOf[aheadPath](p, e)
			require.Equal(t, uint32(place.X), path.N, "an entity is of one tick")
			require.Equal(t, value[aheadScore](p.far, e).N, confirmedOf[aheadScore](p, e).N)
		}
	}
}
