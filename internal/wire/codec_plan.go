package wire

import (
	"errors"
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// CodecPlan returns the plan of a type with a codec. It has one op for the whole value.
func CodecPlan(t reflect.Type, values bool, subject string, k *Codec) (*Plan, error) {
	c := compiler{subject: subject, values: values}
	if path, pointer := FindPointer(t, ""); pointer != nil && !values {
		c.refusePointer(pointer, path)
	}
	if path := findEntity(t, "", nil); path != "" && !k.Refs {
		c.fail(ErrOptions, path, "the type has entities and its codec is no protocol.RefCodec: ids of one world mean nothing in another, so implement EncodeRefs and DecodeRefs")
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	if k.Refs {
		c.refs = []string{"by codec"}
	}
	c.describe.WriteString("codec " + k.Version)
	c.appendOp(op{kind: opCodec, count: 1, codec: k})
	return newPlan(t, &c), nil
}

// findEntity returns the path of the first entity in t, including entities behind pointers and in
// maps. It returns "" if there is none.
func findEntity(t reflect.Type, path string, seen []reflect.Type) string {
	if t == reflect.TypeFor[ecs.Entity]() {
		if path == "" {
			return "(the value itself)"
		}
		return path
	}
	for _, s := range seen {
		if s == t {
			return ""
		}
	}
	seen = append(seen, t)
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if at := findEntity(t.Field(i).Type, join(path, t.Field(i).Name), seen); at != "" {
				return at
			}
		}
	case reflect.Map:
		if at := findEntity(t.Key(), path+"[key]", seen); at != "" {
			return at
		}
		return findEntity(t.Elem(), path+"[]", seen)
	case reflect.Array, reflect.Slice, reflect.Pointer:
		return findEntity(t.Elem(), path+"[]", seen)
	}
	return ""
}
