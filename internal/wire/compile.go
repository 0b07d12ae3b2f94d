package wire

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mlange-42/arche/ecs"
)

// compiler compiles a type into ops and into the description that is part of the protocol hash.
type compiler struct {
	subject  string // name of the type in error messages
	values   bool   // text and slices are allowed
	ops      []op
	fields   []op // ops for the same values, but one for each field
	describe strings.Builder
	events   []Span
	skipped  []Span
	refs     []string // paths of entity fields
	errs     []error
	open     []reflect.Type // the slice elements that are being compiled, to find a type that contains itself
}

// unrolled is the most ops that an array is compiled to. If it needs more, it becomes one op with a
// body.
const unrolled = 32

func (c *compiler) fail(kind error, path, format string, args ...any) {
	subject := c.subject
	if path != "" {
		subject += ", field " + path
	}
	c.errs = append(c.errs, &TypeError{Kind: kind, Subject: subject, Problem: fmt.Sprintf(format, args...)})
}

// compileAt compiles the type of the memory at offset.
func (c *compiler) compileAt(t reflect.Type, offset uintptr, path string, tag *fieldTag) {
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
		c.compileAt(half, offset, path+".real", tag)
		c.compileAt(half, offset+half.Size(), path+".imag", tag)
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
	c.compileAt(f.Type, offset, path, tag)
	if own && tag.text != "event" && !tag.used && len(c.errs) == 0 {
		c.fail(ErrTag, path, "the tag %q fits nothing in a %s: remove it, or move it to the field it is meant for", tag.text, f.Type)
	}
}

// skip leaves out memory that is not sent. It nevertheless refuses pointers in components, because
// Arche moves them as raw bytes.
func (c *compiler) skip(t reflect.Type, offset uintptr, path string) {
	if c.values {
		return
	}
	if at, found := FindPointer(t, path); found != nil {
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
	inner.compileAt(elem, 0, path+"[]", tag)
	c.adopt(&inner, fmt.Sprintf("%s [%d]{%s};", path, n, inner.describe.String()))
	for i := range n {
		c.events = appendSpans(c.events, inner.events, offset+uintptr(i)*elem.Size())
		c.skipped = appendSpans(c.skipped, inner.skipped, offset+uintptr(i)*elem.Size())
	}
	c.addFields(inner.fields, elem.Size(), n, offset)
	body := inner.ops
	switch {
	case len(body) == 1 && body[0].kind < opCodec && body[0].span() == elem.Size():
		body[0].offset = offset
		body[0].count *= uint32(n)
		c.mergeOp(body[0])
	case len(body)*n <= unrolled:
		for i := range n {
			for _, o := range body {
				o.offset += offset + uintptr(i)*elem.Size()
				c.mergeOp(o)
			}
		}
	default:
		c.mergeOp(op{kind: opRepeat, count: uint32(n), offset: offset, body: lower(body), step: elem.Size()})
	}
}

// adopt adds the errors, references and description of an inner compiler to c.
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

// leaf adds one number, and its part of the description.
func (c *compiler) leaf(path, described string, o op) {
	c.describe.WriteString(path + " " + described + ";")
	o.count = 1
	c.appendOp(o)
}

// addFields adds an array to the fields: as one run if its elements are numbers of one kind,
// otherwise as one op with a body.
func (c *compiler) addFields(body []op, step uintptr, n int, offset uintptr) {
	if len(body) == 1 && body[0].kind < opCodec && body[0].offset == 0 {
		run := body[0]
		run.offset = offset
		run.count *= uint32(n)
		if run.span() == step*uintptr(n) {
			c.fields = append(c.fields, run)
			return
		}
	}
	c.fields = append(c.fields, op{kind: opRepeat, count: uint32(n), offset: offset, body: withFuncs(body), step: step})
}

// withFuncs completes ops that are not passed to lower.
func withFuncs(ops []op) []op {
	for i := range ops {
		ops[i].complete()
		ops[i].always = ops[i].alwaysSteps()
		ops[i].like = i > 0 && ops[i].isLike(&ops[i-1])
		one := ops[i]
		one.count = 1
		ops[i].single = &one
	}
	return ops
}

// complete sets the fields of an op that depend on its other fields.
func (o *op) complete() {
	if o.bits > 0 {
		o.batch = 64 / o.bits
	}
	o.funcs = funcsOf(o)
}

// appendOp appends an op for a field.
func (c *compiler) appendOp(o op) {
	c.fields = append(c.fields, o)
	c.mergeOp(o)
}

// mergeOp appends an op, or extends the last one by it.
func (c *compiler) mergeOp(o op) {
	if o.kind == opRaw {
		o.count, o.size, o.bits = o.count*uint32(o.size), 1, 8
	}
	if n := len(c.ops); n > 0 && c.ops[n-1].joins(&o) {
		c.ops[n-1].count += o.count
		return
	}
	c.ops = append(c.ops, o)
}

// lower divides short runs of raw bytes into words; longer ones are copied. The bits on the wire stay
// the same.
func lower(ops []op) (out []op) {
	for _, o := range ops {
		o.complete()
		if o.kind != opRaw || o.size != 1 || o.isLong() {
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
