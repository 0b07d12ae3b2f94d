package wire

import (
	"errors"
	"reflect"
	"sync"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// MaxDifferBits is the largest size of a difference of a Differ, in bits.
const MaxDifferBits = 1 << 14

// ErrDiffer means that a difference of a Differ is longer than MaxDifferBits, or that Apply
// does not read all of it.
var ErrDiffer = errors.New("protocol: a difference that its Differ did not write")

// A difference of a Differ begins with a Uvarint. 0 means that the whole value follows. Otherwise
// it is one more than the number of bits that follow, so that a reader can skip them without the
// Differ.

// Differ makes and applies differences by functions of the game. The functions take values by their
// addresses.
type Differ struct {
	name    string
	diff    func(w *bits.Writer, base, value unsafe.Pointer)
	apply   func(r *bits.Reader, base, value unsafe.Pointer) error
	buffers sync.Pool // of *differBuffers
}

// NewDiffer returns the differ of a type. diff writes the difference between base and value; apply
// reads it and sets value. name is part of the protocol hash.
func NewDiffer(
	name string, t reflect.Type,
	diff func(w *bits.Writer, base, value unsafe.Pointer), apply func(r *bits.Reader, base, value unsafe.Pointer) error,
) *Differ {
	memory := func() []byte { return unsafe.Slice((*byte)(reflect.New(t).UnsafePointer()), t.Size()) }
	return &Differ{name: name, diff: diff, apply: apply, buffers: sync.Pool{New: func() any {
		return &differBuffers{base: memory(), value: memory(), got: memory()}
	}}}
}

// differBuffers is the memory for one difference. The values in it are aligned like variables of
// the type.
type differBuffers struct {
	w           bits.Writer
	r           bits.Reader
	buf         []byte
	base, value []byte
	got         []byte
}

// UseDiffer replaces the built-in difference of the type by d. It must be called before the plan is
// used. If d is nil, it has no effect.
func (p *Plan) UseDiffer(d *Differ) { p.differ = d }

// DifferName returns the name of the differ, which is part of the protocol hash, or "" without one.
func (p *Plan) DifferName() string {
	if p == nil || p.differ == nil {
		return ""
	}
	return p.differ.name
}

// arrive replaces a value by the one that the other side decodes.
func (p *Plan) arrive(value []byte) (clamped int) {
	for _, s := range p.skipped {
		clear(value[s.Offset : s.Offset+s.Size])
	}
	return p.Round(value)
}

// held copies value to dst, as the other side has it after decoding.
func (p *Plan) held(dst, value []byte) (clamped int) {
	p.addressOf(value)
	copy(dst, value)
	return p.arrive(dst)
}

func (p *Plan) encodeDiffer(w *bits.Writer, base, value []byte) (clamped int) {
	s := p.differ.buffers.Get().(*differBuffers)
	defer p.differ.buffers.Put(s)
	p.held(s.base, base)
	clamped = p.held(s.value, value)
	s.w.Reset(s.buf[:0])
	p.differ.diff(&s.w, p.addressOf(s.base), p.addressOf(s.value))
	n := s.w.LenBits()
	s.buf = s.w.Finish()
	if !p.gives(s, n) {
		w.Uvarint(0)
		p.Encode(w, s.value, nil)
		return clamped
	}
	w.Uvarint(uint64(n) + 1)
	w.Copy(s.buf, n)
	return clamped
}

// gives reports whether the other side can decode the value from the difference in s, which has n
// bits.
func (p *Plan) gives(s *differBuffers, n int) bool {
	if n > MaxDifferBits {
		return false
	}
	s.r.Reset(s.buf)
	return p.apply(&s.r, s.base, s.got, n) == nil && p.Equal(s.got, s.value)
}

// apply reads a difference of n bits into value.
func (p *Plan) apply(r *bits.Reader, base, value []byte, n int) error {
	left := r.RemainingBits() - n
	if err := p.differ.apply(r, p.addressOf(base), p.addressOf(value)); err != nil {
		r.Fail(err)
	}
	if r.Err() == nil && r.RemainingBits() != left {
		r.Fail(ErrDiffer)
	}
	if r.Err() == nil {
		p.arrive(value)
	}
	return r.Err()
}

func (p *Plan) decodeDiffer(r *bits.Reader, base, value []byte) error {
	n, whole := readDiffer(r)
	if whole {
		return p.Decode(r, value, nil)
	}
	if r.Err() != nil {
		return r.Err()
	}
	s := p.differ.buffers.Get().(*differBuffers)
	defer p.differ.buffers.Put(s)
	p.held(s.base, base)
	return p.apply(r, s.base, value, n)
}

// readDiffer reads the beginning of a difference: its length in bits, or whole if the whole value
// follows.
func readDiffer(r *bits.Reader) (n int, whole bool) {
	length := r.Uvarint()
	switch {
	case r.Err() != nil:
		return 0, false
	case length == 0:
		return 0, true
	case length > MaxDifferBits+1:
		r.Fail(ErrDiffer)
		return 0, false
	case int(length)-1 > r.RemainingBits():
		r.Fail(bits.ErrShort)
		return 0, false
	}
	return int(length) - 1, false
}

func (p *Plan) skipDiffer(r *bits.Reader) error {
	n, whole := readDiffer(r)
	if whole {
		s := p.differ.buffers.Get().(*differBuffers)
		defer p.differ.buffers.Put(s)
		return p.Decode(r, s.got, nil)
	}
	r.Skip(uint(n))
	return r.Err()
}
