package controls

import "math"

// axisSteps is how many steps an axis has on either side of 0, as in the tags below.
const axisSteps = 100

// Axis is a named action with a strength: a field of a game's input. It takes 8 bits on the wire.
type Axis struct {
	// Value is from -1 to 1, in steps of 0.01. The ends, 0 and 0.5 are exact.
	Value float32 `net:"range=-1..1,step=0.01"`
}

// AxisOf returns the axis at the value nearest to v that can be sent. NaN becomes 0.
func AxisOf(v float32) Axis { return Axis{nearest(v)} }

// Axis2 is a direction with a strength: a stick, or four keys. It takes 16 bits on the
// wire.
type Axis2 struct {
	// X and Y have the range of Axis.Value. The game chooses what their directions mean.
	X float32 `net:"range=-1..1,step=0.01"`
	Y float32 `net:"range=-1..1,step=0.01"`
}

// Axis2Of returns the two axes at the values nearest to x and y that can be sent. NaN becomes 0.
func Axis2Of(x, y float32) Axis2 { return Axis2{nearest(x), nearest(y)} }

// Limited returns the direction with a length of at most 1. A server calls it if the strength is
// used as a speed: two keys make a diagonal of length 1.41, and any client may send that. The
// result has the same bits on all machines.
func (a Axis2) Limited() Axis2 {
	// The conversions keep compilers from fusing products with the sum, which some machines do.
	x, y := float64(a.X), float64(a.Y)
	square := float64(x*x) + float64(y*y)
	if square <= 1 {
		return a
	}
	length := math.Sqrt(square)
	return Axis2{float32(x / length), float32(y / length)}
}

// nearest returns the value that the other side receives.
func nearest(v float32) float32 {
	switch {
	case v != v:
		return 0
	case v <= -1:
		return -1
	case v >= 1:
		return 1
	}
	steps := int(math.RoundToEven(float64(v) * axisSteps)) // an int, because the wire has no -0
	return float32(float64(steps) / axisSteps)
}
