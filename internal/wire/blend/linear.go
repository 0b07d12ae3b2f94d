package blend

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// Linear implements protocol.Linear, which has its documentation.
func Linear[T any](a, b T, t float64) T {
	if math.Float64bits(t) == linearProbe {
		panic(errLinear)
	}
	l, err := NewLinear[T]()
	if err != nil {
		panic("protocol: Linear: " + err.Error())
	}
	return l(a, b, t)
}

// linearProbe is a value of t that no caller passes: a NaN with particular bits. If Linear is
// called with it, it panics with errLinear, so that probe recognises it. Functions cannot be
// compared in Go.
const linearProbe = 0x7ff8_656e_7461_6e67

var (
	errLinear  = errors.New("protocol: this is Linear")
	errHermite = errors.New("protocol: this is Hermite")
)

// isLinear reports whether f is Linear. It calls f with zero values.
func isLinear[T any](f func(a, b T, t float64) T) bool {
	return probe(errLinear, func(t float64) {
		var zero T
		f(zero, zero, t)
	})
}

// probe reports whether f panics with an error of this package. Any other panic is that of another
// function.
func probe(want error, f func(t float64)) (yes bool) {
	defer func() {
		err, _ := recover().(error)
		yes = errors.Is(err, want)
	}()
	f(math.Float64frombits(linearProbe))
	return false
}

