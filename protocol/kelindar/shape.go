//go:build !js

package kelindar

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"
)

// shape is the properties of a type that matter for its encoding.
type shape struct {
	text  string // fields and their types, for the protocol hash
	empty bool   // values take no bytes at all
}

// shapeOf inspects a type. It refuses types that the library would not encode completely, or of
// which a few bytes could decode to any number of elements. It also refuses a type that contains
// itself, because the library would follow it for ever.
func shapeOf(t reflect.Type, path string, open []reflect.Type) (shape, error) {
	if slices.Contains(open, t) {
		return shape{}, fmt.Errorf("%s is a %v, which contains itself: flatten it into a slice with indexes", path, t)
	}
	if t == reflect.TypeFor[ecs.Entity]() {
		return shape{}, fmt.Errorf("%s is an entity, whose id means nothing in another world: send such types by the built-in plan, or write a protocol.RefCodec", path)
	}
	open = append(slices.Clip(open), t)
	if hasMethods(t) {
		return shape{text: t.String()}, nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return structShape(t, path, open)
	case reflect.Pointer:
		inner, err := shapeOf(t.Elem(), path, open)
		return shape{text: "*" + inner.text}, err
	case reflect.Array:
		inner, err := shapeOf(t.Elem(), path+"[]", open)
		return shape{fmt.Sprintf("[%d]%s", t.Len(), inner.text), inner.empty || t.Len() == 0}, err
	case reflect.Slice:
		inner, err := shapeOf(t.Elem(), path+"[]", open)
		if err == nil && inner.empty {
			err = fmt.Errorf("the elements of %s carry nothing: send their number instead", path)
		}
		return shape{text: "[]" + inner.text}, err
	case reflect.Map:
		return mapShape(t, path, open)
	default:
		return shape{text: t.Kind().String()}, nil
	}
}

func structShape(t reflect.Type, path string, open []reflect.Type) (shape, error) {
	s := shape{empty: true}
	var fields []string
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("binary")
		if f.Name == "_" || tag == "-" {
			continue
		}
		if !f.IsExported() {
			return s, fmt.Errorf("%s.%s is not exported, so it would be left out without a word: export it, or tag it `binary:\"-\"` to keep it here", path, f.Name)
		}
		inner, err := shapeOf(f.Type, path+"."+f.Name, open)
		if err != nil {
			return s, err
		}
		fields = append(fields, strings.TrimSpace(f.Name+" "+inner.text+" "+tag))
		s.empty = s.empty && inner.empty
	}
	s.text = "{" + strings.Join(fields, ";") + "}"
	return s, nil
}

func mapShape(t reflect.Type, path string, open []reflect.Type) (shape, error) {
	key, err := shapeOf(t.Key(), path+"[key]", open)
	if err == nil && key.empty {
		err = fmt.Errorf("the keys of %s carry nothing: use another type of key", path)
	}
	if err != nil {
		return shape{}, err
	}
	elem, err := shapeOf(t.Elem(), path+"[]", open)
	return shape{text: "map[" + key.text + "]" + elem.text}, err
}

// hasMethods reports whether the type has methods of its own for encoding, as time.Time has.
func hasMethods(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) && p.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]())
}
