package wire

import (
	"encoding/binary"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ShortRun reads many records of one layout, each with one value for each plan, and writes the
// values column by column. If all values of a plan have the same width, it performs each step for all
// values of a type in sequence, so that the processor need not wait for the result of one value
// before the next. Otherwise it decodes one record after the other.
type ShortRun struct {
	// Plans are the plans of the values in a record. There must be 1 to MaxShorts.
	Plans []*Short

	stride uint // bits of a record
	inTurn bool // records have different widths
	values [MaxShorts]shortValues
	tail   []byte // the end of the stream, followed by zeros
}

// MaxShortRun is the largest number of records that one call reads.
const MaxShortRun = 128

// shortValues holds the values that were read for one plan.
type shortValues struct {
	vectors [MaxShortRun][3]float32
	quats   [MaxShortRun][4]float32
	codes   [MaxShortRun]uint64 // if there is no special loop for the plan
	memory  []byte              // if the plan's values are not codes, or some plan's have different widths
}

// reserve makes room for n values of a plan in memory, with zeros in their padding.
func (v *shortValues) reserve(p *Short, n int) {
	if len(v.memory) < n*p.size {
		v.memory = make([]byte, MaxShortRun*p.size)
	}
	if !p.plan.exact {
		clear(v.memory[:n*p.size])
	}
}

// Length returns the number of records that r may hold, at most MaxShortRun. It is called before
// each Read.
func (s *ShortRun) Length(r *bits.Reader) int {
	s.stride, s.inTurn = 0, false
	least := uint(0)
	for _, p := range s.Plans {
		s.stride += p.bits
		s.inTurn = s.inTurn || p.bits == 0
		least += p.least
	}
	if s.inTurn {
		return min(MaxShortRun, r.RemainingBits()/int(least))
	}
	return s.ahead(r).most
}

// Read reads n of the records that Length counted. It returns the number of valid records before
// the first invalid one. If there is an invalid one, it returns an error, which r keeps too.
func (s *ShortRun) Read(r *bits.Reader, n int) (right int, err error) {
	if s.inTurn {
		return s.readInTurn(r, min(n, MaxShortRun))
	}
	at := s.ahead(r)
	n = min(n, at.most)
	whole := min(n, at.whole)
	if right = s.readRecords(at.first, 0, whole); right == whole && n > whole {
		right = s.readRecords(s.behind(&at), whole, n)
	}
	r.Skip(uint(n) * s.stride)
	if right < n {
		r.Fail(ErrRange)
	}
	return right, r.Err()
}

// readInTurn is Read for records of different widths.
func (s *ShortRun) readInTurn(r *bits.Reader, n int) (right int, err error) {
	for i, p := range s.Plans {
		s.values[i&(MaxShorts-1)].reserve(p, n)
	}
	if p := s.Plans[0]; len(s.Plans) == 1 && p.kind == shortWhole {
		return p.readWholes(s.values[0].memory, r, n)
	}
	for record := range n {
		for i, p := range s.Plans {
			_ = p.plan.Decode(r, s.values[i&(MaxShorts-1)].memory[record*p.size:][:p.size], nil) // r keeps the first error
		}
		if r.Err() != nil {
			return record, r.Err()
		}
	}
	return n, nil
}

// readWholes reads n integers that are not ranged.
func (s *Short) readWholes(to []byte, r *bits.Reader, n int) (right int, err error) {
	o, at := s.op, unsafe.Pointer(unsafe.SliceData(to))
	for i := range n {
		storeInt(at, o.size, o.wholeOf(readWhole(r, o.bits)))
		if r.Err() != nil {
			return i, r.Err()
		}
		at = unsafe.Add(at, o.size)
	}
	return n, nil
}

// readRecords reads the records with the numbers from from to before to. It returns the number of
// the first invalid one, or to.
func (s *ShortRun) readRecords(at column, from, to int) (right int) {
	right = to
	for i, p := range s.Plans {
		right = min(right, from+p.readRun(&s.values[i&(MaxShorts-1)], at, from, to))
		at.bit += p.bits
	}
	return right
}

// records locates the records of a run in a stream.
type records struct {
	first column // the first record
	whole int    // number of records whose words are within the stream
	most  int    // number of records that fit into the stream
	data  []byte
}

// ahead locates the records that come next in a stream.
func (s *ShortRun) ahead(r *bits.Reader) records {
	stride := s.stride
	data, bit := r.Window()
	left := len(data)*8 - int(bit)
	return records{
		first: column{data: unsafe.Pointer(unsafe.SliceData(data)), bit: bit, stride: stride},
		whole: min(MaxShortRun, max(left-64, 0)/int(stride)),
		most:  min(MaxShortRun, max(left, 0)/int(stride)),
		data:  data,
	}
}

// behind locates the records at the end of the stream, whose words would extend beyond it. It
// copies them into the tail buffer, in front of more zeros than a word has.
func (s *ShortRun) behind(at *records) column {
	bit := at.first.bit + uint(at.whole)*at.first.stride
	s.tail = append(append(s.tail[:0], at.data[bit>>3:]...), make([]byte, 16)...)
	return column{data: unsafe.Pointer(unsafe.SliceData(s.tail)), bit: bit & 7, stride: at.first.stride}
}

// column is one field of consecutive records. The caller has checked that all words are within the
// data.
type column struct {
	data        unsafe.Pointer
	bit, stride uint
}

// load returns at least bits.PeekBits bits, beginning with the given one.
func (c *column) load(bit uint) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(c.data, bit>>3))[:]) >> (bit & 7)
}

