package workload

import (
	"math"
	"time"

	"github.com/entangle-ecs/entangle"
)

// Pose is a component that takes 80 bits on the wire.
type Pose struct {
	Pos [3]float32 `net:"range=-512..512,step=0.01"`
	Rot [4]float32 `net:"quat"`
}

const PoseSize = 28

// PoseOf returns a pose for a number. The poses are scattered over the whole range.
func PoseOf(i int) Pose {
	f := float64(i)
	sa, ca := math.Sincos(f)
	sb, cb := math.Sincos(f * 0.37)
	sc, cc := math.Sincos(f * 1.7)
	return Pose{
		Pos: [3]float32{float32(500 * sa), float32(500 * cb), float32(100 * sc)},
		Rot: [4]float32{float32(sa * sb), float32(sa * cb), float32(ca * sc), float32(ca * cc)},
	}
}

// CoordinateOf encodes a coordinate as the number of hundredths above -512.
func CoordinateOf(v float32) uint64 {
	x := float64(v)*100 + 51200.5
	if !(x >= 0 && x < 102401) {
		x = min(max(x, 0), 102400)
	}
	return uint64(int64(x))
}

// RotationOf encodes a rotation as the index of its largest component in 2 bits, and the three
// after that one in 9 bits each.
func RotationOf(q *[4]float32) uint64 {
	const most, bound = 255, 2*255*255 - 1
	largest, top := uint64(0), math.Float32bits(q[0])<<1
	if m := math.Float32bits(q[1]) << 1; m > top {
		largest, top = 1, m
	}
	if m := math.Float32bits(q[2]) << 1; m > top {
		largest, top = 2, m
	}
	if m := math.Float32bits(q[3]) << 1; m > top {
		largest = 3
	}
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	scale := most * math.Sqrt2
	if length := x*x + y*y + z*z + w*w; math.Abs(length-1) > 1e-6 {
		scale /= math.Sqrt(length)
	}
	scale = math.Copysign(scale, float64(q[largest&3]))
	a := roundAway(float64(q[(largest+1)&3]) * scale)
	b := roundAway(float64(q[(largest+2)&3]) * scale)
	c := roundAway(float64(q[(largest+3)&3]) * scale)
	for a*a+b*b+c*c+max(a*a, b*b, c*c) > bound {
		a, b, c = shorten(a, b, c)
	}
	return largest | uint64(a+most)<<2 | uint64(b+most)<<11 | uint64(c+most)<<20
}

func roundAway(x float64) int64 { return int64(x + math.Copysign(0.5, x)) }

// shorten moves the longest of three components one step towards zero.
func shorten(a, b, c int64) (x, y, z int64) {
	towardsZero := func(v int64) int64 {
		if v > 0 {
			return v - 1
		}
		return v + 1
	}
	switch longest := max(a*a, b*b, c*c); longest {
	case a * a:
		return towardsZero(a), b, c
	case b * b:
		return a, towardsZero(b), c
	default:
		return a, b, towardsZero(c)
	}
}

// Poses returns the poses of entities that move.
type Poses interface {
	At(entity, round int) *Pose
}

// SceneStep is the duration of a tick.
const SceneStep = time.Second / 60

// ClientID returns the id of the client with a number.
func ClientID(client int) entangle.ClientID { return entangle.ClientID(client + 1) }

// poseTable holds scattered poses, so that moving costs little.
type poseTable [1 << 12]Pose

func (t *poseTable) At(entity, round int) *Pose { return &t[(entity*7+round)&(len(t)-1)] }

var ScenePoses = func() *poseTable {
	t := new(poseTable)
	for i := range t {
		t[i] = PoseOf(i)
	}
	return t
}()
