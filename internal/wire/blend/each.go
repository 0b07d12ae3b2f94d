package blend

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// pairs is the memory of the values of Funcs.Each, or of a part of each value. It has four fields,
// because the compiler keeps no larger struct in registers.
type pairs struct {
	dst, plane unsafe.Pointer
	size       uintptr // bytes of a value
	values     uint32  // in the plane
}

// newPairs panics unless there are as many values and indexes as shares.
func newPairs(size int, dst, plane []byte, from, to []uint32, share []float32) pairs {
	n := len(share)
	if len(from) != n || len(to) != n || len(dst) != n*size {
		panic("protocol: Each: pass the memory of one value for each share, and as many indexes")
	}
	return pairs{unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(plane)), uintptr(size), uint32(len(plane) / max(size, 1))}
}

// part returns the pairs without the first bytes of the first value.
func (p pairs) part(offset uintptr) pairs {
	p.dst, p.plane = unsafe.Add(p.dst, offset), unsafe.Add(p.plane, offset)
	return p
}

// at returns the memory of pair i.
func (p pairs) at(i int, from, to uint32) (dst, a, b unsafe.Pointer) {
	if from >= p.values || to >= p.values {
		panic("protocol: Each: an index is beyond the plane")
	}
	return unsafe.Add(p.dst, uintptr(i)*p.size), unsafe.Add(p.plane, uintptr(from)*p.size), unsafe.Add(p.plane, uintptr(to)*p.size)
}

// isEnd reports whether the value at a share is one of the two, and must not be computed, because
// it would lose bits.
func isEnd(share float32) bool { return !(share > 0) || share == 1 }

// copyEnd copies the value at a share for which isEnd is true.
func copyEnd(dst, a, b unsafe.Pointer, size uintptr, share float32) {
	if share == 1 {
		a = b
	}
	copy(memory(dst, size), memory(a, size))
}

// eachOverValues returns Funcs.Each of a function of the game.
func eachOverValues[T any](f func(a, b T, t float64) T) func(dst, plane []byte, from, to []uint32, share []float32) {
	var zero T
	size := unsafe.Sizeof(zero)
	return func(dst, plane []byte, from, to []uint32, share []float32) {
		p := newPairs(int(size), dst, plane, from, to, share)
		for i, t := range share {
			d, a, b := p.at(i, from[i], to[i])
			if isEnd(t) {
				copyEnd(d, a, b, size, t)
				continue
			}
			*(*T)(d) = f(*(*T)(a), *(*T)(b), float64(t))
		}
	}
}

// each is Funcs.Each of Linear. It blends one run of all values after the other.
func (l *blender) each(dst, plane []byte, from, to []uint32, share []float32) {
	all := newPairs(l.size, dst, plane, from, to, share)
	for i := range l.runs {
		if r, p := &l.runs[i], all.part(l.runs[i].Offset); r.Size == 4 {
			eachRun[float32](r, p, from, to, share)
		} else {
			eachRun[float64](r, p, from, to, share)
		}
	}
	for _, s := range l.rest {
		p := all.part(s.Offset)
		for i, t := range share {
			d, a, b := p.at(i, from[i], to[i])
			if t >= 1 {
				a = b
			}
			copy(memory(d, s.Size), memory(a, s.Size))
		}
	}
}

func eachRun[F float](r *blendRun, p pairs, from, to []uint32, share []float32) {
	switch r.Kind {
	case wire.FloatQuat:
		eachQuats[F](r, p, from, to, share)
	case wire.FloatAngle:
		eachAngles[F](r, p, from, to, share)
	default:
		eachFloats[F](r, p, from, to, share)
	}
}

// eachFloats computes like mixFloats, but values have few numbers: a position has two or three.
func eachFloats[F float](r *blendRun, p pairs, from, to []uint32, share []float32) {
	from, to = from[:len(share)], to[:len(share)]
	size := r.endOffset() - r.Offset
	for i, share := range share {
		d, a, b := p.at(i, from[i], to[i])
		if isEnd(share) {
			copyEnd(d, a, b, size, share)
			continue
		}
		t, n := F(share), r.count
		for ; n >= 4; n -= 4 {
			to, x, y := (*[4]F)(d), (*[4]F)(a), (*[4]F)(b)
			x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
			y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
			to[0], to[1] = x0+F((y0-x0)*t), x1+F((y1-x1)*t)
			to[2], to[3] = x2+F((y2-x2)*t), x3+F((y3-x3)*t)
			d, a, b = unsafe.Add(d, unsafe.Sizeof(*to)), unsafe.Add(a, unsafe.Sizeof(*to)), unsafe.Add(b, unsafe.Sizeof(*to))
		}
		switch n {
		case 3:
			to, x, y := (*[3]F)(d), (*[3]F)(a), (*[3]F)(b)
			x0, x1, x2 := x[0], x[1], x[2]
			y0, y1, y2 := y[0], y[1], y[2]
			to[0], to[1], to[2] = x0+F((y0-x0)*t), x1+F((y1-x1)*t), x2+F((y2-x2)*t)
		case 2:
			to, x, y := (*[2]F)(d), (*[2]F)(a), (*[2]F)(b)
			x0, x1, y0, y1 := x[0], x[1], y[0], y[1]
			to[0], to[1] = x0+F((y0-x0)*t), x1+F((y1-x1)*t)
		case 1:
			x, y := *(*F)(a), *(*F)(b)
			*(*F)(d) = x + F((y-x)*t)
		}
	}
}

func eachAngles[F float](r *blendRun, p pairs, from, to []uint32, share []float32) {
	from, to = from[:len(share)], to[:len(share)]
	size := r.endOffset() - r.Offset
	for i, t := range share {
		d, a, b := p.at(i, from[i], to[i])
		if isEnd(t) {
			copyEnd(d, a, b, size, t)
			continue
		}
		mixAngles(floats[F](d, r.count), floats[F](a, r.count), floats[F](b, r.count), float64(t))
	}
}

func eachQuats[F float](r *blendRun, p pairs, from, to []uint32, share []float32) {
	from, to = from[:len(share)], to[:len(share)]
	size := r.endOffset() - r.Offset
	for i, t := range share {
		d, a, b := p.at(i, from[i], to[i])
		if isEnd(t) {
			copyEnd(d, a, b, size, t)
			continue
		}
		mixQuats(quats[F](d, r.count), quats[F](a, r.count), quats[F](b, r.count), F(t))
	}
}
