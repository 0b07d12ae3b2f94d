package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Span is a range of bytes in the memory of a value.
type Span struct{ Offset, Size uintptr }

// Plan describes how the values of one type are encoded. It is computed once, by reflection, and
// not changed by its use: any number of goroutines may use one at a time.
//
// The methods that take []byte are for types without Go pointers, such as components and inputs. A
// value is passed as its memory: exactly Size bytes, in the byte order of the machine, with the
// alignment of the type (variables, columns and make([]byte, n) have it). Values with text or
// slices are passed to EncodeValue and DecodeValue.
type Plan struct {
	typ      reflect.Type
	size     int
	memory   int // length that a value must have as []byte; -1 if it cannot be passed that way
	ops      []op
	fields   []op    // one for each declared field, for differences
	differ   *Differ // the type's own difference, or nil
	usual    bool    // differences begin with the bit for a usual value
	describe string
	events   []Span
	skipped  []Span
	refs     []string
	maxBits  int
	exact    bool       // see Exact
	rounds   bool       // Round can change a value
	lists    bool       // has text, bytes or slices
	parts    *quatParts // lookup table, if the value is one rotation of the default width
}

// Size returns the bytes of one value in memory.
func (p *Plan) Size() int { return p.size }

// Type returns the type that the plan was made for.
func (p *Plan) Type() reflect.Type { return p.typ }

// MaxBits returns the most bits that one value can take. It is for reserving memory; values with
// entities or text usually take fewer. For a codec it is the result of its MaxBits method, or 0
// without one.
func (p *Plan) MaxBits() int { return p.maxBits }

// Description describes how the type is sent: the names of its fields, their kinds, ranges and
// steps. It is part of the protocol hash.
func (p *Plan) Description() string {
	if p == nil {
		return "unfit"
	}
	return p.describe
}

// codec is the codec of the type, or nil.
func (p *Plan) codec() *Codec {
	if len(p.ops) == 0 {
		return nil
	}
	return p.ops[0].codec
}

// HasRefs reports whether values contain entities, so that Encode and Decode need a table of
// references.
func (p *Plan) HasRefs() bool { return len(p.refs) > 0 }

// FirstRef returns the path of the first field that holds an entity, or "".
func (p *Plan) FirstRef() string {
	if len(p.refs) == 0 {
		return ""
	}
	return p.refs[0]
}

// Exact reports whether two values have equal encodings if and only if their memory is equal. It is
// false for types with quantised or ranged numbers, padding, fields that are not sent, or a codec.
func (p *Plan) Exact() bool { return p.exact }

// Rounds reports whether Round can change a value.
func (p *Plan) Rounds() bool { return p.rounds }

// Events returns the fields with the tag event. They are set to zero when an input is repeated.
func (p *Plan) Events() []Span { return p.events }

// ClearEvents sets the fields tagged as events to zero.
func (p *Plan) ClearEvents(value []byte) {
	for _, s := range p.events {
		clear(value[s.Offset : s.Offset+s.Size])
	}
}

// MergeEvents copies the fields with the tag event from src to dst, except those that are zero. So
// if the inputs of two ticks become one, no event of either is lost.
func (p *Plan) MergeEvents(dst, src []byte) {
	p.addressOf(dst)
	p.addressOf(src)
	for _, s := range p.events {
		if from := src[s.Offset : s.Offset+s.Size]; !isZero(from) {
			copy(dst[s.Offset:], from)
		}
	}
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// addressOf checks the length of a value and returns its address.
func (p *Plan) addressOf(value []byte) unsafe.Pointer {
	if len(value) != p.memory {
		p.misuse(len(value))
	}
	return unsafe.Pointer(unsafe.SliceData(value))
}

func (p *Plan) misuse(n int) {
	if p.memory < 0 {
		panic("protocol: the plan of " + p.typ.String() + " is for messages: use EncodeValue and DecodeValue, not its memory")
	}
	panic(fmt.Sprintf("protocol: a value of %s is %d bytes, got %d: pass exactly the memory of one value", p.typ, p.size, n))
}

// Encode writes a value. It returns how many of its numbers were outside of their range and were
// clamped. refs may be nil if HasRefs is false.
func (p *Plan) Encode(w *bits.Writer, value []byte, refs RefWriter) (clamped int) {
	return p.encode(w, unsafe.Pointer(unsafe.SliceData(value)), len(value), refs)
}

// encode is the body of Encode, which is a separate function so that Encode itself is inlined. The
// loop is that of encodeOps, repeated here to save a call for each value.
func (p *Plan) encode(w *bits.Writer, at unsafe.Pointer, size int, refs RefWriter) (clamped int) {
	if size != p.memory {
		p.misuse(size)
	}
	if len(p.ops) == 2 { // typically a position and a rotation, for which the loop would take a tenth of the time
		a, b := &p.ops[0], &p.ops[1]
		return a.encode(a, w, unsafe.Add(at, a.offset), refs) + b.encode(b, w, unsafe.Add(at, b.offset), refs)
	}
	for i := range p.ops {
		o := &p.ops[i]
		clamped += o.encode(o, w, unsafe.Add(at, o.offset), refs)
	}
	return clamped
}

// Decode reads a value. It sets all fields that are sent, sets those that are not sent to zero, and
// does not change padding. After an error the value is only partly written, so decode a peer's
// bytes into other memory, or keep a copy. It returns an error for bits that Encode cannot have
// written.
func (p *Plan) Decode(r *bits.Reader, value []byte, refs RefReader) error {
	at := p.addressOf(value)
	for _, s := range p.skipped {
		clear(value[s.Offset : s.Offset+s.Size])
	}
	if len(p.ops) == 1 {
		o := &p.ops[0]
		o.decode(o, r, unsafe.Add(at, o.offset), refs, nil)
	} else {
		decodeOps(p.ops, r, at, refs, nil)
	}
	return r.Err()
}

// Equal reports whether the wire encodings of two values are equal, without
// encoding them. Entities count as equal if they are the same entity.
func (p *Plan) Equal(a, b []byte) bool {
	x, y := p.addressOf(a), p.addressOf(b)
	return bytes.Equal(a, b) || !p.exact && equalOps(p.ops, x, y)
}

// Round replaces a value by what the other side decodes from it. It returns how many of its numbers
// were clamped. Fields that are not sent stay unchanged. Rounding a second time changes nothing.
func (p *Plan) Round(value []byte) (clamped int) {
	at := p.addressOf(value)
	if !p.rounds {
		return 0
	}
	return roundOps(p.ops, at)
}

// Width describes the size of a value on the wire.
func (p *Plan) Width() string {
	switch {
	case p == nil:
		return "unfit"
	case p.codec() != nil:
		return "by codec"
	case p.lists || p.maxBits != minBits(p.ops):
		return fmt.Sprintf("up to %d bits", p.maxBits)
	default:
		return fmt.Sprintf("%d bits", p.maxBits)
	}
}
