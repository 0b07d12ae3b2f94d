package limits

import (
	"math"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// SnapshotLimit is three components of interpolated entities as plain arrays: the sample that each
// entity moves from, the one that it moves to, and the shown value.
type SnapshotLimit struct {
	From, To, Shown SnapshotColumns
	start, end      []float64 // of the movement of each entity, in ticks
	share           []float32
}

// SnapshotColumns has the values of all entities.
type SnapshotColumns struct {
	Positions []workload.VisualPosition
	Rotations []workload.VisualRotation
	Aims      []workload.VisualAim
}

func newSnapshotColumns(n int) SnapshotColumns {
	return SnapshotColumns{make([]workload.VisualPosition, n), make([]workload.VisualRotation, n), make([]workload.VisualAim, n)}
}

func NewSnapshotLimit(entities int) *SnapshotLimit {
	return &SnapshotLimit{
		From: newSnapshotColumns(entities), To: newSnapshotColumns(entities), Shown: newSnapshotColumns(entities),
		start: make([]float64, entities), end: make([]float64, entities), share: make([]float32, entities),
	}
}

// Arrive begins the movement to the sample of the next tick, which the caller then writes to To.
func (l *SnapshotLimit) Arrive(tick int) {
	l.From, l.To = l.To, l.From
	for i := range l.start {
		l.start[i], l.end[i] = float64(tick), float64(tick+1)
	}
}

// Receive copies a sample of all entities.
func (l *SnapshotLimit) Receive(from *SnapshotColumns) {
	copy(l.To.Positions, from.Positions)
	copy(l.To.Rotations, from.Rotations)
	copy(l.To.Aims, from.Aims)
}

// Show computes the shown values at a time in ticks.
func (l *SnapshotLimit) Show(now float64) {
	start, end := l.start[:len(l.share)], l.end[:len(l.share)]
	for i := range l.share {
		l.share[i] = float32((now - start[i]) / (end[i] - start[i]))
	}
	showPositions(l.Shown.Positions, l.From.Positions, l.To.Positions, l.share)
	showRotations(l.Shown.Rotations, l.From.Rotations, l.To.Rotations, l.share)
	showAims(l.Shown.Aims, l.From.Aims, l.To.Aims, l.share)
}

func showPositions(dst, a, b []workload.VisualPosition, share []float32) {
	a, b, share = a[:len(dst)], b[:len(dst)], share[:len(dst)]
	for i := range dst {
		x, y, t := &a[i], &b[i], share[i]
		dst[i] = workload.VisualPosition{X: x.X + (y.X-x.X)*t, Y: x.Y + (y.Y-x.Y)*t, Z: x.Z + (y.Z-x.Z)*t}
	}
}

func showAims(dst, a, b []workload.VisualAim, share []float32) {
	a, b, share = a[:len(dst)], b[:len(dst)], share[:len(dst)]
	for i := range dst {
		x, y, t := &a[i], &b[i], share[i]
		dst[i] = workload.VisualAim{X: x.X + (y.X-x.X)*t, Y: x.Y + (y.Y-x.Y)*t}
	}
}

// showRotations computes like MixRotations.
func showRotations(dst, a, b []workload.VisualRotation, share []float32) {
	a, b, share = a[:len(dst)], b[:len(dst)], share[:len(dst)]
	for i := range dst {
		x, y := &a[i].Q, &b[i].Q
		from, to := 1-share[i], share[i]
		dot := x[0]*y[0] + x[1]*y[1] + x[2]*y[2] + x[3]*y[3]
		if dot < 0 {
			dot, to = -dot, -to
		}
		if dot < 0.9995 {
			from, to = arcWeights(dot, from, to)
		}
		q := [4]float32{x[0]*from + y[0]*to, x[1]*from + y[1]*to, x[2]*from + y[2]*to, x[3]*from + y[3]*to}
		scale := 1 / float32(math.Sqrt(float64(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3])))
		dst[i].Q = [4]float32{q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale}
	}
}
