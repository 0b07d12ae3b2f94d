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

// Reader reads bits from a byte slice. After the first error every method
// returns zero values and Err that error. A Reader may be copied: the copy goes
// on from the same position.
type Reader struct {
	data []byte // not yet loaded
	acc  uint64 // loaded and not yet read, the next bit lowest
	n    uint   // how many of them, always below 64
	err  error
}

// Reset begins to read at the first bit of data. The Reader keeps data and never
// writes to it.
func (r *Reader) Reset(data []byte) {
	*r = Reader{data: data}
}

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// RemainingBits returns the number of bits left to read, padding included.
func (r *Reader) RemainingBits() int { return len(r.data)*8 + int(r.n) }

// Fail makes err the Reader's error, unless it has one, and ends the stream. A
// decoder calls it for values that are well formed and still wrong.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.data, r.acc, r.n = nil, 0, 0
}

// End requires that nothing but zero padding of less than a byte is left. It
// returns the Reader's error, ErrTrailing or ErrPadding.
func (r *Reader) End() error {
	switch {
	case r.err != nil:
	case r.RemainingBits() >= 8:
		r.Fail(ErrTrailing)
	case r.acc != 0:
		r.Fail(ErrPadding)
	}
	return r.err
}

// Bits reads n bits, 0 to 64.
func (r *Reader) Bits(n uint) uint64 {
	if n > r.n {
		return r.refill(n)
	}
	v := r.acc & (1<<(n&63) - 1)
	r.acc >>= n & 63
	r.n -= n
	return v
}

// refill reads n bits, more than are loaded.
func (r *Reader) refill(n uint) uint64 {
	if len(r.data) < 8 {
		return r.tail(n)
	}
	word := binary.LittleEndian.Uint64(r.data)
	r.data = r.data[8:]
	v := r.acc | word<<r.n
	used := n - r.n
	r.acc, r.n = word>>used, 64-used
	return v & (1<<n - 1)
}

// tail reads n bits, more than are loaded, where less than a word is left.
func (r *Reader) tail(n uint) uint64 {
	if int(n) > r.RemainingBits() {
		r.Fail(ErrShort)
		return 0
	}
	var word uint64
	for i, b := range r.data {
		word |= uint64(b) << (8 * i)
	}
	v := r.acc | word<<r.n
	used := n - r.n
	r.acc, r.n = word>>used, uint(len(r.data))*8-used
	r.data = nil
	return v & (1<<n - 1)
}

// Bool reads one bit.
func (r *Reader) Bool() bool { return r.Bits(1) != 0 }

// Align skips to the next whole byte, counted from Reset. The skipped bits must
// be zero, else the error is ErrPadding.
func (r *Reader) Align() {
	if r.Bits(r.n&7) != 0 {
		r.Fail(ErrPadding)
	}
}

// Raw fills dst with the next bytes, from whatever bit the stream stands at. On
// an error dst is unchanged.
func (r *Reader) Raw(dst []byte) {
	r.Copy(dst, len(dst)*8)
}

// Copy moves the next n bits to the start of dst and sets the rest of the last
// byte it touches to zero. On an error dst is unchanged. It panics if dst is too
// small.
func (r *Reader) Copy(dst []byte, n int) {
	if n < 0 || n > len(dst)*8 {
		panic("bits: Copy of more bits than the destination holds: make it (n+7)/8 bytes")
	}
	if n > r.RemainingBits() {
		r.Fail(ErrShort)
		return
	}
	whole := n >> 3
	i := 0
	if r.n == 0 {
		i = copy(dst[:whole], r.data)
		r.data = r.data[i:]
	}
	for ; whole-i >= 8; i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], r.Bits(64))
	}
	for ; i < whole; i++ {
		dst[i] = byte(r.Bits(8))
	}
	if rest := uint(n & 7); rest > 0 {
		dst[whole] = byte(r.Bits(rest))
	}
}
