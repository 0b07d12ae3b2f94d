package rollback

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// If a tick begins far from the newest one, in either direction, the held ticks are those before
// it, up to the limit, with their columns and forms.
func TestATickThatBeginsFarAway(t *testing.T) {
	const room, last = 8, 1000
	for _, gap := range []int64{
		1, 2, room - 1, room, room + 1, 1 << 20, math.MaxInt32 - room, math.MaxInt32 - 1, math.MaxInt32,
		0, -1, -2, 1 - room, -room, -room - 1, -1 << 20, math.MinInt32 + room, math.MinInt32 + 2, math.MinInt32 + 1, math.MinInt32,
	} {
		t.Run(fmt.Sprint(gap), func(t *testing.T) {
			s := New(twinConfig(room))
			s.Grow(2)
			form := Form{Alive: true}
			for tick := entangle.Tick(last - 20); tick <= last; tick++ {
				s.Begin(tick)
				s.Column(tick, colBody)[0] = byte(tick)
				now := Form{Alive: true, Mask: set.MaskOf(int(tick) & 1)}
				s.Changed(tick, 1, form, now)
				form = now
			}
			began := last + gap
			s.Begin(entangle.Tick(began))
			form.Mask = set.MaskOf(int(min(began-1, last)) & 1) // the form that the world has at that tick
			near := gap > -room && gap <= room
			for tick := began - 2*room; tick <= began+2*room; tick++ {
				held := tick == began || near && tick < began && tick <= last && tick > max(began, last)-room && tick > began-room
				assert.Equal(t, held, s.Holds(entangle.Tick(tick)), "tick %d", tick)
				if held && tick != began {
					assert.Equal(t, byte(tick), s.Column(entangle.Tick(tick), colBody)[0])
					assert.Equal(t, Form{Alive: true, Mask: set.MaskOf(int(tick) & 1)}, s.FormAt(1, entangle.Tick(tick), form), "tick %d", tick)
				}
			}
			if !near {
				assert.Empty(t, s.Touched(entangle.Tick(began-room)))
				now := Form{Alive: true, Mask: set.MaskOf(2)}
				assert.Equal(t, now, s.FormAt(1, entangle.Tick(began-1), now))
			}
		})
	}
}
