package protocol

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ShortRun reads records that are alike, each a value for each of its plans, and
// writes them column by column: what is done for one value is then done for all of
// its type, one right after the other, and none waits for another.
type ShortRun struct {
	// Plans are those of a record, one at least and at most MaxShorts.
	Plans []*Short
	// Head is what stands before each record, in HeadBits bits, at most
	// bits.PeekBits.
	Head     uint64
	HeadBits uint

	room [MaxShorts]shortRoom
}

// MaxShortRun is how many records are read in one call.
const MaxShortRun = 128

// shortRoom holds the values of one plan, or its codes if it has no loop of its
// own.
type shortRoom struct {
	vectors [MaxShortRun][3]float32
	quats   [MaxShortRun][4]float32
	codes   [MaxShortRun]uint64
}

// Length returns how many records come next, each behind the head. It does not count
// those that are so near to the end of the stream that a word does not lie there
// whole.
func (s *ShortRun) Length(r *bits.Reader) int {
	at, stride, most := s.ahead(r)
	if s.HeadBits == 0 {
		return most
	}
	mask := uint64(1)<<s.HeadBits - 1
	for i, bit := 0, at.bit; i < most; i, bit = i+1, bit+stride {
		if at.load(bit)&mask != s.Head {
			return i
		}
	}
	return most
}

// Read reads n records, of those that Length counted. It returns how many of them
// are right; the error, which r has as well, is that of the record behind them.
func (s *ShortRun) Read(r *bits.Reader, n int) (right int, err error) {
	at, stride, most := s.ahead(r)
	n = min(n, most)
	at.bit += s.HeadBits
	right = n
	for i, p := range s.Plans {
		right = min(right, p.readRun(&s.room[i&(MaxShorts-1)], at, n))
		at.bit += p.bits
	}
	r.Skip(uint(n) * stride)
	if right < n {
		r.Fail(ErrRange)
	}
	return right, r.Err()
}

// ahead returns where the first record begins, how many bits one has, and how many
// there can be.
func (s *ShortRun) ahead(r *bits.Reader) (at column, stride uint, most int) {
	stride = s.HeadBits
	for _, p := range s.Plans {
		stride += p.bits
	}
	data, bit := r.Window()
	at = column{data: unsafe.Pointer(unsafe.SliceData(data)), bit: bit, stride: stride}
	return at, stride, min(MaxShortRun, max(len(data)*8-64-int(bit), 0)/int(stride))
}

// column is one field of records that follow each other. The caller has seen to it
// that all words are there.
type column struct {
	data        unsafe.Pointer
	bit, stride uint
}

// load returns the bits from one on, bits.PeekBits at least.
func (c *column) load(bit uint) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(c.data, bit>>3))[:]) >> (bit & 7)
}

// readRun reads n values and returns how many of them are right, up to the first
// that is not. Nearly always all are, and no branch is made to find that out.
func (s *Short) readRun(room *shortRoom, c column, n int) int {
	var wrong uint64 // its sign
	switch s.kind {
	case shortVector3:
		wrong = s.readVectors(room.vectors[:n], c)
	case shortQuat:
		wrong = s.readQuats(room.quats[:n], c)
	default:
		bit := c.bit
		for i := range room.codes[:n] {
			room.codes[i] = c.load(bit) & s.mask
			bit += c.stride
		}
		wrong = 1 << 63
	}
	if wrong>>63 == 0 {
		return n
	}
	bit := c.bit
	for i := range n {
		if !s.right(c.load(bit) & s.mask) {
			return i
		}
		bit += c.stride
	}
	return n
}

func (s *Short) readVectors(to [][3]float32, c column) (wrong uint64) {
	w, last, bit := s.width&31, s.op.lattice.last, c.bit
	one, offset, step := uint64(1)<<w-1, s.op.lattice.offset, s.op.lattice.step
	for i := range to {
		code := c.load(bit)
		bit += c.stride
		x, y, z := code&one, code>>w&one, code>>w>>w&one
		wrong |= (last - x) | (last - y) | (last - z)
		to[i] = [3]float32{
			float32(float64(int64(x)+offset) * step), float32(float64(int64(y)+offset) * step), float32(float64(int64(z)+offset) * step),
		}
	}
	return wrong
}