// NewLinear compiles Linear for T. The error names an invalid tag.
func NewLinear[T any]() (func(a, b T, t float64) T, error) {
	l, err := newBlender(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return func(a, b T, t float64) T {
		l.blend(unsafe.Pointer(&a), unsafe.Pointer(&a), unsafe.Pointer(&b), t)
		return a
	}, nil
}

// Funcs are the functions of an interpolation. They take the memory of one value, or of several
// contiguous ones, as in a column. All arguments must have the same number of values.
type Funcs struct {
	// Blend sets dst to the value at t, from 0 to 1, between a and b.
	Blend func(dst, a, b []byte, t float64)
	// Each blends pairs of values that are anywhere in plane, each with a share of its own: value i
	// of dst becomes the value at share[i] between the values at the indexes from[i] and to[i]. A
	// share of 0 or 1 gives the bytes of an end. Linear continues beyond to at shares greater than
	// 1. A function of the game gets them as they are, so pass them only if it can handle them.
	Each func(dst, plane []byte, from, to []uint32, share []float32)
	// Carry moves dst by the share t of the difference from one value to another: numbers linearly,
	// angles the shorter way around, rotations by the rotation between the two. Other data in dst
	// does not change. It is nil for a function other than Linear, because only the game knows how
	// to apply a difference of its values.
	Carry func(dst, from, to []byte, t float64)
	// Discrete copies from one value to another what Linear does not blend, such as integers and flags. It is nil for another
	// function, and for a type that has nothing of that.
	Discrete func(dst, from []byte)
}

// NewFuncs returns functions that do with memory what f does with values. T must not contain Go
// pointers; the error names a field that does, or an invalid tag.
func NewFuncs[T any](f func(a, b T, t float64) T) (Funcs, error) {
	t := reflect.TypeFor[T]()
	if !isLinear(f) {
		if path, pointer := wire.FindPointer(t, ""); pointer != nil {
			return Funcs{}, fmt.Errorf("%v cannot be blended in memory: field %s is a %v", t, path, pointer)
		}
		return Funcs{Blend: overValues(f), Each: eachOverValues(f)}, nil
	}
	l, err := newBlender(t)
	if err != nil {
		return Funcs{}, err
	}
	functions := Funcs{Blend: l.blendAll, Each: l.each, Carry: l.carryAll}
	if len(l.rest) > 0 {
		functions.Discrete = l.copyDiscrete
	}
	return functions, nil
}

// copyDiscrete is Funcs.Discrete.
func (l *blender) copyDiscrete(dst, from []byte) {
	mustMatch(l.size, dst, from, from)
	for n := 0; n < len(dst); n += l.size {
		for _, s := range l.rest {
			at := n + int(s.Offset)
			copy(dst[at:at+int(s.Size)], from[at:])
		}
	}
}

// overValues returns a function that applies f to each value in memory.
func overValues[T any](f func(a, b T, t float64) T) func(dst, a, b []byte, t float64) {
	size := int(reflect.TypeFor[T]().Size())
	return func(dst, a, b []byte, t float64) {
		mustMatch(size, dst, a, b)
		to, from, next := valuesOf[T](dst), valuesOf[T](a), valuesOf[T](b)
		for i := range to {
			to[i] = f(from[i], next[i], t)
		}
	}
}

// valuesOf returns memory as a slice of the values in it.
func valuesOf[T any](b []byte) []T {
	var zero T
	if unsafe.Sizeof(zero) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// mustMatch panics unless the three arguments have the same number of whole values.
func mustMatch(size int, dst, a, b []byte) {
	if len(a) != len(dst) || len(b) != len(dst) || size > 0 && len(dst)%size != 0 {
		panic("protocol: Blend: pass the memory of whole values, of as many in each argument")
	}
}

// blender is the compiled form of Linear for one type.
type blender struct {
	size int
	runs []blendRun
	rest []wire.Span // all other memory, including padding
}

// blendRun is a run of count contiguous floats, angles or quaternions.
type blendRun struct {
	wire.FloatField // the first of them
	count           uint32
}

// endOffset returns the offset of the first byte after the run.
func (r *blendRun) endOffset() uintptr {
	width := uintptr(r.Size)
	if r.Kind == wire.FloatQuat {
		width *= 4
	}
	return r.Offset + uintptr(r.count)*width
}

func newBlender(t reflect.Type) (*blender, error) {
	l := &blender{size: int(t.Size())}
	if path, pointer := wire.FindPointer(t, ""); pointer != nil {
		return nil, fmt.Errorf("%v cannot be blended: field %s is a %v; write a Lerp of your own", t, path, pointer)
	}
	fields, err := wire.FloatFieldsOf(t)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		l.appendRun(blendRun{FloatField: f, count: 1})
	}
	var at uintptr
	for i := range l.runs {
		l.skip(at, l.runs[i].Offset)
		at = l.runs[i].endOffset()
	}
	l.skip(at, t.Size())
	return l, nil
}

func (l *blender) skip(from, to uintptr) {
	if from < to {
		l.rest = append(l.rest, wire.Span{Offset: from, Size: to - from})
	}
}

// appendRun appends a run, or extends the last one by it.
func (l *blender) appendRun(r blendRun) {
	if n := len(l.runs); n > 0 {
		last := &l.runs[n-1]
		if last.Kind == r.Kind && last.Size == r.Size && last.Identity == r.Identity && last.endOffset() == r.Offset {
			last.count += r.count
			return
		}
	}
	l.runs = append(l.runs, r)
}

// blendAll blends one value after the other. If all memory is floats of one kind, it blends all
// values as one run.
func (l *blender) blendAll(dst, a, b []byte, t float64) {
	mustMatch(l.size, dst, a, b)
	if len(dst) == 0 {
		return
	}
	to, from, next := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	if r := l.wide(len(dst)); r != nil && t > 0 && t < 1 {
		r.mix(to, from, next, t)
		return
	}
	for at := 0; at < len(dst); at += l.size {
		l.blend(unsafe.Add(to, at), unsafe.Add(from, at), unsafe.Add(next, at), t)
	}
}

// wide returns the run that covers all of so many bytes, or nil if the values are not one run.
func (l *blender) wide(bytes int) *blendRun {
	if len(l.runs) != 1 || len(l.rest) != 0 {
		return nil
	}
	r := l.runs[0]
	r.count *= uint32(bytes / l.size)
	return &r
}

// blend sets the value at dst. dst may be equal to a or b.
func (l *blender) blend(dst, a, b unsafe.Pointer, t float64) {
	if t >= 1 {
		copy(memory(dst, uintptr(l.size)), memory(b, uintptr(l.size)))
		return
	}
	if !(t > 0) {
		copy(memory(dst, uintptr(l.size)), memory(a, uintptr(l.size)))
		return
	}
	for i := range l.runs {
		r := &l.runs[i]
		r.mix(unsafe.Add(dst, r.Offset), unsafe.Add(a, r.Offset), unsafe.Add(b, r.Offset), t)
	}
	for _, s := range l.rest {
		copy(memory(unsafe.Add(dst, s.Offset), s.Size), memory(unsafe.Add(a, s.Offset), s.Size))
	}
}

// mix blends the values of a run.
func (r *blendRun) mix(dst, a, b unsafe.Pointer, t float64) {
	if r.Size == 4 {
		mixRun[float32](r, dst, a, b, t)
	} else {
		mixRun[float64](r, dst, a, b, t)
	}
}

func mixRun[F float](r *blendRun, dst, a, b unsafe.Pointer, t float64) {
	switch r.Kind {
	case wire.FloatQuat:
		mixQuats(quats[F](dst, r.count), quats[F](a, r.count), quats[F](b, r.count), F(t))
	case wire.FloatAngle:
		mixAngles(floats[F](dst, r.count), floats[F](a, r.count), floats[F](b, r.count), t)
	default:
		mixFloats[F](dst, a, b, r.count, t)
	}
}

// mixFloats computes in the precision of the values, which is sufficient. It handles four numbers
// at a time through pointers, because slices take a third more time.
func mixFloats[F float](dst, a, b unsafe.Pointer, n uint32, t float64) {
	share := F(t)
	whole := uintptr(n&^3) * unsafe.Sizeof(share)
	for at := uintptr(0); at < whole; at += 4 * unsafe.Sizeof(share) {
		to, x, y := (*[4]F)(unsafe.Add(dst, at)), (*[4]F)(unsafe.Add(a, at)), (*[4]F)(unsafe.Add(b, at))
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
		to[0] = x0 + F((y0-x0)*share)
		to[1] = x1 + F((y1-x1)*share)
		to[2] = x2 + F((y2-x2)*share)
		to[3] = x3 + F((y3-x3)*share)
	}
	to, from, next := floats[F](dst, n), floats[F](a, n), floats[F](b, n)
	for i := n &^ 3; i < n; i++ {
		to[i] = from[i] + F((next[i]-from[i])*share)
	}
}

func mixAngles[F float](dst, a, b []F, t float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x := float64(a[i])
		dst[i] = F(x + float64(math.Remainder(float64(b[i])-x, 2*math.Pi)*t))
	}
}

