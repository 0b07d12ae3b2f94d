package wire

// opKind tells how the numbers of an op are encoded.
type opKind uint8

const (
	opRaw       opKind = iota // numbers as they are in memory
	opBool                    // one bit for each
	opInt                     // integers with a range
	opWhole                   // 32- and 64-bit integers without a range
	opQuantised               // floats with a range and a step
	opQuat                    // groups of four floats
	opAngle                   // floats on a circle
	opRef                     // entities
	opCodec                   // a whole value, by the codec of its type
	opRepeat                  // an array; the body is for one element
	opText                    // a string; like the next two only in plans for messages and resources
	opBytes                   // []byte
	opSlice                   // another slice; the body is for one element
)

// op is one step of a compiled plan. It encodes, decodes, compares and rounds count numbers of one
// kind, which are contiguous in memory.
type op struct {
	kind   opKind
	size   uint8 // bytes of one number in memory
	bits   uint8 // bits of one number on the wire; for opWhole in its last form
	batch  uint8 // how many numbers fit into 64 bits
	count  uint32
	offset uintptr // of the first number, from the start of the value
	always bool    // in differences, all numbers are written as steps
	like   bool    // the numbers are of the same kind as those of the previous field
	single *op     // the op for one of the numbers, for differences; it exists once, because arguments of a call through a pointer escape to the heap

	funcs // chosen by funcsOf, in walk.go

	ints    interval      // opInt, opWhole
	lattice lattice       // opQuantised
	circle  circle        // opAngle
	quat    smallestThree // opQuat
	codec   *Codec        // opCodec

	body []op    // opRepeat, opSlice
	step uintptr // bytes from one element of the body to the next
	list *list   // opText, opBytes, opSlice
}

// span returns the bytes of all numbers of the op in memory.
func (o *op) span() uintptr {
	switch o.kind {
	case opQuat:
		return 4 * uintptr(o.size) * uintptr(o.count)
	case opRepeat:
		return o.step * uintptr(o.count)
	default:
		return uintptr(o.size) * uintptr(o.count)
	}
}

// joins reports whether next continues o: it has numbers of the same kind, which directly follow in
// memory.
func (o *op) joins(next *op) bool {
	return o.kind < opCodec && o.kind == next.kind && o.size == next.size && o.bits == next.bits &&
		o.ints == next.ints && o.lattice == next.lattice && o.circle == next.circle && o.quat == next.quat &&
		o.offset+o.span() == next.offset
}

// maxBits returns the largest number of bits that the op takes on the wire.
func (o *op) maxBits() int {
	n := int(o.count)
	switch o.kind {
	case opRef:
		return n * maxRefBits
	case opWhole:
		return n * (formBits + int(o.bits))
	case opCodec:
		return o.codec.MaxBits
	case opRepeat:
		return n * maxBits(o.body)
	case opText, opBytes, opSlice:
		return o.list.maxBits(o.body)
	default:
		return n * int(o.bits)
	}
}

// minBits returns the smallest number of bits that the op takes on the wire.
func (o *op) minBits() int {
	n := int(o.count)
	switch o.kind {
	case opRef, opText, opBytes, opSlice:
		return n * 4
	case opWhole:
		return n * minWholeBits
	case opRepeat:
		return n * minBits(o.body)
	case opCodec:
		return 0
	default:
		return o.maxBits()
	}
}

// maxRefBits is the size of the largest index: no message can hold a table of more than 268 million
// entities.
const maxRefBits = 32

func maxBits(ops []op) (n int) {
	for i := range ops {
		n += ops[i].maxBits()
	}
	return n
}

func minBits(ops []op) (n int) {
	for i := range ops {
		n += ops[i].minBits()
	}
	return n
}
