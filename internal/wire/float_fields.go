package wire

import (
	"fmt"
	"reflect"
)

// FloatKind is the meaning of a float field, by its tag.
type FloatKind uint8

// The kinds of float fields.
const (
	FloatNumber FloatKind = iota
	FloatAngle
	FloatQuat
)

// FloatField is a float in a value, or four of them if it is a quaternion.
type FloatField struct {
	Offset   uintptr
	Size     uint8 // bytes of a float, 4 or 8
	Kind     FloatKind
	Identity uint8 // of a quaternion: the component that is 1 where there is no rotation
}

// FloatFieldsOf returns the floats in a type without pointers, by their offsets. The error names
// a bad tag.
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
