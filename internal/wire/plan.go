package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Span is a stretch of a value's memory, in bytes.
type Span struct{ Offset, Size uintptr }

// Plan is how the values of one type go over the wire, worked out once by
// reflection. It holds no state of its own: any number of goroutines may use one
// at a time.
//
// The methods that take []byte are for types without Go pointers, as components
// and inputs are. A value is its memory: exactly Size bytes, in the machine's
// own order, aligned as the type is (as a variable, a column and make([]byte, n)
// are). Types with text and slices go through EncodeValue and DecodeValue.
type Plan struct {
	typ      reflect.Type
	size     int
	memory   int // what a value given as []byte must measure; -1 if it cannot be given so
	ops      []op
	fields   []op    // as declared, for differences
	differ   *Differ // the type's own difference, or nil
	usual    bool    // differences begin with a bit that says that all is as usual
	describe string
	events   []Span
	skipped  []Span
	refs     []string
	maxBits  int
	exact    bool
	rounds   bool       // some values change when they are sent
	lists    bool       // has text, bytes or slices
	parts    *quatParts // of a value that is one rotation of the usual width
}

// Size returns the bytes of one value in memory.
func (p *Plan) Size() int { return p.size }

// Type returns the type that the plan was made for.
func (p *Plan) Type() reflect.Type { return p.typ }

// MaxBits returns the most bits that one value takes. It is a bound to reserve
// memory by; values with entities or text usually take fewer. For a codec it is
// what its MaxBits method says, or 0 if it has none.
func (p *Plan) MaxBits() int { return p.maxBits }

// Description says how the type is sent: names of fields, kinds, ranges, steps. It is part of
// the protocol hash.
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

// HasRefs reports whether values hold entities, so that Encode and Decode need
// a table.
func (p *Plan) HasRefs() bool { return len(p.refs) > 0 }

// FirstRef returns the path of the first field that holds an entity, or "".
func (p *Plan) FirstRef() string {
	if len(p.refs) == 0 {
		return ""
	}
	return p.refs[0]
}

// Exact reports whether two values are equal on the wire exactly if their memory
// is, so that comparing bytes needs no second look. It is false where there are
// quantised or ranged numbers, padding, fields that are not sent, or a codec.
func (p *Plan) Exact() bool { return p.exact }

// Rounds reports whether Round can change a value.
func (p *Plan) Rounds() bool { return p.rounds }

// Events returns the fields tagged as events, which are not repeated when an
// input is.
func (p *Plan) Events() []Span { return p.events }

// ClearEvents sets the fields tagged as events to zero.
func (p *Plan) ClearEvents(value []byte) {
	for _, s := range p.events {
		clear(value[s.Offset : s.Offset+s.Size])
	}
}

// MergeEvents copies the fields tagged as events from src to dst, those that are not
// zero: what happened in either of two ticks that become one.
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

// addressOf checks the length and returns where the value lies.
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

// Encode writes a value and returns how many of its numbers lay outside their
// range and were clamped. refs may be nil if HasRefs is false.
func (p *Plan) Encode(w *bits.Writer, value []byte, refs RefWriter) (clamped int) {
	return p.encode(w, unsafe.Pointer(unsafe.SliceData(value)), len(value), refs)
}

// encode is Encode's body, apart so that Encode itself is inlined. The loop is
// that of encodeOps, one call less on the way of every value.
func (p *Plan) encode(w *bits.Writer, at unsafe.Pointer, size int, refs RefWriter) (clamped int) {
	if size != p.memory {
		p.misuse(size)
	}
	if len(p.ops) == 2 { // a position and a rotation, say: a tenth of the cost was the loop
		a, b := &p.ops[0], &p.ops[1]
		return a.encode(a, w, unsafe.Add(at, a.offset), refs) + b.encode(b, w, unsafe.Add(at, b.offset), refs)
	}
	for i := range p.ops {
		o := &p.ops[i]
		clamped += o.encode(o, w, unsafe.Add(at, o.offset), refs)
	}
	return clamped
}

// Decode reads a value. It sets all that is sent, sets fields that are not sent
// to zero, and leaves padding alone. After an error the value is half written:
// decode peers' bytes into other memory, or keep a copy. Bytes that
// Encode cannot have written are an error.
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

// Round replaces a value by what the other side decodes, and returns how many of
// its numbers were clamped. Fields that are not sent stay as they are.
// Rounding twice is rounding once.
func (p *Plan) Round(value []byte) (clamped int) {
	at := p.addressOf(value)
	if !p.rounds {
		return 0
	}
	return roundOps(p.ops, at)
}

// Width is the size of a value on the wire, in words.
func (p *Plan) Width() string {
	switch {
	case p == nil:
		return "unfit"
	case p.codec() != nil:
		return "by codec"
	case p.lists:
		return fmt.Sprintf("up to %d bits", p.maxBits)
	default:
		return fmt.Sprintf("%d bits", p.maxBits)
	}
}
