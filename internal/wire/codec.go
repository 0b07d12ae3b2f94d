package wire

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Codec encodes and decodes the values of one type by functions of the game. The functions take
// values by their addresses.
type Codec struct {
	Try     func(w *bits.Writer, v unsafe.Pointer) error // what EncodeValue calls in place of Encode, unless it is nil
	Encode  func(w *bits.Writer, v unsafe.Pointer, refs RefWriter)
	Decode  func(r *bits.Reader, v unsafe.Pointer, refs RefReader) error
	Clear   func(v unsafe.Pointer)
	Fresh   func() unsafe.Pointer          // allocates a value
	Same    func(a, b unsafe.Pointer) bool // compares two values; if nil, their encodings are compared
	MaxBits int
	Refs    bool // the type has entities, which the codec encodes by the tables
	Version string
	buffers sync.Pool // of *codecBuffers
}

// readValue decodes into the value at v, which it clears first. If the codec returns an error, r
// keeps it, so that later reads return nothing.
func (k *Codec) readValue(r *bits.Reader, v unsafe.Pointer, refs RefReader) {
	k.Clear(v)
	if err := k.Decode(r, v, refs); err != nil {
		r.Fail(err)
	}
}

func encodeByCodec(o *op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	o.codec.Encode(w, p, refs)
	return 0
}

func decodeByCodec(o *op, r *bits.Reader, p unsafe.Pointer, refs RefReader, _ *int) {
	o.codec.readValue(r, p, refs)
}

func equalByCodec(o *op, a, b unsafe.Pointer) bool { return o.codec.equal(a, b) }

func roundByCodec(o *op, p unsafe.Pointer) (clamped int) {
	o.codec.round(p)
	return 0
}

// codecBuffers is the memory that a codec needs for comparing, rounding and skipping values.
type codecBuffers struct {
	a, b       bits.Writer
	bufA, bufB []byte
	r          bits.Reader
	refsA      entityTable
	refsB      entityTable
	value      unsafe.Pointer // a value to skip into; nil until it is needed
}

// entityTable numbers entities in the order in which they are encoded.
type entityTable struct{ entities []ecs.Entity }

// Index implements RefWriter.
func (t *entityTable) Index(e ecs.Entity) uint32 {
	if e.IsZero() {
		return 0
	}
	t.entities = append(t.entities, e)
	return uint32(len(t.entities))
}

// At implements RefReader.
func (t *entityTable) At(index uint32) (ecs.Entity, bool) {
	if index == 0 {
		return ecs.Entity{}, true
	}
	if int64(index) > int64(len(t.entities)) {
		return ecs.Entity{}, false
	}
	return t.entities[index-1], true
}

func (k *Codec) borrow() *codecBuffers {
	s, ok := k.buffers.Get().(*codecBuffers)
	if !ok {
		s = &codecBuffers{}
	}
	s.a.Reset(s.bufA[:0])
	s.b.Reset(s.bufB[:0])
	s.refsA.entities, s.refsB.entities = s.refsA.entities[:0], s.refsB.entities[:0]
	return s
}

// equal compares the encodings of both values: their bytes, and the entities that the indexes in
// them stand for.
func (k *Codec) equal(a, b unsafe.Pointer) bool {
	if k.Same != nil {
		return k.Same(a, b)
	}
	s := k.borrow()
	defer k.buffers.Put(s)
	k.Encode(&s.a, a, &s.refsA)
	k.Encode(&s.b, b, &s.refsB)
	n := s.a.LenBits()
	same := n == s.b.LenBits()
	s.bufA, s.bufB = s.a.Finish(), s.b.Finish()
	if !same || !bytes.Equal(s.bufA, s.bufB) || len(s.refsA.entities) != len(s.refsB.entities) {
		return false
	}
	for i, e := range s.refsA.entities {
		if e != s.refsB.entities[i] {
			return false
		}
	}
	return true
}

// round replaces a value by the one that its encoding decodes to.
func (k *Codec) round(v unsafe.Pointer) {
	s := k.borrow()
	defer k.buffers.Put(s)
	k.Encode(&s.a, v, &s.refsA)
	s.bufA = s.a.Finish()
	s.r.Reset(s.bufA)
	k.readValue(&s.r, v, &s.refsA)
}
