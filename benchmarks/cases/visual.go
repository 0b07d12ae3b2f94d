package cases

import (
	"fmt"
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// In the case interpolate/visual, two components of each of 1,000 entities are shown between two
// ticks, in an Arche world. The limit is described in limits/visual.go. One operation is a frame
// with one tick: the true values at its end are stored, the shown values replace them, and the true
// values are restored.
func visualVariants() []report.Variant {
	aims := workload.VisualPair[workload.VisualAim]{
		At:  func(v *workload.VisualAim, i, tick int) { v.X, v.Y = float32(i+tick), float32(i-tick) },
		Mix: limits.MixAims,
		Apart: func(a, b workload.VisualAim) float64 {
			return max(math.Abs(float64(a.X-b.X)), math.Abs(float64(a.Y-b.Y)))
		},
	}
	rotations := workload.VisualPair[workload.VisualRotation]{At: turnVisual, Mix: limits.MixRotations, Apart: func(a, b workload.VisualRotation) (apart float64) {
		for i := range a.Q {
			apart = max(apart, math.Abs(float64(a.Q[i]-b.Q[i])))
		}
		return apart
	}}
	return []report.Variant{
		{Name: "interpolate/visual", Goal: 1.5, Prepare: func() (report.Sides, error) { return visualSides(aims, 0) }},
		{Name: "interpolate/visual-turning", Goal: 1.5, Prepare: func() (report.Sides, error) { return visualSides(rotations, 0) }},
		{Name: "interpolate/visual-churn", Prepare: func() (report.Sides, error) { return visualSides(aims, workload.VisualEntities/100) }},
	}
}

// turnVisual turns an entity by 3 degrees per tick, each entity about another axis.
func turnVisual(v *workload.VisualRotation, i, tick int) {
	x, y := math.Sincos(float64(i))
	s, c := math.Sincos(float64(tick) * math.Pi / 120)
	v.Q = [4]float32{float32(x * s), float32(y * s), 0, float32(c)}
}

// visualSides makes both sides of a variant. In each frame, churn entities are despawned and as
// many are spawned.
func visualSides[B any](pair workload.VisualPair[B], churn int) (report.Sides, error) {
	ours, err := newVisualWorld[B]()
	if err != nil {
		return report.Sides{}, err
	}
	limit := limits.NewVisualLimit(pair.Mix)
	tick := 0
	return report.Sides{
		Before: func() {
			tick++
			ours.churn(churn)
			ours.move(&pair, tick)
			limit.Move(&pair, tick)
		},
		Ours: func() {
			ours.showFrame()
			ours.picture.Restore(time.Time{})
		},
		Limit: func() {
			limit.Show()
			limit.Restore()
		},
		Verify: func() error {
			if churn > 0 {
				return nil // rows belong to other entities after churn
			}
			ours.showFrame()
			limit.Show()
			return ours.verifyShown(&pair, limit)
		},
	}, nil
}

// visualWorld is our side: an Arche world with the plugin of package visualinterp.
type visualWorld[B any] struct {
	world    *ecs.World
	time     *components.Time
	picture  *tick.Display
	ids      []ecs.ID
	filter   ecs.Mask
	entities []ecs.Entity
}

func newVisualWorld[B any]() (*visualWorld[B], error) {
	p := protocol.New(protocol.Config{Name: "benchmarks"})
	protocol.Component[workload.VisualPosition](p).Interpolate(protocol.Linear[workload.VisualPosition])
	protocol.Component[B](p).Interpolate(protocol.Linear[B])
	if err := registry.Seal(p); err != nil {
		return nil, err
	}
	w := ecs.NewWorld(workload.VisualEntities)
	v := &visualWorld[B]{world: &w, time: &components.Time{Overstep: limits.VisualShare}}
	v.ids = []ecs.ID{ecs.ComponentID[workload.VisualPosition](&w), ecs.ComponentID[B](&w)}
	v.filter = ecs.All(v.ids...)
	v.picture = tick.InstallDisplay(&w, p, v.time)
	shows := visualinterp.Add[B](visualinterp.Add[workload.VisualPosition](visualinterp.New()))
	shows.Initialize(&w)
	for range workload.VisualEntities {
		v.entities = append(v.entities, w.NewEntity(v.ids...))
	}
	return v, nil
}

// churn despawns n entities and spawns n others.
func (v *visualWorld[B]) churn(n int) {
	for _, e := range v.entities[:n] {
		v.world.RemoveEntity(e)
	}
	v.entities = append(v.entities[:0], v.entities[n:]...)
	for range n {
		v.entities = append(v.entities, v.world.NewEntity(v.ids...))
	}
}

// move runs a tick of the game, which is not measured.
func (v *visualWorld[B]) move(pair *workload.VisualPair[B], tick int) {
	i := 0
	for query := v.world.Query(&v.filter); query.Next(); i++ {
		*(*workload.VisualPosition)(query.Get(v.ids[0])) = limits.VisualAt(i, tick)
		pair.At((*B)(query.Get(v.ids[1])), i, tick)
	}
}

// showFrame begins a tick and ends its frame.
func (v *visualWorld[B]) showFrame() {
	v.time.Tick++
	v.picture.Tick()
	v.picture.Show()
}

// verifyShown compares the shown values.
func (v *visualWorld[B]) verifyShown(pair *workload.VisualPair[B], limit *limits.VisualLimit[B]) error {
	i := 0
	for query := v.world.Query(&v.filter); query.Next(); i++ {
		a, b := *(*workload.VisualPosition)(query.Get(v.ids[0])), limit.Positions.Column[i]
		apart := max(math.Abs(float64(a.X-b.X)), math.Abs(float64(a.Y-b.Y)), math.Abs(float64(a.Z-b.Z)))
		apart = max(apart, pair.Apart(*(*B)(query.Get(v.ids[1])), limit.Others.Column[i]))
		if !(apart < 1e-4) {
			query.Close()
			return fmt.Errorf("entity %d is shown %g apart", i, apart)
		}
	}
	if i != workload.VisualEntities {
		return fmt.Errorf("%d entities are shown", i)
	}
	return nil
}
