package protocol

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/mlange-42/arche/ecs"
)

// compiler turns a type into ops, and into the description that is hashed.
type compiler struct {
	subject  string // the type, as messages name it
	values   bool   // text and slices are allowed
	ops      []op
	describe strings.Builder
	events   []Span
	skipped  []Span
	refs     []string // paths of entity fields
	errs     []error
	open     []reflect.Type // the slices we are inside, to find a type that contains itself
}

// unrolled is how many ops an array may become before it is left a loop.
const unrolled = 32

func (c *compiler) fail(kind error, path, format string, args ...any) {
	subject := c.subject
	if path != "" {
		subject += ", field " + path
	}
	c.errs = append(c.errs, &SetupError{Kind: kind, Subject: subject, Problem: fmt.Sprintf(format, args...)})
}

// add compiles what lies at offset.
func (c *compiler) add(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	switch {
	case t == reflect.TypeFor[ecs.Entity]():
		c.refs = append(c.refs, path)
		c.leaf(path, "entity", op{kind: opRef, size: 8, offset: offset})
		return
	case tag != nil && tag.quat && isQuat(t):
		c.addQuat(t, offset, path, tag)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		c.addStruct(t, offset, path, tag)
	case reflect.Array:
		c.addArray(t, offset, path, tag)
	case reflect.String, reflect.Slice:
		c.addList(t, offset, path, tag)
	case reflect.Complex64, reflect.Complex128:
		half := reflect.TypeFor[float32]()
		if t.Size() == 16 {
			half = reflect.TypeFor[float64]()
		}
		c.add(half, offset, path+".real", tag)
		c.add(half, offset+half.Size(), path+".imag", tag)
	default:
		c.addNumber(t, offset, path, tag)
	}
}

