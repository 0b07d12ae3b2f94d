package protocol

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// The loads and stores go through byte arrays in the machine's own order: they
// compile to single instructions where the machine allows any alignment, and
// stay correct where it does not.

// littleEndian machines hold a number in memory as the wire does, so that runs
// of unpacked numbers are copied as words.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

func load16(p unsafe.Pointer) uint16 { return binary.NativeEndian.Uint16((*[2]byte)(p)[:]) }
func load32(p unsafe.Pointer) uint32 { return binary.NativeEndian.Uint32((*[4]byte)(p)[:]) }
func load64(p unsafe.Pointer) uint64 { return binary.NativeEndian.Uint64((*[8]byte)(p)[:]) }

func store16(p unsafe.Pointer, v uint16) { binary.NativeEndian.PutUint16((*[2]byte)(p)[:], v) }
func store32(p unsafe.Pointer, v uint32) { binary.NativeEndian.PutUint32((*[4]byte)(p)[:], v) }
func store64(p unsafe.Pointer, v uint64) { binary.NativeEndian.PutUint64((*[8]byte)(p)[:], v) }

// loadInt reads an integer of 1, 2, 4 or 8 bytes, sign-extended if asked.
func loadInt(p unsafe.Pointer, size uint8, signed bool) uint64 {
	switch {
	case size == 8:
		return load64(p)
	case size == 4 && signed:
		return uint64(int32(load32(p)))
	case size == 4:
		return uint64(load32(p))
	case size == 2 && signed:
		return uint64(int16(load16(p)))
	case size == 2:
		return uint64(load16(p))
	case signed:
		return uint64(int8(*(*byte)(p)))
	default:
		return uint64(*(*byte)(p))
	}
}

// storeInt writes the low 1, 2, 4 or 8 bytes of v.
func storeInt(p unsafe.Pointer, size uint8, v uint64) {
	switch size {
	case 8:
		store64(p, v)
	case 4:
		store32(p, uint32(v))
	case 2:
		store16(p, uint16(v))
	default:
		*(*byte)(p) = byte(v)
	}
}

// loadFloat reads a float of 4 or 8 bytes.
func loadFloat(p unsafe.Pointer, size uint8) float64 {
	if size == 4 {
		return float64(math.Float32frombits(load32(p)))
	}
	return math.Float64frombits(load64(p))
}

// storeFloat writes a float of 4 or 8 bytes.
func storeFloat(p unsafe.Pointer, size uint8, v float64) {
	if size == 4 {
		store32(p, math.Float32bits(float32(v)))
		return
	}
	store64(p, math.Float64bits(v))
}

func loadEntity(p unsafe.Pointer) (e ecs.Entity) {
	*(*[8]byte)(unsafe.Pointer(&e)) = *(*[8]byte)(p)
	return e
}

func storeEntity(p unsafe.Pointer, e ecs.Entity) {
	*(*[8]byte)(p) = *(*[8]byte)(unsafe.Pointer(&e))
}

// memory is the n bytes at p.
func memory(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }
