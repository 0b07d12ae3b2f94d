package blend

import (
	"unsafe"
)

// float is the type of numbers that can be blended.
type float interface{ float32 | float64 }

// floats returns the n numbers at p, and quats the n groups of four numbers.
func floats[F float](p unsafe.Pointer, n uint32) []F { return (*[1 << 24]F)(p)[:n:n] }

func quats[F float](p unsafe.Pointer, n uint32) [][4]F { return (*[1 << 22][4]F)(p)[:n:n] }

// memory returns the n bytes at p.
func memory(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }
