package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// DefaultMaxText is the most bytes of a string or []byte without a max= tag. It is about one
	// packet.
	DefaultMaxText = 1024

	// DefaultMaxElements is the most elements of any other slice without a max= tag.
	DefaultMaxElements = 256

	// freeMemory and memoryPerByte bound what decoding one value may allocate: a fixed number of
	// bytes, and a number of bytes for each byte on the wire.
	freeMemory    = 64 << 10
	memoryPerByte = 16
)

// list describes a string, a []byte or another slice.
type list struct {
	max  int
	typ  reflect.Type // of the slice
	size uintptr      // of one element in memory
}

// sliceHeader is a slice as it is in memory. The type of data makes the garbage collector aware of
// it when a header is written through a pointer.
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
	c.appendOp(o)
}

var listNames = [...]string{"text", "bytes", "slice"}

// withoutMax returns the tag for the elements of a slice, because a limit applies only to the
// outermost list.
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
	inner.compileAt(elem, 0, path+"[]", tag)
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

// length returns the length of the string or slice at p. Both begin with a pointer and their
// length.
func length(p unsafe.Pointer) int {
	return *(*int)(unsafe.Add(p, unsafe.Sizeof(uintptr(0))))
}

// dataOf returns the address of the elements of the string or slice at p.
func dataOf(p unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(p) }

// content returns the bytes of the string or []byte at p.
func content(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(dataOf(p)), length(p))
}

func encodeText(_ *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	w.Uvarint(uint64(length(p)))
	w.Raw(content(p))
	return 0
}

func decodeText(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, budget *int) {
	n := o.list.count(r, 8, budget)
	if n == 0 {
		return
	}
	b := make([]byte, n)
	r.Raw(b)
	if o.kind == opText {
		*(*string)(p) = unsafe.String(unsafe.SliceData(b), n)
		return
	}
	*(*[]byte)(p) = b
}

func equalText(_ *op, a, b unsafe.Pointer) bool {
	return bytes.Equal(content(a), content(b))
}

func encodeSlice(o *op, w *bits.Writer, p unsafe.Pointer, refs RefWriter) (clamped int) {
	n, data := length(p), dataOf(p)
	w.Uvarint(uint64(n))
	for i := range uintptr(n) {
		clamped += encodeOps(o.body, w, unsafe.Add(data, i*o.step), refs)
	}
	return clamped
}

func decodeSlice(o *op, r *bits.Reader, p unsafe.Pointer, refs RefReader, budget *int) {
	n := o.list.count(r, minBits(o.body), budget)
	if n == 0 {
		return
	}
	data := reflect.MakeSlice(o.list.typ, n, n).UnsafePointer()
	*(*sliceHeader)(p) = sliceHeader{data: data, len: n, cap: n}
	for i := 0; i < n && r.Err() == nil; i++ {
		decodeOps(o.body, r, unsafe.Add(data, uintptr(i)*o.step), refs, budget)
	}
}

func equalSlice(o *op, a, b unsafe.Pointer) bool {
	if length(a) != length(b) {
		return false
	}
	x, y := dataOf(a), dataOf(b)
	for i := range uintptr(length(a)) {
		if !equalOps(o.body, unsafe.Add(x, i*o.step), unsafe.Add(y, i*o.step)) {
			return false
		}
	}
	return true
}

// count reads the number of elements, each of which takes at least eachBits. Before anything is
// allocated, it checks the number against the limit, the remaining bits and the remaining memory
// budget. It returns 0 after an error.
func (l *list) count(r *bits.Reader, eachBits int, budget *int) int {
	count := r.Uvarint()
	if count > uint64(l.max) {
		r.Fail(ErrTooLong)
		return 0
	}
	n := int(count)
	if int64(n)*int64(eachBits) > int64(r.RemainingBits()) {
		r.Fail(bits.ErrShort)
		return 0
	}
	if n > 0 && l.size > uintptr(*budget)/uintptr(n) {
		r.Fail(ErrMemory)
		return 0
	}
	*budget -= n * int(l.size)
	return n
}

// weigh returns how many bytes decoding the value at p will allocate, or ErrTooLong if a list in it
// is longer than its limit.
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
