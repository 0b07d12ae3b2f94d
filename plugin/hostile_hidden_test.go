package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// secretPlace is the place of an entity while it is hidden.
const secretPlace = 1e6

// hideout has entities that are hidden from the raider half of the time, or now and then if they rest, and shown to others.
type hideout struct {
	*gallery
	rests    bool // the members rest, in several groups, and are hidden for short times
	members  []ecs.Entity
	shown    int // values in views
	revealed []revealed
}

// revealed is a value of a view that is of a time at which the entity was hidden, or between such a value and another one.
type revealed struct {
	place   float32
	clamped bool
	tick    entangle.Tick // of the view
}

func newHideout(t *testing.T, rests bool) *hideout {
	h := &hideout{gallery: newGallery(t), rests: rests}
	things := generic.NewMap2[runner, components.Replicate](h.world)
	for i := range 6 {
		r := components.Replicate{Interpolate: components.Everyone, Group: 1}
		if rests {
			r.Group = components.Group(1 + i/2)
		}
		h.members = append(h.members, things.NewWith(&runner{}, &r))
	}
	h.also = h.look
	return h
}

// look looks at what the raider sees, and hides and moves the members.
func (h *hideout) look(rewind *plugin.Rewind[runner]) {
	view := rewind.View(h.mine)
	for _, e := range h.members {
		// A view of the present is that of an entity which nobody drives, and no player's.
		if i, ok := view.Find(e); ok && !view.Rewound(i).Present {
			at, _ := view.Get(e)
			if h.shown++; at.Tick > float32(h.server.Tick()) {
				h.revealed = append(h.revealed, revealed{at.Tick, view.Clamped(), h.server.Tick()})
			}
		}
	}
	others := ecs.GetResource[components.Targets](h.world).Except(raider)
	places, tags := generic.NewMap1[runner](h.world), generic.NewMap1[components.Replicate](h.world)
	for i, e := range h.members {
		tick := int(h.server.Tick()) + 7*i
		shown, place := tick%60 < 30, tick-7*i
		if h.rests {
			shown, place = tick%(23+8*i) >= 1+i/2, 0
		}
		if shown {
			places.Get(e).Tick, tags.Get(e).Target = float32(place), components.Everyone
		} else {
			places.Get(e).Tick, tags.Get(e).Target = secretPlace, others
		}
	}
}

// No value of a view is of a time at which the entity was hidden from the client, whatever the client acknowledges.
//
// Proves: L4
func TestNoViewRevealsWhereAHiddenEntityIs(t *testing.T) {
	for name, c := range map[string]struct {
		acks  func(n int) bool
		shown int // at least
	}{
		"all acknowledged":              {func(int) bool { return true }, 1000},
		"one packet in twenty":          {func(n int) bool { return n%20 == 0 }, 0},
		"acknowledgements left out":     {func(n int) bool { return n%90 < 25 }, 100},
		"no acknowledgements after all": {func(n int) bool { return n < 90 }, 100},
	} {
		each := func(t *testing.T, rests bool) {
			h := newHideout(t, rests)
			for n := range 600 {
				if c.acks(n) {
					h.acknowledge()
				}
				h.shoot(h.server.Tick(), 12)
				h.game.run(1)
				h.sess.Advance(h.now)
			}
			require.True(t, h.here(raider))
			require.GreaterOrEqual(t, h.shown, c.shown)
			if n := len(h.revealed); n > 0 {
				require.Fail(t, "it is revealed", "%d of %d values, the first: %+v, the last: %+v", n, h.shown, h.revealed[0], h.revealed[n-1])
			}
		}
		t.Run(name, func(t *testing.T) { each(t, false) })
		t.Run(name+", at rest", func(t *testing.T) { each(t, true) })
	}
}