// copy copies bytes that begin at the column's first bit.
func (c *column) copy(to []byte) {
	from, shift := unsafe.Add(c.data, c.bit>>3), c.bit&7
	if shift == 0 {
		copy(to, memory(from, uintptr(len(to))))
		return
	}
	for ; len(to) >= 8; to = to[8:] {
		high := uint64(*(*byte)(unsafe.Add(from, 8)))
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64((*[8]byte)(from)[:])>>shift|high<<(64-shift))
		from = unsafe.Add(from, 8)
	}
	if len(to) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], binary.LittleEndian.Uint64((*[8]byte)(from)[:])>>shift)
		copy(to, last[:])
	}
}

// readRun reads a range of values and returns the number of valid ones before the first invalid
// one. Nearly always all are valid, so the loop checks that without a branch for each value.
func (s *Short) readRun(values *shortValues, c column, from, to int) int {
	var wrong uint64 // not 0 if a value is invalid
	switch s.kind {
	case shortVector3:
		wrong = s.readVectors(values.vectors[from:to], c)
	case shortQuat:
		wrong = s.readQuats(values.quats[from:to], c)
	case shortBytes:
		values.reserve(s, to)
		s.readBytes(values.memory[from*s.size:to*s.size], c)
	default:
		wrong = s.readCodes(values.codes[from:to], c)
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

// Put writes the values that Read read for one plan. base is the address of a value in a column,
// and rows has for each record the distance from there in values. There must be memory for a whole
// value at each of these places.
func (s *ShortRun) Put(plan int, base *byte, rows []int32) {
	for record, row := range rows {
		s.PutOne(plan, record, (*byte)(unsafe.Add(unsafe.Pointer(base), int(row)*s.Plans[plan].size)))
	}
}

// PutRow is Put for n records whose values are contiguous.
func (s *ShortRun) PutRow(plan int, base *byte, n int) {
	p, values := s.Plans[plan], &s.values[plan&(MaxShorts-1)]
	at := unsafe.Add(unsafe.Pointer(base), p.at)
	switch {
	case s.inMemory(p):
		copy(unsafe.Slice(base, n*p.size), values.memory)
	case p.kind == shortVector3 && p.size == 12:
		copy(unsafe.Slice((*[3]float32)(at), n), values.vectors[:])
	case p.kind == shortQuat && p.size == 16:
		copy(unsafe.Slice((*[4]float32)(at), n), values.quats[:])
	default:
		for record := range n {
			s.PutOne(plan, record, (*byte)(unsafe.Add(unsafe.Pointer(base), record*p.size)))
		}
	}
}

// inMemory reports whether the values of a plan were decoded to shortValues.memory.
func (s *ShortRun) inMemory(p *Short) bool { return s.inTurn || p.kind == shortBytes }

// PutOne writes the value of one record for a plan. There must be memory for a whole value at
// value.
func (s *ShortRun) PutOne(plan, record int, value *byte) {
	p, values := s.Plans[plan], &s.values[plan&(MaxShorts-1)]
	record &= MaxShortRun - 1
	at := unsafe.Add(unsafe.Pointer(value), p.at)
	switch {
	case s.inMemory(p):
		copy(unsafe.Slice(value, p.size), values.memory[record*p.size:])
	case p.kind == shortVector3:
		*(*[3]float32)(at) = values.vectors[record]
	case p.kind == shortQuat:
		*(*[4]float32)(at) = values.quats[record]
	default:
		p.writeCode(value, values.codes[record])
	}
}
