package bits

import "encoding/binary"

// The first number of each size of Uvarint. The previous size ends before it.
const (
	begin8  = 1 << 3
	begin16 = begin8 + 1<<6
	begin32 = begin16 + 1<<13
	begin68 = begin32 + 1<<28
)

// Uvarint writes v in 4, 8, 16, 32 or 68 bits; the package documentation has
// the table.
func (w *Writer) Uvarint(v uint64) {
	switch {
	case v < begin8:
		w.Bits(v<<1, 4)
	case v < begin16:
		w.Bits((v-begin8)<<2|0b1, 8)
	case v < begin32:
		w.Bits((v-begin16)<<3|0b11, 16)
	case v < begin68:
		w.Bits((v-begin32)<<4|0b111, 32)
	default:
		w.Bits(0b1111, 4)
		w.Bits(v, 64)
	}
}

// Uvarint reads a number written by Writer.Uvarint.
func (r *Reader) Uvarint() uint64 {
	if r.at >= r.near {
		return r.lastUvarint()
	}
	v := binary.LittleEndian.Uint64(r.data[r.at>>3:]) >> (r.at & 7)
	switch {
	case v&0b1 == 0:
		r.at += 4
		return v >> 1 & (1<<3 - 1)
	case v&0b10 == 0:
		r.at += 8
		return begin8 + v>>2&(1<<6-1)
	case v&0b100 == 0:
		r.at += 16
		return begin16 + v>>3&(1<<13-1)
	case v&0b1000 == 0:
		r.at += 32
		return begin32 + v>>4&(1<<28-1)
	}
	r.at += 4
	return r.whole()
}

// lastUvarint is Uvarint near the end of the stream, where a word may not lie in data as a whole.
// It reads one piece after the other, each of which may be missing.
func (r *Reader) lastUvarint() uint64 {
	if r.Bits(1) == 0 {
		return r.Bits(3)
	}
	if r.Bits(1) == 0 {
		return r.above(begin8, 6)
	}
	if r.Bits(1) == 0 {
		return r.above(begin16, 13)
	}
	if r.Bits(1) == 0 {
		return r.above(begin32, 28)
	}
	return r.whole()
}

// whole reads a 64-bit number, and requires that no shorter form can express it.
func (r *Reader) whole() uint64 {
	v := r.Bits(64)
	if v < begin68 {
		r.Fail(ErrLong) // an earlier ErrShort stays
		return 0
	}
	return v
}

// above reads n bits as a number that counts from begin.
func (r *Reader) above(begin uint64, n uint) uint64 {
	v := begin + r.Bits(n)
	if r.err != nil {
		return 0
	}
	return v
}

// UvarintBits returns how many bits Uvarint takes for v.
func UvarintBits(v uint64) int {
	switch {
	case v < begin8:
		return 4
	case v < begin16:
		return 8
	case v < begin32:
		return 16
	case v < begin68:
		return 32
	default:
		return 68
	}
}

// Varint writes v as the Uvarint of its zigzag form: numbers near zero are
// short whatever their sign.
func (w *Writer) Varint(v int64) {
	w.Uvarint(uint64(v)<<1 ^ uint64(v>>63))
}

// Varint reads a number written by Writer.Varint.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}