// mixQuats turns from a towards b by a share of the shorter arc. For nearly equal rotations it uses
// the chord, because the formula for the arc becomes inaccurate.
func mixQuats[F float](dst, a, b [][4]F, share F) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		p, q := &a[i], &b[i]
		from, to := 1-share, share
		if dot := F(p[0]*q[0]) + F(p[1]*q[1]) + F(p[2]*q[2]) + F(p[3]*q[3]); dot < 0.9995 {
			from, to = arc(float64(dot), float64(share), from, to)
		}
		x, y := F(p[0]*from)+F(q[0]*to), F(p[1]*from)+F(q[1]*to)
		z, w := F(p[2]*from)+F(q[2]*to), F(p[3]*from)+F(q[3]*to)
		length := F(math.Sqrt(float64(F(x*x) + F(y*y) + F(z*z) + F(w*w))))
		if !(length > 0) {
			dst[i] = *p
			continue
		}
		scale := 1 / length
		d := &dst[i]
		d[0], d[1], d[2], d[3] = x*scale, y*scale, z*scale, w*scale
	}
}

// arc returns the weights of two rotations for the share t of the shorter arc between them. from
// and to are the weights along the chord, which it returns if the arc is very short.
func arc[F float](dot, t float64, from, to F) (F, F) {
	sign := F(1)
	if dot < 0 {
		dot, sign = -dot, -1
	}
	if dot >= 0.9995 {
		return from, to * sign
	}
	angle := math.Acos(dot)
	over := 1 / math.Sin(angle)
	return F(math.Sin((1-t)*angle) * over), F(math.Sin(t*angle)*over) * sign
}
