package limits

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// DetectSizes are the sizes of the limit's columns in bytes. The last column stands for the marker.
var DetectSizes = [7]int{8, 8, 4, 4, 24, 1, 24}

// detectChunk is how many bytes the limit compares at once before it looks for the rows that
// differ.
const detectChunk = 4096

// DetectGroup is one set of plain arrays, as in a game without an ECS. Each row is identified by a
// number; the numbers are dense.
type DetectGroup struct {
	Numbers  []uint32
	Now, Old [len(DetectSizes)][]byte
}

func NewDetectGroup(capacity int) *DetectGroup {
	g := &DetectGroup{Numbers: make([]uint32, 0, capacity)}
	for c, size := range DetectSizes {
		g.Now[c], g.Old[c] = make([]byte, 0, capacity*size), make([]byte, 0, capacity*size)
	}
	return g
}

func (g *DetectGroup) Len() int { return len(g.Numbers) }

// Append adds a row with a number in its first value. The shadow gets the row as well.
func (g *DetectGroup) Append(number uint32) {
	g.Numbers = append(g.Numbers, number)
	for c, size := range DetectSizes {
		g.Now[c] = append(g.Now[c], Zeros[:size]...)
		g.Old[c] = append(g.Old[c], Zeros[:size]...)
	}
	row := len(g.Numbers) - 1
	binary.LittleEndian.PutUint64(g.Now[0][row*8:], uint64(number)<<32)
	binary.LittleEndian.PutUint64(g.Old[0][row*8:], uint64(number)<<32)
}

var Zeros [24]byte

// DetectLimit is the limit's side: groups, and the lists of changes that it reports.
type DetectLimit struct {
	Groups []*DetectGroup
	out    [len(DetectSizes)][]uint32
}

// Size returns the bytes of all columns.
func (l *DetectLimit) Size() (n int) {
	for _, g := range l.Groups {
		for c := range g.Now {
			n += len(g.Now[c])
		}
	}
	return n
}

func (l *DetectLimit) Changed() (n int) {
	for _, list := range l.out[:6] {
		n += len(list)
	}
	return n
}

// Change makes the same changes as detectWorld.change.
func (l *DetectLimit) Change(round, percent int) {
	if percent == 0 {
		return
	}
	for _, g := range l.Groups {
		for row, number := range g.Numbers {
			if !report.Chosen(int(number), round, percent) {
				continue
			}
			for c, size := range DetectSizes[:6] {
				at := row * size
				if c == 4 {
					at += 8
				}
				g.Now[c][at]++
			}
		}
	}
}

// Observe compares all columns with their shadows, lists the rows that differ, and
// refreshes the shadows.
func (l *DetectLimit) Observe() {
	for c := range l.out {
		l.out[c] = l.out[c][:0]
	}
	for _, g := range l.Groups {
		for c, size := range DetectSizes {
			l.out[c] = compareColumn(g.Now[c], g.Old[c], size, g.Numbers, l.out[c])
		}
	}
}

func compareColumn(now, old []byte, size int, numbers, out []uint32) []uint32 {
	chunk := max(64*size, detectChunk/(64*size)*(64*size))
	for at := 0; at < len(now); at += chunk {
		end := min(at+chunk, len(now))
		if !bytes.Equal(now[at:end], old[at:end]) {
			out = compareChunk(now[at:end], old[at:end], size, numbers[at/size:], out)
		}
	}
	return out
}

func compareChunk(now, old []byte, size int, numbers, out []uint32) []uint32 {
	block := 64 * size
	for at := 0; at < len(now); at += block {
		end := min(at+block, len(now))
		n, o := now[at:end], old[at:end]
		if bytes.Equal(n, o) {
			continue
		}
		mask := blockMask(n, o, size)
		copy(o, n)
		row := at / size
		if mask == ^uint64(0) {
			out = append(out, numbers[row:row+64]...)
			continue
		}
		for ; mask != 0; mask &= mask - 1 {
			out = append(out, numbers[row+bits.TrailingZeros64(mask)])
		}
	}
	return out
}

// blockMask returns which of up to 64 rows differ.
func blockMask(now, old []byte, size int) (mask uint64) {
	if len(now) == 64*size {
		switch size {
		case 1:
			return mask1((*[64]byte)(now), (*[64]byte)(old))
		case 4:
			return mask4(now, old)
		case 8:
			return mask8(now, old)
		case 24:
			return changedRows24(now, old)
		}
	}
	for row, at := 0, 0; at < len(now); row, at = row+1, at+size {
		if !bytes.Equal(now[at:at+size], old[at:at+size]) {
			mask |= 1 << row
		}
	}
	return mask
}

func mask1(now, old *[64]byte) (mask uint64) {
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(now[i:i+8]) ^ binary.LittleEndian.Uint64(old[i:i+8])
		x = ((x&0x7f7f7f7f7f7f7f7f + 0x7f7f7f7f7f7f7f7f) | x) >> 7 & 0x0101010101010101
		mask |= x * 0x0102040810204080 >> 56 << i
	}
	return mask
}

func mask4(now, old []byte) (mask uint64) {
	for i := range 8 {
		n, o := (*[32]byte)(now[i*32:]), (*[32]byte)(old[i*32:])
		w := ne4(n[0:], o[0:]) | ne4(n[4:], o[4:])<<1 | ne4(n[8:], o[8:])<<2 | ne4(n[12:], o[12:])<<3 |
			ne4(n[16:], o[16:])<<4 | ne4(n[20:], o[20:])<<5 | ne4(n[24:], o[24:])<<6 | ne4(n[28:], o[28:])<<7
		mask |= w << (i * 8 & 63)
	}
	return mask
}

func mask8(now, old []byte) (mask uint64) {
	for i := range 8 {
		n, o := (*[64]byte)(now[i*64:]), (*[64]byte)(old[i*64:])
		w := ne8(n[0:], o[0:]) | ne8(n[8:], o[8:])<<1 | ne8(n[16:], o[16:])<<2 | ne8(n[24:], o[24:])<<3 |
			ne8(n[32:], o[32:])<<4 | ne8(n[40:], o[40:])<<5 | ne8(n[48:], o[48:])<<6 | ne8(n[56:], o[56:])<<7
		mask |= w << (i * 8 & 63)
	}
	return mask
}

func changedRows24(now, old []byte) (mask uint64) {
	for i := range 16 {
		n, o := (*[96]byte)(now[i*96:]), (*[96]byte)(old[i*96:])
		w := ne24(n[0:24], o[0:24]) | ne24(n[24:48], o[24:48])<<1 | ne24(n[48:72], o[48:72])<<2 | ne24(n[72:96], o[72:96])<<3
		mask |= w << (i * 4 & 63)
	}
	return mask
}

func ne4(a, b []byte) (n uint64) {
	if binary.LittleEndian.Uint32(a) != binary.LittleEndian.Uint32(b) {
		n = 1
	}
	return n
}

func ne8(a, b []byte) (n uint64) {
	if binary.LittleEndian.Uint64(a) != binary.LittleEndian.Uint64(b) {
		n = 1
	}
	return n
}

func ne24(a, b []byte) (n uint64) {
	x := binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b)
	y := binary.LittleEndian.Uint64(a[8:]) ^ binary.LittleEndian.Uint64(b[8:])
	z := binary.LittleEndian.Uint64(a[16:]) ^ binary.LittleEndian.Uint64(b[16:])
	if x|y|z != 0 {
		n = 1
	}
	return n
}
