package tick

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/mlange-42/arche/ecs"
)

// Difference describes the first difference between two values of a type, for people.
type Difference struct {
	// Field is the path of the innermost field that differs, beginning with the type, such as
	// Position.Pos.X. For a type without fields it is the type.
	Field string
	// A and B are the text of the field in either value.
	A, B string
	// More is the number of other fields that differ.
	More int
}

// FindDifference compares two values of a type, given as memory, in the order of the fields. With a
// plan, a field that differs on the wire comes before one that differs only in memory. Field is
// empty if no field differs, even if bytes between the fields do.
func FindDifference(t reflect.Type, plan *wire.Plan, a, b []byte) Difference {
	if bytes.Equal(a, b) {
		return Difference{}
	}
	f := fieldFinder{plan: plan, a: MemoryAsValue(t, a), b: MemoryAsValue(t, b), bytesA: a, bytesB: b}
	if plan != nil && plan.Size() == len(a) {
		f.mixed = make([]byte, len(a)) // aligned for every component type
	}
	f.walk(t, 0, TypeWord(t), f.a, f.b)
	if f.found.Field == "" && f.mixed != nil {
		f.mixed = nil
		f.walk(t, 0, TypeWord(t), f.a, f.b)
	}
	return f.found
}

// TypeWord returns the name of a type without its package.
func TypeWord(t reflect.Type) string {
	if t.Name() != "" {
		return t.Name()
	}
	return t.String()
}

// MemoryAsValue returns a value that is a copy of the given memory.
func MemoryAsValue(t reflect.Type, memory []byte) reflect.Value {
	value := reflect.New(t)
	as := reflect.NewAt(reflect.ArrayOf(len(memory), reflect.TypeFor[byte]()), value.UnsafePointer())
	reflect.Copy(as.Elem(), reflect.ValueOf(memory))
	return value.Elem()
}

// fieldFinder walks over two values in parallel.
type fieldFinder struct {
	plan           *wire.Plan
	a, b           reflect.Value
	bytesA, bytesB []byte
	mixed          []byte // nil: all bytes count
	found          Difference
}

var entityType = reflect.TypeFor[ecs.Entity]()

func (f *fieldFinder) walk(t reflect.Type, offset uintptr, path string, a, b reflect.Value) {
	size := t.Size()
	if bytes.Equal(f.bytesA[offset:offset+size], f.bytesB[offset:offset+size]) {
		return
	}
	switch {
	case t == entityType:
		f.leaf(offset, path, a, b)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if field := t.Field(i); field.Name != "_" {
				f.walk(field.Type, offset+field.Offset, path+"."+field.Name, a.Field(i), b.Field(i))
			}
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			f.walk(t.Elem(), offset+uintptr(i)*t.Elem().Size(), path+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i))
		}
	default:
		f.leaf(offset, path, a, b)
	}
}

// leaf counts a field with different bytes, unless both are equal on the wire.
func (f *fieldFinder) leaf(offset uintptr, path string, a, b reflect.Value) {
	end := offset + a.Type().Size()
	if f.mixed != nil {
		copy(f.mixed, f.bytesA)
		copy(f.mixed[offset:end], f.bytesB[offset:end])
		if f.plan.Equal(f.bytesA, f.mixed) {
			return
		}
	}
	f.addDifference(path, a, b, f.bytesA[offset:end], f.bytesB[offset:end])
}

func (f *fieldFinder) addDifference(path string, a, b reflect.Value, memoryA, memoryB []byte) {
	if f.found.Field != "" {
		f.found.More++
		return
	}
	f.found = Difference{Field: path, A: fmt.Sprint(a), B: fmt.Sprint(b)}
	if f.found.A == f.found.B { // such as two kinds of NaN
		f.found.A, f.found.B = fmt.Sprintf("%v (% x)", a, memoryA), fmt.Sprintf("%v (% x)", b, memoryB)
	}
}