func (c *compiler) addStruct(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	for i := range t.NumField() {
		f := t.Field(i)
		c.addField(f, offset+f.Offset, join(path, f.Name), tag)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *compiler) addField(f reflect.StructField, offset uintptr, path string, around *fieldTag) {
	tag, err := tagOf(f, around)
	if err != nil {
		c.fail(ErrTag, path, "%v", err)
		return
	}
	own := tag != nil && tag != around
	if own && tag.event && (around == nil || !around.event) {
		c.events = append(c.events, Span{Offset: offset, Size: f.Type.Size()})
		c.describe.WriteString(path + " event;")
	}
	if f.Name == "_" || own && tag.skip {
		c.skip(f.Type, offset, path)
		return
	}
	c.add(f.Type, offset, path, tag)
	if own && tag.text != "event" && !tag.used && len(c.errs) == 0 {
		c.fail(ErrTag, path, "the tag %q fits nothing in a %s: remove it, or move it to the field it is meant for", tag.text, f.Type)
	}
}

// skip leaves memory out. Pointers in it are refused all the same where Arche
// would move them.
func (c *compiler) skip(t reflect.Type, offset uintptr, path string) {
	if c.values {
		return
	}
	if at, found := findPointer(t, path); found != nil {
		c.refusePointer(found, at)
		return
	}
	if t.Size() > 0 {
		c.skipped = append(c.skipped, Span{Offset: offset, Size: t.Size()})
	}
}

func (c *compiler) addArray(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	n, elem := t.Len(), t.Elem()
	if n == 0 {
		return
	}
	inner := compiler{subject: c.subject, values: c.values, open: c.open}
	inner.add(elem, 0, path+"[]", tag)
	c.adopt(&inner, fmt.Sprintf("%s [%d]{%s};", path, n, inner.describe.String()))
	for i := range n {
		c.events = appendSpans(c.events, inner.events, offset+uintptr(i)*elem.Size())
		c.skipped = appendSpans(c.skipped, inner.skipped, offset+uintptr(i)*elem.Size())
	}
	body := inner.ops
	switch {
	case len(body) == 1 && body[0].kind < opCodec && body[0].span() == elem.Size():
		body[0].offset = offset
		body[0].count *= uint32(n)
		c.push(body[0])
	case len(body)*n <= unrolled:
		for i := range n {
			for _, o := range body {
				o.offset += offset + uintptr(i)*elem.Size()
				c.push(o)
			}
		}
	default:
		c.push(op{kind: opRepeat, count: uint32(n), offset: offset, body: lower(body), step: elem.Size()})
	}
}

// adopt takes over what an inner compiler found beside its ops.
func (c *compiler) adopt(inner *compiler, described string) {
	c.errs = append(c.errs, inner.errs...)
	c.refs = append(c.refs, inner.refs...)
	c.describe.WriteString(described)
}

func appendSpans(to, spans []Span, offset uintptr) []Span {
	for _, s := range spans {
		to = append(to, Span{Offset: offset + s.Offset, Size: s.Size})
	}
	return to
}

// leaf adds one number and its line of the description.
func (c *compiler) leaf(path, described string, o op) {
	c.describe.WriteString(path + " " + described + ";")
	o.count = 1
	c.push(o)
}

// push appends an op, or lets the last one grow by it.
func (c *compiler) push(o op) {
	if o.kind == opRaw {
		o.count, o.size, o.bits = o.count*uint32(o.size), 1, 8
	}
	if n := len(c.ops); n > 0 && c.ops[n-1].joins(&o) {
		c.ops[n-1].count += o.count
		return
	}
	c.ops = append(c.ops, o)
}

// lower cuts runs of raw bytes into words; the bits on the wire stay the same.
func lower(ops []op) (out []op) {
	for _, o := range ops {
		if o.bits > 0 {
			o.batch = 64 / o.bits
		}
		o.funcs = funcsOf(&o)
		if o.kind != opRaw || o.size != 1 {
			out = append(out, o)
			continue
		}
		for _, size := range [...]uint8{8, 4, 2, 1} {
			n := o.count / uint32(size)
			if n == 0 {
				continue
			}
			word := op{kind: opRaw, funcs: o.funcs, size: size, bits: size * 8, batch: 8 / size, count: n, offset: o.offset}
			out = append(out, word)
			o.offset += word.span()
			o.count -= n * uint32(size)
		}
	}
	return out
}

func (c *compiler) addNumber(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	size := uint8(t.Size())
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		c.leaf(path, "bool", op{kind: opBool, size: 1, bits: 1, offset: offset})
	case reflect.Float32, reflect.Float64:
		c.addFloat(size, offset, path, tag)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.addInt(kind == reflect.Int, true, size, offset, path, tag)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c.addInt(kind == reflect.Uint, false, size, offset, path, tag)
	case reflect.Uintptr:
		c.fail(ErrType, path, "a uintptr is an address, which means nothing on another machine: use uint64 for a number, or `net:\"-\"` to keep the field here")
	default:
		c.refusePointer(t, path)
	}
}

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
	case platform && size != 8:
		c.leaf(path, name, op{kind: opWide, size: size, bits: 64, offset: offset, ints: interval{signed: signed}})
	default:
		c.leaf(path, name, op{kind: opRaw, size: size, bits: size * 8, offset: offset})
	}
}

// parseInterval reads the limits of an integer. Those of int and uint must fit
// 32 bits, which is what some machines have.
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

func (c *compiler) addFloat(size uint8, offset uintptr, path string, tag *fieldTag) {
	name := fmt.Sprintf("float%d", size*8)
	if !tag.forNumbers() {
		c.leaf(path, name, op{kind: opRaw, size: size, bits: size * 8, offset: offset})
		return
	}
	tag.used = true
	switch {
	case tag.quat:
		c.fail(ErrTag, path, "the tag %q: a quat is [4]float32, [4]float64 or a struct of four such floats", tag.text)
	case tag.angle:
		ring, err := parseCircle(tag, size)
		if err != nil {
			c.fail(ErrTag, path, "%v", err)
			return
		}
		c.leaf(path, fmt.Sprintf("%s angle in %d", name, ring.count),
			op{kind: opAngle, size: size, bits: ring.width(), offset: offset, circle: ring})
	default:
		grid, err := parseLattice(tag, size)
		if err != nil {
			c.fail(ErrTag, path, "%v", err)
			return
		}
		c.leaf(path, fmt.Sprintf("%s range=%s..%s in %d", name, tag.low, tag.high, grid.last),
			op{kind: opQuantised, size: size, bits: grid.width(), offset: offset, lattice: grid})
	}
}

