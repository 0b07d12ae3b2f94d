package channel

// classes are the capacities of pooled buffers. A buffer holds a whole message or a fragment;
// neither is longer than FragmentSize.
var classes = [...]int{16, 32, 64, 128, 256, FragmentSize}

// poolKeep is the most bytes of free buffers of each class that are kept for reuse. For small
// messages, this is what is in flight at ten messages per tick and a round trip of 200 ms. The
// bound keeps the memory of a burst, such as when a peer joins, from being kept forever.
const poolKeep = 16 << 10

// pool lends buffers of up to FragmentSize bytes.
type pool struct {
	free [len(classes)][][]byte
	rest [len(classes)][]byte // what remains of the memory from which the first buffers of a class are cut; nil before the first
}

func classOf(n int) int {
	for i, size := range classes {
		if n <= size {
			return i
		}
	}
	return len(classes)
}

// classSize is the capacity of a buffer for n bytes.
func classSize(n int) int {
	if i := classOf(n); i < len(classes) {
		return classes[i]
	}
	return n
}

// copyOf returns a buffer with a copy of b. A buffer longer than FragmentSize is not pooled.
func (p *pool) copyOf(b []byte) []byte {
	i := classOf(len(b))
	if i == len(classes) {
		return append(make([]byte, 0, len(b)), b...)
	}
	if stack := p.free[i]; len(stack) > 0 {
		buf := stack[len(stack)-1]
		p.free[i] = stack[:len(stack)-1]
		return append(buf, b...)
	}
	return append(p.fresh(i), b...)
}

// usualBuffers is the number of buffers of a class that are allocated together at first. It is
// about the number in flight at one message per tick, so a usual peer soon needs no more
// allocations.
const usualBuffers = 8

// fresh returns a new buffer of class i. Buffers of the largest class are allocated one by one.
func (p *pool) fresh(i int) []byte {
	size := classes[i]
	if p.rest[i] == nil && size < FragmentSize {
		p.rest[i] = make([]byte, usualBuffers*size)
	}
	if len(p.rest[i]) == 0 {
		return make([]byte, 0, size)
	}
	buf := p.rest[i][:0:size]
	p.rest[i] = p.rest[i][size:]
	return buf
}

// giveBack returns a buffer to the pool.
func (p *pool) giveBack(buf []byte) {
	i := classOf(cap(buf))
	if i == len(classes) || cap(buf) != classes[i] || len(p.free[i])*classes[i] >= poolKeep {
		return
	}
	p.free[i] = append(p.free[i], buf[:0])
}
