package bits

import (
	"encoding/binary"
	"errors"
)

var (
	// ErrShort is returned when a stream ends inside a value.
	ErrShort = errors.New("bits: the stream is too short")

	// ErrTrailing is returned by End when whole bytes are left over.
	ErrTrailing = errors.New("bits: bytes are left after the last value")

	// ErrPadding is returned when bits that must be zero are not.
	ErrPadding = errors.New("bits: padding is not zero")

	// ErrLong is returned for a number written in a longer form than it needs.
	ErrLong = errors.New("bits: a number is not in its shortest form")
)

// Reader reads bits from a byte slice. After the first error every method returns zero values and
// Err that error. A Reader may be copied: the copy continues from the same position.
type Reader struct {
	data []byte
	at   uint // position of the next bit
	near uint // from this position on, a word does not lie in data as a whole
	err  error
}

// PeekBits is how many bits a load of eight bytes returns at least, whatever the position within
// the first byte.
const PeekBits = 57

// Reset begins to read at the first bit of data. The Reader keeps data and never
// writes to it.
func (r *Reader) Reset(data []byte) {
	*r = Reader{data: data, near: uint(max(len(data)-7, 0)) * 8}
}

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// RemainingBits returns the number of bits left to read, padding included.
func (r *Reader) RemainingBits() int { return len(r.data)*8 - int(r.at) }

// Fail sets the Reader's error, unless it has one, and ends the stream. A decoder calls it for
// values that have a valid form but are wrong.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.data, r.at, r.near = nil, 0, 0
}

// End requires that at most seven bits are left, and that they are zero. It returns the Reader's
// error, ErrTrailing or ErrPadding.
func (r *Reader) End() error {
	switch {
	case r.err != nil:
	case r.RemainingBits() >= 8:
		r.Fail(ErrTrailing)
	case r.rest() != 0:
		r.Fail(ErrPadding)
	}
	return r.err
}

// Bits reads n bits, 0 to 64. Where possible, it loads the word that contains them, so that no read
// waits for the result of the previous one.
func (r *Reader) Bits(n uint) uint64 {
	if at := r.at; at < r.near && n <= PeekBits {
		r.at += n
		return binary.LittleEndian.Uint64(r.data[at>>3:]) >> (at & 7) & (1<<n - 1)
	}
	return r.pieces(n)
}

// pieces is Bits for more bits than a load is sure to contain, and for the end of the stream.
func (r *Reader) pieces(n uint) uint64 {
	if n > uint(r.RemainingBits()) {
		r.Fail(ErrShort)
		return 0
	}
	if n > PeekBits {
		low := r.Bits(32)
		return low | r.Bits(n-32)<<32
	}
	v := r.rest() & (1<<n - 1)
	r.at += n
	return v
}

// Peek returns the next bits without advancing: at least PeekBits, or all remaining bits with zeros
// above them.
func (r *Reader) Peek() uint64 {
	if r.at < r.near {
		return binary.LittleEndian.Uint64(r.data[r.at>>3:]) >> (r.at & 7)
	}
	return r.rest()
}

// Window returns the stream from the byte of the read position on, and the bit of the position in
// that byte. With it, code that reads many records of equal width can read each of them at its own
// position, so that no load waits for the previous one. Call Skip afterwards to pass the bits read.
func (r *Reader) Window() (data []byte, bit uint) { return r.data[r.at>>3:], r.at & 7 }

// Skip advances by n bits. Peek and Skip are inlined; they replace Bits in hot code, and in code
// that takes several values from one Peek.
func (r *Reader) Skip(n uint) {
	if n > uint(r.RemainingBits()) {
		r.Fail(ErrShort)
		return
	}
	r.at += n
}

// rest is Peek near the end of the stream.
func (r *Reader) rest() uint64 {
	var word [8]byte
	copy(word[:], r.data[r.at>>3:])
	return binary.LittleEndian.Uint64(word[:]) >> (r.at & 7)
}

// Bool reads one bit. It is inlined.
func (r *Reader) Bool() bool {
	at := r.at
	if at>>3 >= uint(len(r.data)) {
		r.Fail(ErrShort)
		return false
	}
	r.at++
	return r.data[at>>3]>>(at&7)&1 != 0
}

// Align skips to the next whole byte, counted from Reset. The skipped bits must
// be zero, else the error is ErrPadding.
func (r *Reader) Align() {
	if r.Bits(-r.at&7) != 0 {
		r.Fail(ErrPadding)
	}
}

// Raw fills dst with the next bytes, which may begin at any bit. On an error dst is unchanged.
func (r *Reader) Raw(dst []byte) {
	r.Copy(dst, len(dst)*8)
}

// Copy copies the next n bits to the start of dst, and sets the remaining bits of the last byte
// that it touches to zero. On an error dst is unchanged. It panics if dst is too small.
func (r *Reader) Copy(dst []byte, n int) {
	if n < 0 || n > len(dst)*8 {
		panic("bits: Copy of more bits than the destination holds: make it (n+7)/8 bytes")
	}
	if n > r.RemainingBits() {
		r.Fail(ErrShort)
		return
	}
	whole := n >> 3
	if r.at&7 == 0 {
		copy(dst[:whole], r.data[r.at>>3:])
		r.at += uint(whole) * 8
	} else {
		r.copyWords(dst[:whole])
	}
	if rest := uint(n & 7); rest > 0 {
		dst[whole] = byte(r.Bits(rest))
	}
}

// copyWords copies whole bytes, a word at a time, from a position that is not a byte boundary. The
// caller has checked that they are there; they end in the middle of a byte.
func (r *Reader) copyWords(dst []byte) {
	src, shift := r.data[r.at>>3:], r.at&7
	r.at += uint(len(dst)) * 8
	for ; len(dst) >= 8; dst, src = dst[8:], src[8:] {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)>>shift|uint64(src[8])<<(64-shift))
	}
	for i := range dst {
		dst[i] = src[i]>>shift | src[i+1]<<(8-shift)
	}
}
