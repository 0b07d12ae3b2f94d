package blend

import (
	"unsafe"
)

// OnMemory turns a question about two values into one about the memory of each.
func OnMemory[T any](f func(a, b T) bool) func(a, b []byte) bool {
	return func(a, b []byte) bool { return f(valueOf[T](a), valueOf[T](b)) }
}

// valueOf is the value with the memory b.
func valueOf[T any](b []byte) (v T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), b)
	return v
}