func (s *Short) readQuats(to [][4]float32, c column) (wrong uint64) {
	q, bit := &s.op.quat, c.bit
	if q.width == quatBits {
		return readUsualQuats(q, to, c)
	}
	for i := range to {
		largest, x, y, z := q.unpack(c.load(bit))
		bit += c.stride
		wrong |= uint64(q.bound - (x*x + y*y + z*z + max(x*x, y*y, z*z)))
		putQuat(q, &to[i], largest, x, y, z)
	}
	return wrong
}

// readUsualQuats is readQuats for the width that a quaternion has whose tag says
// none: what is shifted by a constant takes half as long.
func readUsualQuats(q *smallestThree, to [][4]float32, c column) (wrong uint64) {
	const one = 1<<quatBits - 1
	bit, m, bound, step, square := c.bit, q.m, q.bound, q.step, q.square
	for i := range to {
		code := c.load(bit)
		bit += c.stride
		x, y, z := int64(code>>2&one)-m, int64(code>>(2+quatBits)&one)-m, int64(code>>(2+2*quatBits)&one)-m
		xx, yy, zz := x*x, y*y, z*z
		sum, v := xx+yy+zz, &to[i]
		wrong |= uint64(bound - sum - max(xx, yy, zz))
		v[code&3] = float32(math.Sqrt(1 - float64(float64(sum)*square)))
		v[(code+1)&3], v[(code+2)&3], v[(code+3)&3] = float32(float64(x)*step), float32(float64(y)*step), float32(float64(z)*step)
	}
	return wrong
}

// right reports whether a code is one that Encode writes.
func (s *Short) right(code uint64) bool {
	switch o := s.op; s.kind {
	case shortVector3:
		w := s.width & 31
		one := uint64(1)<<w - 1
		return max(code&one, code>>w&one, code>>w>>w) <= o.lattice.last
	case shortQuat:
		_, a, b, c := o.quat.unpack(code)
		return o.quat.canonical(a, b, c)
	default:
		return s.fits(code)
	}
}

// Put writes the values that Read read for a plan. base is where a value lies in a
// column of them, and rows says for each record how many values further its own
// does: a whole one must lie there.
func (s *ShortRun) Put(plan int, base *byte, rows []int32) {
	for record, row := range rows {
		s.PutOne(plan, record, (*byte)(unsafe.Add(unsafe.Pointer(base), int(row)*s.Plans[plan].size)))
	}
}

// PutRow is Put for records whose values lie one right after the other.
func (s *ShortRun) PutRow(plan int, base *byte, n int) {
	p, room := s.Plans[plan], &s.room[plan&(MaxShorts-1)]
	at := unsafe.Add(unsafe.Pointer(base), p.at)
	switch {
	case p.kind == shortVector3 && p.size == 12:
		copy(unsafe.Slice((*[3]float32)(at), n), room.vectors[:])
	case p.kind == shortQuat && p.size == 16:
		copy(unsafe.Slice((*[4]float32)(at), n), room.quats[:])
	default:
		for record := range n {
			s.PutOne(plan, record, (*byte)(unsafe.Add(unsafe.Pointer(base), record*p.size)))
		}
	}
}

// PutOne writes one record's value for a plan, to where a whole one lies.
func (s *ShortRun) PutOne(plan, record int, value *byte) {
	p, room := s.Plans[plan], &s.room[plan&(MaxShorts-1)]
	record &= MaxShortRun - 1
	at := unsafe.Add(unsafe.Pointer(value), p.at)
	switch p.kind {
	case shortVector3:
		*(*[3]float32)(at) = room.vectors[record]
	case shortQuat:
		*(*[4]float32)(at) = room.quats[record]
	default:
		p.set(value, room.codes[record])
	}
}
