package wire

import (
	"reflect"
)

// FindPointer returns the path and type of the first field of t that is or contains a Go pointer.
// The type is nil if there is none.
func FindPointer(t reflect.Type, path string) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if at, found := FindPointer(f.Type, join(path, f.Name)); found != nil {
				return at, found
			}
		}
		return "", nil
	case reflect.Array:
		if t.Len() == 0 {
			return "", nil
		}
		return FindPointer(t.Elem(), path+"[]")
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

// RefusePointers returns an error if t contains a Go pointer.
func RefusePointers(t reflect.Type, subject string) error {
	path, pointer := FindPointer(t, "")
	if pointer == nil {
		return nil
	}
	c := compiler{subject: subject}
	c.refusePointer(pointer, path)
	return c.errs[0]
}
