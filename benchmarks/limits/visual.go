package limits

import (
	"math"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// VisualShare is how much of a tick a frame is past its last tick.
const VisualShare = 0.4

// VisualLimit is the two components as plain columns, without a world: the previous, the present
// and the shown values.
type VisualLimit[B any] struct {
	Positions visualColumn[workload.VisualPosition]
	Others    visualColumn[B]
}

type visualColumn[T any] struct {
	Column, last, before []T
	mix                  func(dst, a, b []T, t float32)
}

func NewVisualLimit[B any](mix func(dst, a, b []B, t float32)) *VisualLimit[B] {
	return &VisualLimit[B]{newVisualColumn(mixPositions), newVisualColumn(mix)}
}

func newVisualColumn[T any](mix func(dst, a, b []T, t float32)) visualColumn[T] {
	n := workload.VisualEntities
	return visualColumn[T]{make([]T, n), make([]T, n), make([]T, n), mix}
}

func (l *VisualLimit[B]) Move(pair *workload.VisualPair[B], tick int) {
	for i := range l.Positions.Column {
		l.Positions.Column[i] = VisualAt(i, tick)
		pair.At(&l.Others.Column[i], i, tick)
	}
}

// VisualAt returns the position of entity i at a tick.
func VisualAt(i, tick int) workload.VisualPosition {
	return workload.VisualPosition{X: float32(i + tick), Y: float32(i - tick), Z: float32(tick)}
}

func (l *VisualLimit[B]) Show() {
	l.Positions.mixShown()
	l.Others.mixShown()
}

func (l *VisualLimit[B]) Restore() {
	copy(l.Positions.Column, l.Positions.last)
	copy(l.Others.Column, l.Others.last)
}

func (c *visualColumn[T]) mixShown() {
	c.last, c.before = c.before, c.last
	copy(c.last, c.Column)
	c.mix(c.Column, c.before, c.last, VisualShare)
}

func mixPositions(dst, a, b []workload.VisualPosition, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := &a[i], &b[i]
		dst[i] = workload.VisualPosition{X: x.X + (y.X-x.X)*t, Y: x.Y + (y.Y-x.Y)*t, Z: x.Z + (y.Z-x.Z)*t}
	}
}

func MixAims(dst, a, b []workload.VisualAim, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := &a[i], &b[i]
		dst[i] = workload.VisualAim{X: x.X + (y.X-x.X)*t, Y: x.Y + (y.Y-x.Y)*t}
	}
}

// MixRotations interpolates along the chord, which is precise enough if the rotations are as near
// as those of two ticks.
func MixRotations(dst, a, b []workload.VisualRotation, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := &a[i].Q, &b[i].Q
		from, to := 1-t, t
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

// arcWeights returns the weights of two rotations along the arc instead of the chord.
func arcWeights(dot, from, to float32) (arcFrom, arcTo float32) {
	angle := math.Acos(float64(dot))
	over := 1 / math.Sin(angle)
	return float32(math.Sin(float64(from)*angle) * over), float32(math.Copysign(math.Sin(math.Abs(float64(to))*angle)*over, float64(to)))
}
