package wire

import (
	"encoding/binary"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Loads and stores go through byte arrays in the byte order of the machine. They compile to single
// instructions on machines that allow any alignment, and are correct on others.

// littleEndian reports whether numbers in memory have the byte order of the wire. Plans rely on
// that, so they cannot be compiled on other machines.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

func load16(p unsafe.Pointer) uint16 { return binary.NativeEndian.Uint16((*[2]byte)(p)[:]) }

func load32(p unsafe.Pointer) uint32 { return binary.NativeEndian.Uint32((*[4]byte)(p)[:]) }

func load64(p unsafe.Pointer) uint64 { return binary.NativeEndian.Uint64((*[8]byte)(p)[:]) }

func store16(p unsafe.Pointer, v uint16) { binary.NativeEndian.PutUint16((*[2]byte)(p)[:], v) }

func store32(p unsafe.Pointer, v uint32) { binary.NativeEndian.PutUint32((*[4]byte)(p)[:], v) }

func store64(p unsafe.Pointer, v uint64) { binary.NativeEndian.PutUint64((*[8]byte)(p)[:], v) }

// loadWord reads an unsigned number of 1, 2, 4 or 8 bytes.
func loadWord(p unsafe.Pointer, size uint8) uint64 {
	switch size {
	case 8:
		return load64(p)
	case 4:
		return uint64(load32(p))
	case 2:
		return uint64(load16(p))
	default:
		return uint64(*(*byte)(p))
	}
}

// loadInt reads an integer of 1, 2, 4 or 8 bytes. If signed is set, it extends the sign.
func loadInt(p unsafe.Pointer, size uint8, signed bool) uint64 {
	v := loadWord(p, size)
	if !signed {
		return v
	}
	unused := 64 - 8*size
	return uint64(int64(v<<unused) >> unused)
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

// float is the type that a quantised number, an angle or a component of a quat has in memory.
type float interface{ float32 | float64 }

// floats returns the n numbers at p, and quats the n groups of four numbers. The conversion by an
// array pointer avoids the checks of unsafe.Slice.
func floats[F float](p unsafe.Pointer, n uint32) []F { return (*[1 << 24]F)(p)[:n:n] }

func quats[F float](p unsafe.Pointer, n uint32) [][4]F { return (*[1 << 22][4]F)(p)[:n:n] }

func loadEntity(p unsafe.Pointer) (e ecs.Entity) {
	*(*[8]byte)(unsafe.Pointer(&e)) = *(*[8]byte)(p)
	return e
}

func storeEntity(p unsafe.Pointer, e ecs.Entity) {
	*(*[8]byte)(p) = *(*[8]byte)(unsafe.Pointer(&e))
}

// memory returns the n bytes at p.
func memory(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }
