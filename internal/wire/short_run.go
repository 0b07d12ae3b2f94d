package wire

import (
	"encoding/binary"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ShortRun reads records of one layout, with one value for each of the plans, and
// writes them column by column. Each step of the work is done for all values of a
// type in sequence, so that none waits for another.
type ShortRun struct {
	// Plans are those of a record, one at least and at most MaxShorts.
	Plans []*Short
	// Head is what stands before each record, in HeadBits bits, at most
	// bits.PeekBits.
	Head     uint64
	HeadBits uint

	room [MaxShorts]shortRoom
	tail [tailBytes]byte // the end of the stream, with zeros behind it
}

// MaxShortRun is the largest number of records that one call reads.
const MaxShortRun = 128

// shortRoom holds the values of one plan, or its codes if there is no special loop
// for the plan.
type shortRoom struct {
	vectors [MaxShortRun][3]float32
	quats   [MaxShortRun][4]float32
	codes   [MaxShortRun]uint64
}

// tailBytes is the size of a buffer for the rest of a stream, from the start of a record of
// which a word may extend beyond the end of the stream, and for one more word.
const tailBytes = 8 + (MaxShorts+1)*8 + 8

// Length returns the number of records that come next, each preceded by the head.
func (s *ShortRun) Length(r *bits.Reader) int {
	at := s.ahead(r)
	if s.HeadBits == 0 {
		return at.most
	}
	if n := s.heads(at.first, at.whole); n < at.whole || at.whole == at.most {
		return n
	}
	return at.whole + s.heads(s.behind(&at), at.most-at.whole)
}

// heads returns how many of n records are preceded by the head.
func (s *ShortRun) heads(at column, n int) int {
	mask := uint64(1)<<s.HeadBits - 1
	for i := range n {
		if at.load(at.bit)&mask != s.Head {
			return i
		}
		at.bit += at.stride
	}
	return n
}

// Read reads n of the records that Length counted. It returns the number of valid
// ones before the first invalid one; the error, which r keeps as well, is about that one.
func (s *ShortRun) Read(r *bits.Reader, n int) (right int, err error) {
	at := s.ahead(r)
	n = min(n, at.most)
	whole := min(n, at.whole)
	if right = s.readRecords(at.first, 0, whole); right == whole && n > whole {
		right = s.readRecords(s.behind(&at), whole, n)
	}
	r.Skip(uint(n) * at.first.stride)
	if right < n {
		r.Fail(ErrRange)
	}
	return right, r.Err()
}

// readRecords reads a range of records, and returns the first invalid one.
func (s *ShortRun) readRecords(at column, from, to int) (right int) {
	at.bit += s.HeadBits
	right = to
	for i, p := range s.Plans {
		right = min(right, from+p.readRun(&s.room[i&(MaxShorts-1)], at, from, to))
		at.bit += p.bits
	}
	return right
}

// records is what a run's records are of a stream.
type records struct {
	first column // of the first one
	whole int    // of so many each word lies there whole
	most  int    // so many there can be
	data  []byte
}

// ahead returns the records that a stream may hold.
func (s *ShortRun) ahead(r *bits.Reader) records {
	stride := s.HeadBits
	for _, p := range s.Plans {
		stride += p.bits
	}
	data, bit := r.Window()
	left := len(data)*8 - int(bit)
	return records{
		first: column{data: unsafe.Pointer(unsafe.SliceData(data)), bit: bit, stride: stride},
		whole: min(MaxShortRun, max(left-64, 0)/int(stride)),
		most:  min(MaxShortRun, max(left, 0)/int(stride)),
		data:  data,
	}
}

// behind returns the records at the end of the stream, where a word would extend beyond it. They
// are copied into a buffer that is long enough.
func (s *ShortRun) behind(at *records) column {
	bit := at.first.bit + uint(at.whole)*at.first.stride
	n := copy(s.tail[:tailBytes-8], at.data[bit>>3:])
	clear(s.tail[n:])
	return column{data: unsafe.Pointer(&s.tail), bit: bit & 7, stride: at.first.stride}
}

// column is one field of consecutive records. The caller has checked that all words lie within
// the data.
type column struct {
	data        unsafe.Pointer
	bit, stride uint
}

// load returns at least bits.PeekBits bits from the given one on.
func (c *column) load(bit uint) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(c.data, bit>>3))[:]) >> (bit & 7)
}

// readRun reads a range of values and returns the number of valid ones before the first
// invalid one. Nearly always all are valid, and the loop checks that without a branch.
func (s *Short) readRun(room *shortRoom, c column, from, to int) int {
	var wrong uint64 // its sign
	switch s.kind {
	case shortVector3:
		wrong = s.readVectors(room.vectors[from:to], c)
	case shortQuat:
		wrong = s.readQuats(room.quats[from:to], c)
	default:
		wrong = s.readCodes(room.codes[from:to], c)
	}
	if wrong == 0 {
		return to - from
	}
	for i := range to - from {
		if !s.right(c.load(c.bit) & s.mask) {
			return i
		}
		c.bit += c.stride
	}
	return to - from
}

// Put writes the values that Read read for a plan. base is the address of a value in a
// column, and rows is the offset of each record's value from there, in values. A whole
// value must lie at each place.
func (s *ShortRun) Put(plan int, base *byte, rows []int32) {
	for record, row := range rows {
		s.PutOne(plan, record, (*byte)(unsafe.Add(unsafe.Pointer(base), int(row)*s.Plans[plan].size)))
	}
}

// PutRow is Put for records with values that are contiguous.
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

// PutOne writes one record's value for a plan. A whole value must lie there.
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
		p.writeCode(value, room.codes[record])
	}
}
