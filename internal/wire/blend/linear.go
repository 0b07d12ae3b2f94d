package blend

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// Linear is the function that protocol.Linear documents.
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

// linearProbe is a t that no caller has: a NaN of our own. Asked with it, Linear
// says that it is Linear, by a panic with a value of our own. Functions cannot be
// compared in Go, and one that carries a plan would have to be a method.
const linearProbe = 0x7ff8_656e_7461_6e67

var errLinear = errors.New("protocol: this is Linear")

// isLinear reports whether f is Linear. Other functions are called once, with
// zero values; a panic of theirs is taken as a no.
func isLinear[T any](f func(a, b T, t float64) T) (yes bool) {
	defer func() {
		err, _ := recover().(error)
		yes = errors.Is(err, errLinear)
	}()
	var zero T
	f(zero, zero, math.Float64frombits(linearProbe))
	return false
}

// NewLinear makes the plan of Linear for T and returns it as a function. The
// error names a bad tag.
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

// Funcs is an interpolation as functions of memory. Each takes the memory of one value, or
// of several in a row, as in a column: the same number of values in each argument.
type Funcs struct {
	// Blend sets dst to what lies at t, 0 to 1, between a and b.
	Blend func(dst, a, b []byte, t float64)
	// Carry moves dst by the share t of what leads from one value to another: numbers
	// along the line, angles the short way around, rotations by the turn between the two.
	// All else of dst stays. It is nil for a function other than Linear: only the
	// game knows what a difference of its values is.
	Carry func(dst, from, to []byte, t float64)
}

// NewFuncs works on memory as f does on values. T must not hold Go pointers; the error
// names a field that does, or a bad tag.
func NewFuncs[T any](f func(a, b T, t float64) T) (Funcs, error) {
	t := reflect.TypeFor[T]()
	if !isLinear(f) {
		if path, pointer := wire.FindPointer(t, ""); pointer != nil {
			return Funcs{}, fmt.Errorf("%v cannot be blended in memory: field %s is a %v", t, path, pointer)
		}
		return Funcs{Blend: overValues(f)}, nil
	}
	l, err := newBlender(t)
	if err != nil {
		return Funcs{}, err
	}
	return Funcs{Blend: l.blendAll, Carry: l.carryAll}, nil
}

// overValues applies f to each value of a stretch of memory.
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

// valuesOf is memory as the values that lie there.
func valuesOf[T any](b []byte) []T {
	var zero T
	if unsafe.Sizeof(zero) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// mustMatch checks that three stretches of memory hold the same number of values.
func mustMatch(size int, dst, a, b []byte) {
	if len(a) != len(dst) || len(b) != len(dst) || size > 0 && len(dst)%size != 0 {
		panic("protocol: Blend: pass the memory of whole values, of as many in each argument")
	}
}

// blender is the plan of Linear.
type blender struct {
	size int
	runs []blendRun
	rest []wire.Span // all else, padding included
}

// blendRun is count floats, angles or quaternions next to each other.
type blendRun struct {
	wire.FloatField // the first of them
	count           uint32
}

// endOffset is where the run ends in memory.
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

// appendRun appends a run, or lets the last one grow by it.
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

// blendAll blends one value after the other, or as one if all of them are numbers of one
// kind.
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

// wide is the one run that covers so many bytes of values, or nil.
func (l *blender) wide(bytes int) *blendRun {
	if len(l.runs) != 1 || len(l.rest) != 0 {
		return nil
	}
	r := l.runs[0]
	r.count *= uint32(bytes / l.size)
	return &r
}

// blend sets the value at dst, which may be where a or b is.
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
		mixQuats(quats[F](dst, r.count), quats[F](a, r.count), quats[F](b, r.count), t)
	case wire.FloatAngle:
		mixAngles(floats[F](dst, r.count), floats[F](a, r.count), floats[F](b, r.count), t)
	default:
		mixFloats[F](dst, a, b, r.count, t)
	}
}

// mixFloats computes in the precision of the values, which has as many digits as there are
// to lose. It takes four at a time, by their places: slices cost a third more.
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

// mixQuats turns from a towards b by the share t of the shorter arc. Rotations that
// are nearly the same are mixed along the chord, where the arc's formula loses
// its digits.
func mixQuats[F float](dst, a, b [][4]F, t float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		p, q := &a[i], &b[i]
		from, to := 1-F(t), F(t)
		if dot := F(p[0]*q[0]) + F(p[1]*q[1]) + F(p[2]*q[2]) + F(p[3]*q[3]); dot < 0.9995 {
			from, to = arc(float64(dot), t, from, to)
		}
		x, y := F(p[0]*from)+F(q[0]*to), F(p[1]*from)+F(q[1]*to)
		z, w := F(p[2]*from)+F(q[2]*to), F(p[3]*from)+F(q[3]*to)
		length := F(math.Sqrt(float64(F(x*x) + F(y*y) + F(z*z) + F(w*w))))
		if !(length > 0) {
			dst[i] = *p
			continue
		}
		scale := 1 / length
		dst[i] = [4]F{x * scale, y * scale, z * scale, w * scale}
	}
}

// arc returns the weights of two rotations along the shorter arc between them, of which
// those given are the weights along the chord.
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
