package main

import "math"

// visualShare is how far a frame is past its tick.
const visualShare = 0.4

// visualLimit is the two components as plain columns that nobody else knows of, with no
// world around them: what came before, what is, and what is shown.
type visualLimit[B any] struct {
	positions visualColumn[visualPosition]
	others    visualColumn[B]
}

type visualColumn[T any] struct {
	column, last, before []T
	mix                  func(dst, a, b []T, t float32)
}

func newVisualLimit[B any](mix func(dst, a, b []B, t float32)) *visualLimit[B] {
	return &visualLimit[B]{newVisualColumn(mixPositions), newVisualColumn(mix)}
}

func newVisualColumn[T any](mix func(dst, a, b []T, t float32)) visualColumn[T] {
	n := visualEntities
	return visualColumn[T]{make([]T, n), make([]T, n), make([]T, n), mix}
}

func (l *visualLimit[B]) move(pair *visualPair[B], tick int) {
	for i := range l.positions.column {
		l.positions.column[i] = visualAt(i, tick)
		pair.at(&l.others.column[i], i, tick)
	}
}

// visualAt is where the entity i is.
func visualAt(i, tick int) visualPosition {
	return visualPosition{float32(i + tick), float32(i - tick), float32(tick)}
}

func (l *visualLimit[B]) show() {
	l.positions.show()
	l.others.show()
}

func (l *visualLimit[B]) restore() {
	copy(l.positions.column, l.positions.last)
	copy(l.others.column, l.others.last)
}

func (c *visualColumn[T]) show() {
	c.last, c.before = c.before, c.last
	copy(c.last, c.column)
	c.mix(c.column, c.before, c.last, visualShare)
}

func mixPositions(dst, a, b []visualPosition, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := &a[i], &b[i]
		dst[i] = visualPosition{x.X + (y.X-x.X)*t, x.Y + (y.Y-x.Y)*t, x.Z + (y.Z-x.Z)*t}
	}
}

func mixAims(dst, a, b []visualAim, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := &a[i], &b[i]
		dst[i] = visualAim{x.X + (y.X-x.X)*t, x.Y + (y.Y-x.Y)*t}
	}
}

// mixRotations goes along the chord where rotations are near, as those of two ticks are.
func mixRotations(dst, a, b []visualRotation, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := &a[i].Q, &b[i].Q
		from, to := 1-t, t
		dot := x[0]*y[0] + x[1]*y[1] + x[2]*y[2] + x[3]*y[3]
		if dot < 0 {
			dot, to = -dot, -to
		}
		if dot < 0.9995 {
			angle := math.Acos(float64(dot))
			over := 1 / math.Sin(angle)
			from = float32(math.Sin(float64(from)*angle) * over)
			to = float32(math.Copysign(math.Sin(math.Abs(float64(to))*angle)*over, float64(to)))
		}
		q := [4]float32{x[0]*from + y[0]*to, x[1]*from + y[1]*to, x[2]*from + y[2]*to, x[3]*from + y[3]*to}
		scale := 1 / float32(math.Sqrt(float64(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3])))
		dst[i].Q = [4]float32{q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale}
	}
}
