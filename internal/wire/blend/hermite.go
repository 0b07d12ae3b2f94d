package blend

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// Hermite sets dst to the position at t, from 0 to 1, on the cubic Hermite curve from position p0
// with velocity v0 to position p1 with velocity v1. Each is the memory of one value. span is the
// time between the two, in the unit of time of the velocities: for velocities per second it is the
// number of ticks divided by the tick rate. dst may be p0 or p1.
//
// Unlike a line, the curve has no corner where two of them meet, so that a thrown ball shows its
// arc even if its samples are far from each other.
type Hermite func(dst, p0, v0, p1, v1 []byte, span, t float64)

// NewHermite compiles Hermite for positions of type P with velocities of type V. Both must consist
// of the same number of floats, in the same order; P may have more memory that is not floats, which
// is taken from p0. Angles turn the shorter way around. The error says why the types do not fit.
func NewHermite[P, V any]() (Hermite, error) {
	positions, velocities := reflect.TypeFor[P](), reflect.TypeFor[V]()
	p, err := newBlender(positions)
	if err != nil {
		return nil, err
	}
	v, err := wire.FloatFieldsOf(velocities)
	if err != nil {
		return nil, err
	}
	if path, pointer := wire.FindPointer(velocities, ""); pointer != nil {
		return nil, fmt.Errorf("%v is no velocity: field %s is a %v", velocities, path, pointer)
	}
	floats, _ := wire.FloatFieldsOf(positions) // newBlender has returned its error
	if len(floats) != len(v) || len(v) == 0 {
		return nil, fmt.Errorf("%v has %d floats, and %v has %d: a velocity has one for each of the position", positions, len(floats), velocities, len(v))
	}
	for i := range v {
		if floats[i].Kind == wire.FloatQuat || v[i].Kind != wire.FloatNumber || floats[i].Size != v[i].Size {
			return nil, fmt.Errorf("float %d of %v is no velocity of that of %v: both must be plain floats of the same size", i, velocities, positions)
		}
	}
	c := curve{p, int(velocities.Size()), floats, v}
	return c.show, nil
}

// curve is a compiled Hermite.
type curve struct {
	*blender
	velocity   int // bytes of a velocity
	positions  []wire.FloatField
	velocities []wire.FloatField
}

func (c *curve) show(dst, p0, v0, p1, v1 []byte, span, t float64) {
	mustMatch(c.size, dst, p0, p1)
	if len(dst) != c.size || len(v0) != c.velocity || len(v1) != c.velocity {
		panic("protocol: Hermite: pass the memory of one position or velocity in each argument")
	}
	if t >= 1 {
		copy(dst, p1)
		return
	}
	if !(t > 0) {
		copy(dst, p0)
		return
	}
	// The weight of p0 is 1 minus that of p1, so the curve is p0 and a share of the way.
	way := float64(t * t * (3 - 2*t))
	start := float64(span * t * (1 - t) * (1 - t))
	end := float64(span * t * t * (t - 1))
	for i := range c.positions {
		p, v := &c.positions[i], c.velocities[i].Offset
		to, from, next := unsafe.Pointer(&dst[p.Offset]), unsafe.Pointer(&p0[p.Offset]), unsafe.Pointer(&p1[p.Offset])
		if p.Size == 4 {
			hermite[float32](p.Kind, to, from, next, unsafe.Pointer(&v0[v]), unsafe.Pointer(&v1[v]), way, start, end)
		} else {
			hermite[float64](p.Kind, to, from, next, unsafe.Pointer(&v0[v]), unsafe.Pointer(&v1[v]), way, start, end)
		}
	}
	for _, s := range c.rest {
		copy(dst[s.Offset:s.Offset+s.Size], p0[s.Offset:])
	}
}

// hermite computes one number by the weights of the way from p0 to p1 and of the two velocities.
func hermite[F float](kind wire.FloatKind, dst, p0, p1, v0, v1 unsafe.Pointer, way, start, end float64) {
	from := float64(*(*F)(p0))
	by := float64(*(*F)(p1)) - from
	if kind == wire.FloatAngle {
		by = math.Remainder(by, 2*math.Pi)
	}
	*(*F)(dst) = F(from + float64(by*way) + float64(float64(*(*F)(v0))*start) + float64(float64(*(*F)(v1))*end))
}
