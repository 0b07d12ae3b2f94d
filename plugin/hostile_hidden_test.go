package plugin_test

import (
	"math/rand/v2"
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

// hideout has entities of one group that are hidden from the raider half of the time, and shown to others. With rng they
// are hidden for short times, rest for as many ticks as pace says, and move to other groups.
type hideout struct {
	*gallery
	rng      *rand.Rand
	pace     int
	members  []ecs.Entity
	hidden   []entangle.Tick // with rng: until when each member is
	shown    int             // values in views
	revealed []revealed
}

// revealed is a value of a view that is of a time at which the entity was hidden, or between such a value and another one.
type revealed struct {
	place   float32
	clamped bool
	tick    entangle.Tick // of the view
}

func newHideout(t *testing.T) *hideout {
	h := &hideout{gallery: newGallery(t)}
	things := generic.NewMap2[runner, components.Replicate](h.world)
	for range 6 {
		h.members = append(h.members, things.NewWith(&runner{}, &components.Replicate{Interpolate: components.Everyone, Group: 1}))
	}
	h.hidden = make([]entangle.Tick, len(h.members))
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
		tick := int(h.server.Tick())
		shown, place := (tick+7*i)%60 < 30, tick
		if h.rng != nil {
			shown, place = h.wander(i, tags.Get(e)), tick/h.pace*h.pace
		}
		if shown {
			places.Get(e).Tick, tags.Get(e).Target = float32(place), components.Everyone
		} else {
			places.Get(e).Tick, tags.Get(e).Target = secretPlace, others
		}
	}
}

// wander hides a member at random, and moves it to other groups. It reports whether the raider may see the member.
func (h *hideout) wander(i int, r *components.Replicate) bool {
	now := h.server.Tick()
	if !now.Before(h.hidden[i]) && h.rng.IntN(20) == 0 {
		h.hidden[i] = now + 1 + entangle.Tick(h.rng.IntN(1+h.rng.IntN(15)))
	}
	if h.rng.IntN(40) == 0 {
		r.Group = components.Group(h.rng.IntN(4))
	}
	return !now.Before(h.hidden[i])
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
		t.Run(name, func(t *testing.T) {
			h := newHideout(t)
			for n := range 600 {
				h.step(c.acks(n), 12)
			}
			require.GreaterOrEqual(t, h.shown, c.shown)
			h.requireHidden(t)
		})
	}
}

// step runs a tick in which the raider claims a screen of so many ticks before.
func (h *hideout) step(acknowledges bool, back uint64) {
	if acknowledges {
		h.acknowledge()
	}
	h.shoot(h.server.Tick(), back)
	h.game.run(1)
	h.sess.Advance(h.now)
}

func (h *hideout) requireHidden(t *testing.T) {
	require.True(t, h.here(raider))
	if n := len(h.revealed); n > 0 {
		require.Fail(t, "it is revealed", "%d of %d values, the first: %+v, the last: %+v", n, h.shown, h.revealed[0], h.revealed[n-1])
	}
}

// The same where entities rest for long, are hidden for short times, and move to other groups while they are hidden.
//
// Proves: L4
func TestNoViewRevealsWhereAHiddenEntityWanders(t *testing.T) {
	shown := 0
	for seed := range uint64(24) {
		h, rng := newHideout(t), rand.New(rand.NewPCG(2188+seed, 5))
		h.rng, h.pace = rng, []int{100, 30, 5, 1}[seed%4]
		every := 1 + rng.IntN(40)
		for range 300 {
			h.step(rng.IntN(every) < 3, rng.Uint64N(25))
		}
		h.requireHidden(t)
		shown += h.shown
	}
	require.Greater(t, shown, 10000)
}
