package wire

import "unsafe"

// Ranged reports whether a value has numbers with a range.
func (p *Plan) Ranged() bool { return ranged(p.ops) }

func ranged(ops []op) bool {
	for i := range ops {
		if o := &ops[i]; o.kind == opInt || o.kind == opQuantised || ranged(o.body) {
			return true
		}
	}
	return false
}

// Outside returns how many numbers of a value are outside their range.
func (p *Plan) Outside(value []byte) int { return outsideOps(p.ops, p.addressOf(value)) }

func outsideOps(ops []op, p unsafe.Pointer) (n int) {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch {
		case o.kind == opInt:
			for k := range uintptr(o.count) {
				o.ints.index(o.int(at, k), &n)
			}
		case o.kind == opQuantised && o.size == 4:
			n += outsideFloats(&o.lattice, floats[float32](at, o.count))
		case o.kind == opQuantised:
			n += outsideFloats(&o.lattice, floats[float64](at, o.count))
		case o.kind == opRepeat:
			for k := range uintptr(o.count) {
				n += outsideOps(o.body, unsafe.Add(at, k*o.step))
			}
		}
	}
	return n
}

func outsideFloats[F float](l *lattice, values []F) (n int) {
	for _, v := range values {
		l.index(float64(v), &n)
	}
	return n
}
