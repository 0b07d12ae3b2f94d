package columns

import (
	"reflect"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// ValueOf returns the value of a component whose memory is b. It panics if b is shorter than a T.
func ValueOf[T any](b []byte) (v T) {
	if size := unsafe.Sizeof(v); size > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), size), b[:len(b):len(b)][:size])
	}
	return v
}

// MemoryOf returns the memory of the value that the pointer v refers to. The value must not contain
// Go pointers. It panics if v is not a pointer.
func MemoryOf(v any) []byte {
	p := reflect.ValueOf(v)
	return unsafe.Slice((*byte)(p.UnsafePointer()), p.Type().Elem().Size())
}

// PackEntity converts an entity to a number, for packages that do not import Arche. The zero entity
// becomes 0.
func PackEntity(e ecs.Entity) uint64 { return uint64(e.ID())<<32 | uint64(e.Generation()) }

// UnpackEntity returns the entity from which PackEntity made the number.
func UnpackEntity(n uint64) (e ecs.Entity) {
	*(*[2]uint32)(unsafe.Pointer(&e)) = [2]uint32{uint32(n >> 32), uint32(n)}
	return e
}