func parseLattice(tag *fieldTag, size uint8) (lattice, error) {
	if tag.step == "" {
		return lattice{}, fmt.Errorf("the tag %q: a float with a range needs step= too, the precision to keep", tag.text)
	}
	low, err1 := strconv.ParseFloat(tag.low, 64)
	high, err2 := strconv.ParseFloat(tag.high, 64)
	step, err3 := strconv.ParseFloat(tag.step, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return lattice{}, fmt.Errorf("the tag %q: range= and step= take numbers such as -512..512 and 0.01", tag.text)
	}
	return newLattice(low, high, step, size)
}

func parseCircle(tag *fieldTag, size uint8) (circle, error) {
	if tag.step == "" {
		width := angleBits
		if tag.bits != 0 {
			width = tag.bits
		}
		return newCircle(math.Ldexp(1, width), size)
	}
	step, err := strconv.ParseFloat(tag.step, 64)
	if err != nil || !(step > 0) {
		return circle{}, fmt.Errorf("the tag %q: step= takes an angle in radians such as 0.001", tag.text)
	}
	return newCircle(math.Ceil(2*math.Pi/step-1e-9), size)
}

// isQuat reports whether t is four floats of one size.
func isQuat(t reflect.Type) bool {
	float := func(f reflect.Type) bool { return f.Kind() == reflect.Float32 || f.Kind() == reflect.Float64 }
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 4 && float(t.Elem())
	case reflect.Struct:
		if t.NumField() != 4 || !float(t.Field(0).Type) {
			return false
		}
		for i := range 4 {
			if t.Field(i).Type.Kind() != t.Field(0).Type.Kind() {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func (c *compiler) addQuat(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
	tag.used = true
	width, identity := quatBits, uint8(3)
	if tag.bits != 0 {
		width = tag.bits
	}
	if t.Kind() == reflect.Struct {
		for i := range 4 {
			if name := t.Field(i).Name; name == "W" || name == "w" {
				identity = uint8(i)
			}
		}
	}
	quat, err := newSmallestThree(width, identity)
	if err != nil {
		c.fail(ErrTag, path, "%v", err)
		return
	}
	size := uint8(t.Size() / 4)
	c.leaf(path, fmt.Sprintf("quat of float%d bits=%d", size*8, width),
		op{kind: opQuat, size: size, bits: uint8(2 + 3*width), offset: offset, quat: quat})
}

// findPointer returns the first field of t that holds a Go pointer.
func findPointer(t reflect.Type, path string) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if at, found := findPointer(f.Type, join(path, f.Name)); found != nil {
				return at, found
			}
		}
		return "", nil
	case reflect.Array:
		if t.Len() == 0 {
			return "", nil
		}
		return findPointer(t.Elem(), path+"[]")
	case reflect.Pointer, reflect.String, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return path, t
	default:
		return "", nil
	}
}

func (c *compiler) refusePointer(t reflect.Type, path string) {
	if c.values {
		c.fail(ErrType, path, "a %s is not covered by the built-in plan, which takes numbers, text, slices, arrays and structs of them: "+
			"change the field, keep it here with `net:\"-\"`, or register a codec, such as the one in protocol/kelindar", t)
		return
	}
	c.fail(ErrType, path, "a %s holds a Go pointer, and Arche moves components as raw bytes that the garbage collector does not see, "+
		"which corrupts them: use components.Text32 for short text, a fixed array such as [8]T for a few elements, "+
		"an ecs.Entity instead of a pointer to another thing, or split the list into entities of their own", t)
}
