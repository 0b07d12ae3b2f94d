package blend

import (
	"math"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// carryAll carries one value after the other; see Funcs.Carry.
func (l *blender) carryAll(dst, from, to []byte, t float64) {
	mustMatch(l.size, dst, from, to)
	if !(t > 0) || len(dst) == 0 {
		return
	}
	at := unsafe.Pointer(unsafe.SliceData(dst))
	a, b := unsafe.Pointer(unsafe.SliceData(from)), unsafe.Pointer(unsafe.SliceData(to))
	for n := 0; n < len(dst); n += l.size {
		for i := range l.runs {
			r := &l.runs[i]
			by := uintptr(n) + r.Offset
			r.carry(unsafe.Add(at, by), unsafe.Add(a, by), unsafe.Add(b, by), min(t, 1))
		}
	}
}

func (r *blendRun) carry(dst, from, to unsafe.Pointer, t float64) {
	if r.Size == 4 {
		carryRun[float32](r, dst, from, to, t)
	} else {
		carryRun[float64](r, dst, from, to, t)
	}
}

func carryRun[F float](r *blendRun, dst, from, to unsafe.Pointer, t float64) {
	if r.Kind == wire.FloatQuat {
		at, a, b := quats[F](dst, r.count), quats[F](from, r.count), quats[F](to, r.count)
		for i := range at {
			turn(&at[i], &a[i], &b[i], t, r.Identity)
		}
		return
	}
	at, a, b := floats[F](dst, r.count), floats[F](from, r.count), floats[F](to, r.count)
	for i := range at {
		way := float64(b[i]) - float64(a[i])
		if r.Kind == wire.FloatAngle {
			way = math.Remainder(way, 2*math.Pi)
		}
		at[i] = F(float64(at[i]) + float64(way*t))
	}
}

// turn rotates q by the share t of the rotation that leads from from to to along the shorter arc.
// This rotation is applied after q's own.
func turn[F float](q, from, to *[4]F, t float64, identity uint8) {
	a, b := realFirst(from, identity), realFirst(to, identity)
	whole := [1][4]float64{product(b, [4]float64{a[0], -a[1], -a[2], -a[3]})}
	share, none := [1][4]float64{}, [1][4]float64{{1}}
	mixQuats(share[:], none[:], whole[:], t)
	length := 0.0
	turned := product(share[0], realFirst(q, identity))
	for _, x := range turned {
		length += float64(x * x)
	}
	length = math.Sqrt(length)
	if !(length > 0 && length <= math.MaxFloat64) {
		return
	}
	q[identity&3] = F(turned[0] / length)
	for i := range uint8(3) {
		q[imaginary(i, identity)] = F(turned[i+1] / length)
	}
}

// realFirst returns the components of a quaternion in the order w, x, y, z.
func realFirst[F float](q *[4]F, identity uint8) [4]float64 {
	r := [4]float64{float64(q[identity&3])}
	for i := range uint8(3) {
		r[i+1] = float64(q[imaginary(i, identity)])
	}
	return r
}

// imaginary returns the index of the i-th of x, y and z in a quaternion that has w at index
// identity.
func imaginary(i, identity uint8) uint8 {
	if i >= identity {
		i++
	}
	return i & 3
}

// product returns the rotation b followed by the rotation a. Quaternions have w first.
func product(a, b [4]float64) [4]float64 {
	return [4]float64{
		float64(a[0]*b[0]) - float64(a[1]*b[1]) - float64(a[2]*b[2]) - float64(a[3]*b[3]),
		float64(a[0]*b[1]) + float64(a[1]*b[0]) + float64(a[2]*b[3]) - float64(a[3]*b[2]),
		float64(a[0]*b[2]) - float64(a[1]*b[3]) + float64(a[2]*b[0]) + float64(a[3]*b[1]),
		float64(a[0]*b[3]) + float64(a[1]*b[2]) - float64(a[2]*b[1]) + float64(a[3]*b[0]),
	}
}
