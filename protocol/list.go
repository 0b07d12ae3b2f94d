package protocol

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// DefaultMaxText is how many bytes a string or []byte may hold without a
	// max= tag: about one packet.
	DefaultMaxText = 1024

	// DefaultMaxElements is how many elements any other slice may hold without
	// a max= tag.
	DefaultMaxElements = 256

	// freeMemory and memoryPerByte bound what decoding one value may allocate:
	// a fixed amount, and so much for each byte of the wire. It is the limit
	// that any peer's packet is held to.
	freeMemory    = 64 << 10
	memoryPerByte = 16
)

// list is a string, a []byte or a slice.
type list struct {
	max  int
	typ  reflect.Type // of the slice
	size uintptr      // of one element in memory
}

// sliceHeader is a slice as it is in memory. Writing one through a pointer tells
// the garbage collector about data.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

func (c *compiler) addList(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	if !c.values {
		c.refusePointer(t, path)
		return
	}
	l := &list{max: DefaultMaxText, typ: t, size: 1}
	o := op{kind: opText, count: 1, offset: offset, list: l}
	switch {
	case t.Kind() == reflect.String:
	case t.Elem().Kind() == reflect.Uint8 && !tag.forNumbers():
		o.kind = opBytes
	default:
		o.kind = opSlice
		l.max = DefaultMaxElements
	}
	inside := tag
	if tag != nil && tag.max != 0 {
		l.max, tag.used = tag.max, true
		inside = tag.withoutMax()
	}
	c.describe.WriteString(fmt.Sprintf("%s %s max=%d;", path, listNames[o.kind-opText], l.max))
	if o.kind == opSlice {
		c.addElements(&o, t.Elem(), path, inside)
	}
	if inside != tag && inside.used {
		tag.used = true
	}
	c.ops = append(c.ops, o)
}

var listNames = [...]string{"text", "bytes", "slice"}

// withoutMax is the tag for the elements of a slice: a limit holds for the
// outermost list only.
func (t *fieldTag) withoutMax() *fieldTag {
	inner := *t
	inner.max = 0
	return &inner
}

func (c *compiler) addElements(o *op, elem reflect.Type, path string, tag *fieldTag) {
	if slices.Contains(c.open, elem) {
		c.fail(ErrType, path, "%s contains itself: a message has a fixed depth, so flatten it into one slice with indexes", elem)
		return
	}
	inner := compiler{subject: c.subject, values: true, open: append(c.open[:len(c.open):len(c.open)], elem)}
	inner.add(elem, 0, path+"[]", tag)
	c.adopt(&inner, "{"+inner.describe.String()+"};")
	o.body, o.step, o.list.size = lower(inner.ops), elem.Size(), elem.Size()
	if len(inner.errs) == 0 && minBits(o.body) == 0 {
		c.fail(ErrType, path, "the elements of the slice carry nothing: send their number as an integer instead")
	}
}

func (l *list) maxBits(body []op) int {
	elem := int64(8)
	if body != nil {
		elem = int64(maxBits(body))
	}
	return int(min(int64(bits.UvarintBits(uint64(l.max)))+int64(l.max)*elem, 1<<30))
}

// length is that of the string or slice at p: both begin with a pointer and
// their length.
func length(p unsafe.Pointer) int {
	return *(*int)(unsafe.Add(p, unsafe.Sizeof(uintptr(0))))
}

// dataOf is where the elements of the string or slice at p lie.
func dataOf(p unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(p) }

// content is the bytes of the string or []byte at p.
func content(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(dataOf(p)), length(p))
}

func (o *op) encodeList(w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	n := length(p)
	w.Uvarint(uint64(n))
	if o.kind != opSlice {
		w.Raw(content(p))
		return 0
	}
	data := dataOf(p)
	for i := range uintptr(n) {
		clamped += encodeOps(o.body, w, unsafe.Add(data, i*o.step), refs)
	}
	return clamped
}

// decodeList checks the count against its limit, against the bits that are left
// and against the memory that is left before it allocates.
func (o *op) decodeList(d decoder, p unsafe.Pointer) {
	count := d.r.Uvarint()
	if count > uint64(o.list.max) {
		d.r.Fail(ErrTooLong)
		return
	}
	n := int(count)
	each := 8
	if o.kind == opSlice {
		each = minBits(o.body)
	}
	if int64(n)*int64(each) > int64(d.r.RemainingBits()) {
		d.r.Fail(bits.ErrShort)
		return
	}
	if n == 0 {
		return
	}
	if o.list.size > uintptr(*d.budget)/uintptr(n) {
		d.r.Fail(ErrMemory)
		return
	}
	*d.budget -= n * int(o.list.size)
	o.fill(d, p, n)
}

// fill allocates n elements, n above 0, and reads them.
func (o *op) fill(d decoder, p unsafe.Pointer, n int) {
	switch o.kind {
	case opText:
		b := make([]byte, n)
		d.r.Raw(b)
		*(*string)(p) = unsafe.String(unsafe.SliceData(b), n)
	case opBytes:
		b := make([]byte, n)
		d.r.Raw(b)
		*(*[]byte)(p) = b
	default:
		data := reflect.MakeSlice(o.list.typ, n, n).UnsafePointer()
		*(*sliceHeader)(p) = sliceHeader{data: data, len: n, cap: n}
		for i := 0; i < n && d.r.Err() == nil; i++ {
			decodeOps(o.body, d, unsafe.Add(data, uintptr(i)*o.step))
		}
	}
}

func (o *op) equalList(a, b unsafe.Pointer) bool {
	n := length(a)
	if n != length(b) {
		return false
	}
	if o.kind != opSlice {
		return bytes.Equal(content(a), content(b))
	}
	x, y := dataOf(a), dataOf(b)
	for i := range uintptr(n) {
		if !equalOps(o.body, unsafe.Add(x, i*o.step), unsafe.Add(y, i*o.step)) {
			return false
		}
	}
	return true
}

// weigh returns the bytes that decoding the value at p will allocate, or
// ErrTooLong if a list in it is above its limit.
func weigh(ops []op, p unsafe.Pointer) (total int, err error) {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		var n int
		switch o.kind {
		case opRepeat:
			n, err = weighEach(o, at, int(o.count))
		case opText, opBytes, opSlice:
			n, err = o.weighList(at)
		}
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func (o *op) weighList(p unsafe.Pointer) (int, error) {
	n := length(p)
	if n > o.list.max {
		return 0, fmt.Errorf("%w: %d in a %s that may hold %d; shorten it, or raise the limit with a max= tag on both sides", ErrTooLong, n, listNames[o.kind-opText], o.list.max)
	}
	if o.kind != opSlice {
		return n, nil
	}
	inner, err := weighEach(o, dataOf(p), n)
	return n*int(o.list.size) + inner, err
}

func weighEach(o *op, p unsafe.Pointer, n int) (total int, err error) {
	if !hasLists(o.body) {
		return 0, nil
	}
	for i := range uintptr(n) {
		one, err := weigh(o.body, unsafe.Add(p, i*o.step))
		if err != nil {
			return 0, err
		}
		total += one
	}
	return total, nil
}

func hasLists(ops []op) bool {
	return slices.ContainsFunc(ops, func(o op) bool {
		return o.kind >= opText || o.kind == opRepeat && hasLists(o.body)
	})
}
