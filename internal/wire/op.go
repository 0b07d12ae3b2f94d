package wire

// opKind is the encoding of an op's numbers.
type opKind uint8

const (
	opRaw       opKind = iota // unpacked numbers, as they are in memory
	opBool                    // one bit each
	opInt                     // integers with a range
	opWide                    // int and uint where they are not 64 bits in memory
	opQuantised               // floats with a range and a step
	opQuat                    // groups of four floats
	opAngle                   // floats on a circle
	opRef                     // entities
	opCodec                   // a whole value, by the codec of its type
	opRepeat                  // an array of what the body describes
	opText                    // string, in value plans only, as the next two
	opBytes                   // []byte
	opSlice                   // slice of what the body describes
)

// op is one step of a compiled plan: count numbers of one kind, next to each
// other in memory, and all that moving them needs.
type op struct {
	kind   opKind
	size   uint8 // bytes of one number in memory
	bits   uint8 // bits of one number on the wire
	batch  uint8 // how many numbers fit into one read
	count  uint32
	offset uintptr // of the first number, from the start of the value
	always bool    // in differences, steps stand for all numbers
	like   bool    // these are of one kind with the numbers before
	single *op     // in differences, one of the numbers; made once, since arguments of a call through a pointer escape to the heap

	funcs

	ints    interval      // opInt, opWide
	lattice lattice       // opQuantised
	circle  circle        // opAngle
	quat    smallestThree // opQuat
	codec   *Codec        // opCodec

	body []op    // opRepeat, opSlice
	step uintptr // distance of two elements of the body
	list *list   // opText, opBytes, opSlice
}

// span is the length in memory.
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

// joins reports whether next continues o: numbers of the same kind, directly after it.
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
	case opRepeat:
		return n * minBits(o.body)
	case opCodec:
		return 0
	default:
		return o.maxBits()
	}
}

// maxRefBits is the longest index: a table of more than 268 million entities
// does not fit any message.
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
