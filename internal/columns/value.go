package columns

import (
	"reflect"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// ValueOf returns the value of a component whose memory is b. It panics if b is shorter
// than a T.
func ValueOf[T any](b []byte) (v T) {
	if size := unsafe.Sizeof(v); size > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), size), b[:len(b):len(b)][:size])
	}
	return v
}

// MemoryOf returns the memory of what a pointer leads to, for values without Go pointers.
// It panics if v is no pointer.
func MemoryOf(v any) []byte {
	p := reflect.ValueOf(v)
	return unsafe.Slice((*byte)(p.UnsafePointer()), p.Type().Elem().Size())
}

// PackEntity makes a number of an entity, for who keeps entities and knows nothing of
// Arche. That of the zero entity is 0.
func PackEntity(e ecs.Entity) uint64 { return uint64(e.ID())<<32 | uint64(e.Generation()) }

// UnpackEntity returns the entity that PackEntity made a number of.
func UnpackEntity(n uint64) (e ecs.Entity) {
	*(*[2]uint32)(unsafe.Pointer(&e)) = [2]uint32{uint32(n >> 32), uint32(n)}
	return e
}
