package wire

import (
	"fmt"
	"math/bits"
	"strconv"
	"unsafe"

	bitio "github.com/entangle-ecs/entangle/protocol/bits"
)

// interval is the declared range of an integer, including its limits. Signed and unsigned numbers
// share the arithmetic, which is modulo 2^64.
type interval struct {
	low    uint64
	span   uint64 // high - low
	signed bool
}

func (iv *interval) width() uint8 { return uint8(bits.Len64(iv.span)) }

func (c *compiler) addInt(platform, signed bool, size uint8, offset uintptr, path string, tag *fieldTag) {
	name := fmt.Sprintf("int%d", size*8)
	if platform {
		name = "int64"
	}
	if !signed {
		name = "u" + name
	}
	switch {
	case tag.forNumbers() && !tag.hasRange():
		c.fail(ErrTag, path, "the tag %q is for floats, this is an integer: give it range=low..high or no tag", tag.text)
	case tag.forNumbers():
		tag.used = true
		iv, err := parseInterval(tag, platform, signed, size)
		if err != nil {
			c.fail(ErrTag, path, "%v", err)
			return
		}
		c.leaf(path, fmt.Sprintf("%s range=%s..%s", name, tag.low, tag.high),
			op{kind: opInt, size: size, bits: iv.width(), offset: offset, ints: iv})
	case platform:
		c.leaf(path, name, op{kind: opWhole, size: size, bits: 64, offset: offset, ints: interval{signed: signed}})
	case size >= 4:
		c.leaf(path, name, op{kind: opWhole, size: size, bits: size * 8, offset: offset, ints: interval{signed: signed}})
	default:
		c.leaf(path, name, op{kind: opRaw, size: size, bits: size * 8, offset: offset})
	}
}

// parseInterval parses the range of an integer. The limits for int and uint must fit into 32 bits,
// because these types are that small on some machines.
func parseInterval(tag *fieldTag, platform, signed bool, size uint8) (iv interval, err error) {
	width := int(size) * 8
	if platform {
		width = 32
	}
	if tag.step != "" {
		return iv, fmt.Errorf("the tag %q: step= is for floats, integers go by 1", tag.text)
	}
	var low, high uint64
	if low, err = parseLimit(tag.low, signed, width); err == nil {
		high, err = parseLimit(tag.high, signed, width)
	}
	if err != nil {
		return iv, fmt.Errorf("the tag %q: the limits must be whole numbers that fit %d bits: %w", tag.text, width, err)
	}
	iv = interval{low: low, span: high - low, signed: signed}
	if iv.below(high) || iv.span == 0 {
		return iv, fmt.Errorf("range=%s..%s is empty: the first limit must lie below the second", tag.low, tag.high)
	}
	return iv, nil
}

func parseLimit(text string, signed bool, width int) (uint64, error) {
	if signed {
		v, err := strconv.ParseInt(text, 10, width)
		return uint64(v), err
	}
	return strconv.ParseUint(text, 10, width)
}

// index returns the difference between v and the low limit. If v is outside of the range, it counts
// v as clamped and returns the index of the nearest limit.
func (iv *interval) index(v uint64, clamped *int) uint64 {
	if index := v - iv.low; index <= iv.span {
		return index
	}
	*clamped++
	if iv.below(v) {
		return 0
	}
	return iv.span
}

func (iv *interval) below(v uint64) bool {
	if iv.signed {
		return int64(v) < int64(iv.low)
	}
	return v < iv.low
}

// int returns number i of the run at p.
func (o *op) int(p unsafe.Pointer, i uintptr) uint64 {
	return loadInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.signed)
}

func encodeInts(o *op, w *bitio.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		w.Put(o.ints.index(o.int(p, i), &clamped), uint(o.bits))
	}
	return clamped
}

func decodeInts(o *op, r *bitio.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	for i := range uintptr(o.count) {
		index := r.Bits(uint(o.bits))
		if index > o.ints.span {
			r.Fail(ErrRange)
			return
		}
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.low+index)
	}
}

func equalInts(o *op, a, b unsafe.Pointer) bool {
	var ignored int
	for i := range uintptr(o.count) {
		x, y := o.int(a, i), o.int(b, i)
		if x != y && o.ints.index(x, &ignored) != o.ints.index(y, &ignored) {
			return false
		}
	}
	return true
}

func roundInts(o *op, p unsafe.Pointer) (clamped int) {
	for i := range uintptr(o.count) {
		index := o.ints.index(o.int(p, i), &clamped)
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, o.ints.low+index)
	}
	return clamped
}
