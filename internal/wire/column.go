package wire

import (
	"fmt"
	"unsafe"
)

// RoundColumn is Round for all values of a column, which are contiguous. It is a few times faster
// if a value consists of floats of one kind.
func (p *Plan) RoundColumn(values []byte) (clamped int) {
	if !p.rounds || len(values) == 0 {
		return 0
	}
	if p.memory <= 0 || len(values)%p.memory != 0 {
		panic(fmt.Sprintf("protocol: a column of %s is %d bytes for each value, got %d: pass exactly the memory of whole values", p.typ, p.size, len(values)))
	}
	at, count := unsafe.Pointer(unsafe.SliceData(values)), len(values)/p.memory
	for i := range p.ops {
		o := &p.ops[i]
		switch {
		case o.round == nil:
		case o.kind == opQuantised && int(o.span()) == p.size:
			clamped += o.roundStretch(at, count*int(o.count))
		default:
			clamped += o.roundEach(unsafe.Add(at, o.offset), count, uintptr(p.size))
		}
	}
	return clamped
}

// roundEach rounds the op's numbers in each of the values, which are step bytes apart.
func (o *op) roundEach(p unsafe.Pointer, count int, step uintptr) (clamped int) {
	for i := range uintptr(count) {
		clamped += o.round(o, unsafe.Add(p, i*step))
	}
	return clamped
}

// roundStretch rounds quantised numbers that are contiguous in memory.
func (o *op) roundStretch(p unsafe.Pointer, count int) (clamped int) {
	if o.size == 4 {
		return roundFloats(&o.lattice, unsafe.Slice((*float32)(p), count))
	}
	return roundFloats(&o.lattice, unsafe.Slice((*float64)(p), count))
}

// roundFloats is index followed by valueAt, but it keeps the index as a float. That is exact,
// because the index is below 2^51.
func roundFloats[F float](l *lattice, values []F) (clamped int) {
	if l.bias == 0 && l.base == 0 {
		return roundWhole(l, values)
	}
	inverse, bias, magic, base, step := l.inverse, l.bias, l.magic, l.base, l.step
	low, high := float64(l.offset), float64(l.offset)+float64(l.last)
	for i, v := range values {
		if whole := float64(float64(v)*inverse) + bias + magic - magic; whole >= low && whole <= high {
			values[i] = F(base + float64(whole*step))
		} else {
			values[i] = F(l.valueAt(l.outside(float64(v), &clamped)))
		}
	}
	return clamped
}

// roundWhole is roundFloats for a lattice in which both limits are multiples of the step.
func roundWhole[F float](l *lattice, values []F) (clamped int) {
	inverse, magic, step := l.inverse, l.magic, l.step
	low, high := float64(l.offset), float64(l.offset)+float64(l.last)
	for i, v := range values {
		if whole := float64(float64(v)*inverse) + magic - magic; whole >= low && whole <= high {
			values[i] = F(whole * step)
		} else {
			values[i] = F(l.valueAt(l.outside(float64(v), &clamped)))
		}
	}
	return clamped
}
