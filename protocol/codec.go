package protocol

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Codec replaces the built-in plan of a type. Decode gets a zero value, must
// return an error for bytes that Encode cannot have written, and may be called
// by several goroutines at a time, as may Encode.
type Codec[T any] interface {
	Encode(w *bits.Writer, v *T)
	Decode(r *bits.Reader, v *T) error

	// Version is part of the protocol hash: change it with the format.
	Version() string
}

// RefCodec is a Codec for a type with ecs.Entity fields. The tables map the
// entities of one side to those of the other; raw entity ids mean nothing there.
//
// EncodeRefs should call Index for the zero entity too, which is 0: an entity that
// arrives later than a component that names it is set by counting those calls. For
// a codec that leaves some out, it stays the zero entity until the component is sent
// again.
type RefCodec[T any] interface {
	Codec[T]
	EncodeRefs(w *bits.Writer, v *T, refs RefWriter)
	DecodeRefs(r *bits.Reader, v *T, refs RefReader) error
}

// EqualCodec is a Codec that compares values faster than by encoding both.
type EqualCodec[T any] interface {
	Codec[T]
	Equal(a, b *T) bool // true exactly if the encodings are equal
}

// SizedCodec is a Codec that knows the most bits one value takes.
type SizedCodec[T any] interface {
	Codec[T]
	MaxBits() int
}

// FallibleCodec is a Codec that cannot encode every value, such as one that is
// too long. EncodeValue calls TryEncode in place of Encode; what w holds after an
// error is thrown away.
type FallibleCodec[T any] interface {
	Codec[T]
	TryEncode(w *bits.Writer, v *T) error
}

// CheckedCodec is a Codec that does not fit every T. What Check returns is
// reported as a mistake of set-up.
type CheckedCodec[T any] interface {
	Codec[T]
	Check() error
}

// codec is a Codec without its type.
type codec struct {
	try     func(w *bits.Writer, v unsafe.Pointer) error // nil: encode
	encode  func(w *bits.Writer, v unsafe.Pointer, refs RefWriter)
	decode  func(r *bits.Reader, v unsafe.Pointer, refs RefReader) error
	clear   func(v unsafe.Pointer)
	fresh   func() unsafe.Pointer          // new memory for a value
	same    func(a, b unsafe.Pointer) bool // nil: by encoding
	maxBits int
	refs    bool // maps entities
	version string
	spare   sync.Pool // of *codecSpare
}

func wrapCodec[T any](c Codec[T]) *codec {
	k := &codec{
		version: c.Version(),
		encode:  func(w *bits.Writer, v unsafe.Pointer, _ RefWriter) { c.Encode(w, (*T)(v)) },
		decode:  func(r *bits.Reader, v unsafe.Pointer, _ RefReader) error { return c.Decode(r, (*T)(v)) },
		clear:   func(v unsafe.Pointer) { *(*T)(v) = *new(T) },
		fresh:   func() unsafe.Pointer { return unsafe.Pointer(new(T)) },
	}
	if refs, ok := c.(RefCodec[T]); ok {
		k.refs = true
		k.encode = func(w *bits.Writer, v unsafe.Pointer, table RefWriter) { refs.EncodeRefs(w, (*T)(v), table) }
		k.decode = func(r *bits.Reader, v unsafe.Pointer, table RefReader) error {
			return refs.DecodeRefs(r, (*T)(v), table)
		}
	}
	if eq, ok := c.(EqualCodec[T]); ok {
		k.same = func(a, b unsafe.Pointer) bool { return eq.Equal((*T)(a), (*T)(b)) }
	}
	if fallible, ok := c.(FallibleCodec[T]); ok {
		k.try = func(w *bits.Writer, v unsafe.Pointer) error { return fallible.TryEncode(w, (*T)(v)) }
	}
	if sized, ok := c.(SizedCodec[T]); ok {
		k.maxBits = sized.MaxBits()
	}
	return k
}

// setCodec wraps the codec given as an option, unless it is missing or does not
// fit T.
func setCodec[T any](r *rule, option string, c Codec[T], to **codec) {
	if !r.option(option) || !r.present(option, c != nil) {
		return
	}
	if checked, ok := c.(CheckedCodec[T]); ok {
		if err := checked.Check(); err != nil {
			r.fail(ErrType, "%v", err)
			return
		}
	}
	*to = wrapCodec(c)
}

// read decodes into a zero value. A codec's error becomes the reader's, so that
// what follows reads nothing.
func (k *codec) read(r *bits.Reader, v unsafe.Pointer, refs RefReader) {
	k.clear(v)
	if err := k.decode(r, v, refs); err != nil {
		r.Fail(err)
	}
}

func encodeByCodec(o *op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	o.codec.encode(w, p, refs)
	return 0
}

func decodeByCodec(o *op, r *bits.Reader, p unsafe.Pointer, refs RefReader, _ *int) {
	o.codec.read(r, p, refs)
}

func equalByCodec(o *op, a, b unsafe.Pointer) bool { return o.codec.equal(a, b) }

func roundByCodec(o *op, p unsafe.Pointer) (clamped int) {
	o.codec.round(p)
	return 0
}

// codecSpare is the memory for comparing, rounding and skipping through a codec.
type codecSpare struct {
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

func (k *codec) borrow() *codecSpare {
	s, ok := k.spare.Get().(*codecSpare)
	if !ok {
		s = &codecSpare{}
	}
	s.a.Reset(s.bufA[:0])
	s.b.Reset(s.bufB[:0])
	s.refsA.entities, s.refsB.entities = s.refsA.entities[:0], s.refsB.entities[:0]
	return s
}

// equal compares what both values encode to: the bytes, and the entities that
// the places in them stand for.
func (k *codec) equal(a, b unsafe.Pointer) bool {
	if k.same != nil {
		return k.same(a, b)
	}
	s := k.borrow()
	defer k.spare.Put(s)
	k.encode(&s.a, a, &s.refsA)
	k.encode(&s.b, b, &s.refsB)
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
func (k *codec) round(v unsafe.Pointer) {
	s := k.borrow()
	defer k.spare.Put(s)
	k.encode(&s.a, v, &s.refsA)
	s.bufA = s.a.Finish()
	s.r.Reset(s.bufA)
	k.read(&s.r, v, &s.refsA)
}
