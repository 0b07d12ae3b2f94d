package blend

import (
	"unsafe"
)

// OnMemory converts a comparison of two values into one that takes the memory of each.
func OnMemory[T any](f func(a, b T) bool) func(a, b []byte) bool {
	return func(a, b []byte) bool { return f(valueOf[T](a), valueOf[T](b)) }
}

// valueOf returns the value whose memory is b.
func valueOf[T any](b []byte) (v T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), b)
	return v
}
