package main

import (
	"bytes"
	"errors"
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// encode: 1,000 changed entities with a position and a rotation, from the world's
// columns to bits. Ours is the compiled plan, entity by entity as the report of
// Observe lists them; the limit is a codec written by hand for this one type, over
// an array, with the same bit writer. Both write the same bits. One operation is
// all 1,000.
const encodeEntities = 1_000

// encodePose is the component: 80 bits on the wire.
type encodePose struct {
	Pos [3]float32 `net:"range=-512..512,step=0.01"`
	Rot [4]float32 `net:"quat"`
}

const encodePoseSize = 28

func encodeVariants() []variant {
	return []variant{{name: "encode/pose", goal: 1.35, prepare: encodePrepare}}
}

func encodePrepare() (sides, error) {
	plan, err := protocol.ComponentPlan[encodePose]()
	if err != nil {
		return sides{}, err
	}
	table, err := encodeWorld()
	if err != nil {
		return sides{}, err
	}
	poses := make([]encodePose, encodeEntities)
	for i := range poses {
		poses[i] = poseOf(i)
	}
	var ours, limit bits.Writer
	oursBuf, limitBuf := make([]byte, 0, 16<<10), make([]byte, 0, 16<<10)
	return sides{
		ours: func() {
			ours.Reset(oursBuf)
			for _, slot := range table.Changed(0) {
				plan.Encode(&ours, table.Value(slot, 0), nil)
			}
		},
		limit: func() {
			limit.Reset(limitBuf)
			for i := range poses {
				encodeByHand(&limit, &poses[i])
			}
		},
		bytes: func() int { return len(ours.Finish()) },
		verify: func() error {
			if !bytes.Equal(ours.Finish(), limit.Finish()) {
				return errors.New("the bits differ")
			}
			return nil
		},
	}, nil
}

// encodeWorld returns a table whose last Observe reports all entities as changed.
func encodeWorld() (*columns.Table, error) {
	w := ecs.NewWorld(encodeEntities)
	marker, pose := ecs.ComponentID[detectMarker](&w), ecs.ComponentID[encodePose](&w)
	table, err := columns.New(&w, marker, []columns.Column{{ID: pose, Size: encodePoseSize}})
	if err != nil {
		return nil, err
	}
	dispatch := listener.NewDispatch(table.Listener())
	w.SetListener(&dispatch)
	for range encodeEntities {
		w.NewEntity(marker, pose)
	}
	if err := table.Observe(1); err != nil {
		return nil, err
	}
	filter := ecs.All(pose)
	i := 0
	for q := w.Query(&filter); q.Next(); i++ {
		*(*encodePose)(q.Get(pose)) = poseOf(i)
	}
	return table, table.Observe(2)
}

// poseOf scatters poses over the whole range.
func poseOf(i int) encodePose {
	f := float64(i)
	sa, ca := math.Sincos(f)
	sb, cb := math.Sincos(f * 0.37)
	sc, cc := math.Sincos(f * 1.7)
	return encodePose{
		Pos: [3]float32{float32(500 * sa), float32(500 * cb), float32(100 * sc)},
		Rot: [4]float32{float32(sa * sb), float32(sa * cb), float32(ca * sc), float32(ca * cc)},
	}
}

// encodeByHand knows the type, the ranges, and that quaternions are of length one
// or nearly so.
func encodeByHand(w *bits.Writer, p *encodePose) {
	w.Put(coordinate(p.Pos[0])|coordinate(p.Pos[1])<<17|coordinate(p.Pos[2])<<34, 51)
	w.Put(rotation(&p.Rot), 29)
}

// coordinate counts hundredths from -512.
func coordinate(v float32) uint64 {
	x := float64(v)*100 + 51200.5
	if !(x >= 0 && x < 102401) {
		x = min(max(x, 0), 102400)
	}
	return uint64(int64(x))
}

// rotation is the place of the largest component in 2 bits, and the three after it
// in 9 bits each.
func rotation(q *[4]float32) uint64 {
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

// shorten moves the longest of three one step towards zero.
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
