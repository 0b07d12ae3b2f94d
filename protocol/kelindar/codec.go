//go:build !js

package kelindar

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/kelindar/binary"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// version is the version of the library in go.mod. Its format is part of the codec's format.
const version = "kelindar/binary v1.2.3"

// DefaultLimit is the largest size of a value in bytes if Codec.Limit is not set:
// four packets. The library may allocate about twenty times the bytes it reads.
const DefaultLimit = 4 << 10

// Codec encodes T with the library. It implements protocol.Codec,
// protocol.FallibleCodec, protocol.CheckedCodec and protocol.EqualCodec.
type Codec[T any] struct {
	// Limit is how many bytes a value may take. 0 means DefaultLimit. Above it, the sender gets
	// protocol.ErrTooLong, and so does the receiver.
	Limit int
}

func (c Codec[T]) limit() int {
	if c.Limit == 0 {
		return DefaultLimit
	}
	return c.Limit
}

// Check returns the reason why T or the limit cannot be used, or nil.
func (c Codec[T]) Check() error {
	if c.Limit < 0 {
		return fmt.Errorf("kelindar.Codec.Limit is %d: set a number of bytes, or leave it 0 for %d", c.Limit, DefaultLimit)
	}
	t := reflect.TypeFor[T]()
	if _, err := shapeOf(t, t.String(), nil); err != nil {
		return err
	}
	if _, err := marshal(new(T)); err != nil {
		return fmt.Errorf("%v cannot be encoded by %s: %w", t, version, err)
	}
	return nil
}

// Version names the library and the fields of T.
func (c Codec[T]) Version() string {
	t := reflect.TypeFor[T]()
	shape, err := shapeOf(t, t.String(), nil)
	if err != nil {
		shape.text = "unfit"
	}
	return version + " " + shape.text
}

// Encode writes the length and the bytes of v. A value that TryEncode refuses is written as a
// length of zero, which the other side cannot decode.
func (c Codec[T]) Encode(w *bits.Writer, v *T) {
	if c.TryEncode(w, v) != nil {
		w.Uvarint(0)
	}
}

// TryEncode is like Encode, but returns protocol.ErrTooLong for a value above the limit, and errors
// of the library. In these cases it writes nothing.
func (c Codec[T]) TryEncode(w *bits.Writer, v *T) error {
	data, err := marshal(v)
	if err != nil {
		return fmt.Errorf("kelindar: %T: %w", *v, err)
	}
	if len(data) > c.limit() {
		return fmt.Errorf("kelindar: %T: %w: %d bytes, %d are allowed; shorten it, or raise Codec.Limit on both sides", *v, protocol.ErrTooLong, len(data), c.limit())
	}
	w.Uvarint(uint64(len(data)))
	w.Raw(data)
	return nil
}

// Decode reads the bytes that Encode writes.
func (c Codec[T]) Decode(r *bits.Reader, v *T) error {
	n := r.Uvarint()
	switch {
	case r.Err() != nil:
		return r.Err()
	case n > uint64(c.limit()):
		return protocol.ErrTooLong
	case int64(n)*8 > int64(r.RemainingBits()):
		return bits.ErrShort
	}
	data := make([]byte, n)
	r.Raw(data)
	return unmarshal(data, v)
}

// Equal compares values and not encodings, because equal maps may have different encodings.
func (c Codec[T]) Equal(a, b *T) bool { return reflect.DeepEqual(a, b) }

func marshal(v any) (data []byte, err error) {
	defer recovered(&err)
	return binary.Marshal(v)
}

// unmarshal decodes a value, and requires that it uses all bytes.
func unmarshal(data []byte, v any) (err error) {
	defer recovered(&err)
	d := binary.NewDecoder(bytes.NewBuffer(data))
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("kelindar: %w", err)
	}
	if d.Available() != 0 {
		return bits.ErrTrailing
	}
	return nil
}

// recovered converts a panic of the library, or of a type's own methods, into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("kelindar: the codec panicked: %v", p)
	}
}
