package visualinterp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// Entities are added and removed, and gain and lose components, at any time. The displayed value is
// always between the two latest ticks of the entity, and true values are never lost. The model
// keeps a list of values for each entity.
func TestChangingEntitiesAreShown(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			newCrowd(t, seed).run(150)
			if t.Failed() {
				t.Logf("again: go test ./visualinterp -run 'TestWhatComesAndGoesIsShown/seed_%d$'", seed)
			}
		})
	}
}

// crowd is a stage with a model of its entities.
type crowd struct {
	*stage
	rand    *rand.Rand
	lives   map[ecs.Entity]*life
	order   []ecs.Entity
	cameras generic.Map1[camera]
	turn    int // the number of calls of mutate
}

// life is the model of an entity.
type life struct {
	truth float64
	ends  []float64 // the values at the ends of ticks, since the entity has the component
	lost  int       // the turn in which it lost the component; 0: it has the component
}

func newCrowd(t *testing.T, seed uint64) *crowd {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New()), nil)
	c := &crowd{stage: s, rand: rand.New(rand.NewPCG(seed, 1)), lives: map[ecs.Entity]*life{}, cameras: generic.NewMap1[camera](s.world)}
	s.atReceive = func() { c.check(); c.mutate() }
	s.atTick = func() { c.check(); c.mutate(); c.end() }
	s.atSend = c.check
	return c
}

func (c *crowd) run(frames int) {
	now := time.Duration(0)
	for range frames {
		c.at(now)
		c.look()
		c.mutate()
		now += time.Duration(c.rand.IntN(25)) * time.Millisecond
	}
}

// check compares the true values.
func (c *crowd) check() {
	for _, e := range c.order {
		if l := c.lives[e]; l.lost == 0 {
			require.Equal(c.t, l.truth, c.x(e))
		}
	}
}

// end ends a tick.
func (c *crowd) end() {
	for _, l := range c.lives {
		l.ends = append(l.ends, l.truth)
	}
}

// look compares the displayed values.
func (c *crowd) look() {
	share := ecs.GetResource[components.Time](c.world).Overstep
	for _, e := range c.order {
		l := c.lives[e]
		if l.lost != 0 {
			continue
		}
		want := l.truth
		if n := len(l.ends); n >= 2 {
			want = l.ends[n-2] + (l.ends[n-1]-l.ends[n-2])*share
		}
		require.InDelta(c.t, want, c.x(e), 1e-9)
	}
}

// mutate makes random changes.
func (c *crowd) mutate() {
	c.turn++
	for range c.rand.IntN(5) {
		at, x := c.rand.IntN(len(c.order)+2), c.rand.Float64()
		if at >= len(c.order) {
			e := c.spawn(x, 0)
			c.order, c.lives[e] = append(c.order, e), &life{truth: x}
			continue
		}
		c.change(at, x)
	}
}

func (c *crowd) change(at int, x float64) {
	e := c.order[at]
	l := c.lives[e]
	switch what := c.rand.IntN(6); {
	case what == 0:
		c.world.RemoveEntity(e)
		delete(c.lives, e)
		c.order = append(c.order[:at], c.order[at+1:]...)
	case l.lost == c.turn: // a component that is added again at once counts as never removed
	case l.lost != 0:
		c.spots.Add(e)
		*c.spots.Get(e) = spot{x}
		*l = life{truth: x}
	case what == 1:
		c.spots.Remove(e)
		l.lost = c.turn
	case what == 2 && c.world.Has(e, ecs.ComponentID[camera](c.world)):
		c.cameras.Remove(e)
	case what == 2:
		c.cameras.Add(e)
	default:
		c.spots.Get(e).X, l.truth = x, x
	}
}
