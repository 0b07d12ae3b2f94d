package wire

import (
	"fmt"
	"reflect"
)

// FloatKind is what a float field means, according to its tag.
type FloatKind uint8

// The kinds of float fields.
const (
	FloatNumber FloatKind = iota
	FloatAngle
	FloatQuat
)

// FloatField is a float in a value, or a quaternion of four floats.
type FloatField struct {
	Offset   uintptr
	Size     uint8 // bytes of a float, 4 or 8
	Kind     FloatKind
	Identity uint8 // for a quaternion: index of the component that is 1 without a rotation
}

// FloatFieldsOf returns the floats in a type without pointers, in the order of their offsets. The
// error names an invalid tag.
func FloatFieldsOf(t reflect.Type) ([]FloatField, error) {
	return appendFloatFields(nil, t, 0, "", nil)
}

func appendFloatFields(fields []FloatField, t reflect.Type, offset uintptr, path string, tag *fieldTag) ([]FloatField, error) {
	if tag != nil && tag.quat && isQuat(t) {
		return append(fields, FloatField{Offset: offset, Size: uint8(t.Size() / 4), Kind: FloatQuat, Identity: identityOf(t)}), nil
	}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		f := FloatField{Offset: offset, Size: uint8(t.Size())}
		if tag != nil && tag.angle {
			f.Kind = FloatAngle
		}
		return append(fields, f), nil
	case reflect.Array:
		for i := range t.Len() {
			var err error
			if fields, err = appendFloatFields(fields, t.Elem(), offset+uintptr(i)*t.Elem().Size(), path, tag); err != nil {
				return nil, err
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			inner, err := tagOf(f, tag)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", join(path, f.Name), err)
			}
			if fields, err = appendFloatFields(fields, f.Type, offset+f.Offset, join(path, f.Name), inner); err != nil {
				return nil, err
			}
		}
	}
	return fields, nil
}
