package wire

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Codec is how a game encodes the values of one type itself. Its functions take values by
// their addresses.
type Codec struct {
	Try     func(w *bits.Writer, v unsafe.Pointer) error // nil: encode
	Encode  func(w *bits.Writer, v unsafe.Pointer, refs RefWriter)
	Decode  func(r *bits.Reader, v unsafe.Pointer, refs RefReader) error
	Clear   func(v unsafe.Pointer)
	Fresh   func() unsafe.Pointer          // new memory for a value
	Same    func(a, b unsafe.Pointer) bool // nil: by encoding
	MaxBits int
	Refs    bool // maps entities
	Version string
	buffers sync.Pool // of *codecBuffers
}

// readValue decodes into a zero value. A codec's error becomes the reader's, so that
// what follows reads nothing.
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

// codecBuffers is the memory for comparing, rounding and skipping through a codec.
type codecBuffers struct {
	a, b       bits.Writer
	bufA, bufB []byte
	r          bits.Reader
	refsA      entityTable
	refsB      entityTable
	value      unsafe.Pointer // nil: none yet
}

// entityTable numbers entities in the order they come.
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

// equal compares what both values encode to: the bytes, and the entities that
// the places in them stand for.
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

// round decodes what the value encodes to.
func (k *Codec) round(v unsafe.Pointer) {
	s := k.borrow()
	defer k.buffers.Put(s)
	k.Encode(&s.a, v, &s.refsA)
	s.bufA = s.a.Finish()
	s.r.Reset(s.bufA)
	k.readValue(&s.r, v, &s.refsA)
}
