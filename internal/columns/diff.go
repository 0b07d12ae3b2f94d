package columns

import (
	"encoding/binary"
	"unsafe"
)

// diffFunc returns a word in which bit i is set if row i of a block differs. It has no branches
// that depend on the data, because they would be unpredictable in a block with changes.
type diffFunc = func(now, old unsafe.Pointer) uint64

// diffFuncs are the diffFuncs by the size of a value. Values of other sizes are left to diffRows.
var diffFuncs = map[int]diffFunc{1: diff1, 4: diff4, 8: diff8, 12: diff12, 16: diff16, 24: diff24}

func diff1(now, old unsafe.Pointer) (m uint64) {
	const low7, low1 = 0x7f7f7f7f7f7f7f7f, 0x0101010101010101
	a, b := (*[blockRows]byte)(now), (*[blockRows]byte)(old)
	for i := 0; i < blockRows; i += 8 {
		x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
		ones := ((x&low7 + low7) | x) >> 7 & low1 // 1 in each byte that differs
		m |= ones * 0x0102040810204080 >> 56 << (i & 63)
	}
	return m
}

func diff4(now, old unsafe.Pointer) (m uint64) {
	for i := range blockRows / 8 {
		a := (*[8]uint32)(unsafe.Add(now, i*32))
		b := (*[8]uint32)(unsafe.Add(old, i*32))
		m |= eight(a[0] != b[0], a[1] != b[1], a[2] != b[2], a[3] != b[3],
			a[4] != b[4], a[5] != b[5], a[6] != b[6], a[7] != b[7]) << (i * 8 & 63)
	}
	return m
}

func diff8(now, old unsafe.Pointer) (m uint64) {
	for i := range blockRows / 8 {
		a := (*[8]uint64)(unsafe.Add(now, i*64))
		b := (*[8]uint64)(unsafe.Add(old, i*64))
		m |= eight(a[0] != b[0], a[1] != b[1], a[2] != b[2], a[3] != b[3],
			a[4] != b[4], a[5] != b[5], a[6] != b[6], a[7] != b[7]) << (i * 8 & 63)
	}
	return m
}

func diff12(now, old unsafe.Pointer) (m uint64) {
	for i := range blockRows / 4 {
		a := (*[12]uint32)(unsafe.Add(now, i*48))
		b := (*[12]uint32)(unsafe.Add(old, i*48))
		m |= four((a[0]^b[0])|(a[1]^b[1])|(a[2]^b[2]) != 0, (a[3]^b[3])|(a[4]^b[4])|(a[5]^b[5]) != 0,
			(a[6]^b[6])|(a[7]^b[7])|(a[8]^b[8]) != 0, (a[9]^b[9])|(a[10]^b[10])|(a[11]^b[11]) != 0) << (i * 4 & 63)
	}
	return m
}

func diff16(now, old unsafe.Pointer) (m uint64) {
	for i := range blockRows / 4 {
		a := (*[8]uint64)(unsafe.Add(now, i*64))
		b := (*[8]uint64)(unsafe.Add(old, i*64))
		m |= four((a[0]^b[0])|(a[1]^b[1]) != 0, (a[2]^b[2])|(a[3]^b[3]) != 0,
			(a[4]^b[4])|(a[5]^b[5]) != 0, (a[6]^b[6])|(a[7]^b[7]) != 0) << (i * 4 & 63)
	}
	return m
}

func diff24(now, old unsafe.Pointer) (m uint64) {
	for i := range blockRows / 4 {
		a := (*[12]uint64)(unsafe.Add(now, i*96))
		b := (*[12]uint64)(unsafe.Add(old, i*96))
		m |= four((a[0]^b[0])|(a[1]^b[1])|(a[2]^b[2]) != 0, (a[3]^b[3])|(a[4]^b[4])|(a[5]^b[5]) != 0,
			(a[6]^b[6])|(a[7]^b[7])|(a[8]^b[8]) != 0, (a[9]^b[9])|(a[10]^b[10])|(a[11]^b[11]) != 0) << (i * 4 & 63)
	}
	return m
}

func four(a, b, c, d bool) uint64 { return bit(a) | bit(b)<<1 | bit(c)<<2 | bit(d)<<3 }

func eight(a, b, c, d, e, f, g, h bool) uint64 { return four(a, b, c, d) | four(e, f, g, h)<<4 }

// bit returns 1 for true. The compiler generates no branch for it.
func bit(b bool) (n uint64) {
	if b {
		n = 1
	}
	return n
}
