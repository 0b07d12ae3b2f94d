package bits

import (
	"encoding/binary"
	"slices"
)

// Writer appends bits to a byte slice. The zero value is ready and allocates as
// it grows; Reset gives it memory to append to.
type Writer struct {
	buf   []byte
	acc   uint64 // bits that are not in buf yet; the first one is the lowest
	n     uint   // number of those bits, always below 64
	start int    // len(buf) at Reset
}

// Reset begins a new stream after the bytes of buf, in its spare capacity.
func (w *Writer) Reset(buf []byte) {
	*w = Writer{buf: buf, start: len(buf)}
}

// LenBits returns the number of bits written since Reset.
func (w *Writer) LenBits() int {
	return (len(w.buf)-w.start)*8 + int(w.n)
}

// Finish pads the stream with zero bits to a whole byte. It returns the slice given to Reset with
// the stream appended. If more is written after that, it follows the padding, and the returned
// slice no longer contains the whole stream.
func (w *Writer) Finish() []byte {
	w.Align()
	w.spill()
	return w.buf
}

// Bits writes the low n bits of v; n is 0 to 64, and bits of v above n are
// ignored.
func (w *Writer) Bits(v uint64, n uint) {
	w.Put(v&(1<<n-1), n)
}

// Put is Bits for hot code in which v is known to fit into n bits: it is inlined. It does not
// check: a v that does not fit corrupts the bits written next.
func (w *Writer) Put(v uint64, n uint) {
	w.acc |= v << (w.n & 63)
	if w.n += n; w.n >= 64 {
		w.carry(v, n)
	}
}

// carry moves a full accumulator to memory and keeps the bits of v that did not fit. It is not
// inlined, so that Put is small enough to be inlined.
//
//go:noinline
func (w *Writer) carry(v uint64, n uint) {
	w.buf = binary.LittleEndian.AppendUint64(w.buf, w.acc)
	w.n -= 64
	w.acc = v >> (n - w.n)
}

// Pair writes the low n bits, 64 to 128, of a number of two words, the low one first. Bits above n
// must be zero; like Put, it does not check this. It may overwrite up to eight bytes of buf's spare
// capacity after the bits that it writes.
func (w *Writer) Pair(low, high uint64, n uint) {
	at := len(w.buf)
	if cap(w.buf)-at < 16 {
		w.Put(low, 64)
		w.Put(high, n-64)
		return
	}
	// Both words that may be full are always stored. The number of full ones is computed
	// afterwards, because the processor could not predict a branch on it.
	to := (*[16]byte)(w.buf[at : at+16])
	second := low>>(64-w.n) | high<<(w.n&63)
	binary.LittleEndian.PutUint64(to[:8], w.acc|low<<(w.n&63))
	binary.LittleEndian.PutUint64(to[8:], second)
	third, full := high>>(64-w.n), (w.n+n)>>6
	w.n = (w.n + n) & 63
	w.buf = w.buf[:at+8*int(full)]
	if w.acc = second; full == 2 {
		w.acc = third
	}
}

// spill moves the whole bytes of the accumulator to memory.
func (w *Writer) spill() {
	for ; w.n >= 8; w.n -= 8 {
		w.buf = append(w.buf, byte(w.acc))
		w.acc >>= 8
	}
}

// Bool writes one bit, 1 for true.
func (w *Writer) Bool(v bool) {
	var bit uint64
	if v {
		bit = 1
	}
	w.Bits(bit, 1)
}

// Align pads with zero bits to a whole byte, counted from Reset.
func (w *Writer) Align() {
	w.Bits(0, -w.n&7)
}

// Raw writes bytes, at any bit position of the stream.
func (w *Writer) Raw(b []byte) {
	w.Copy(b, len(b)*8)
}

// Copy writes the first n bits of src, a stream made by another Writer, at any bit position of this
// stream. It panics if src has fewer than n bits.
func (w *Writer) Copy(src []byte, n int) {
	if n < 0 || n > len(src)*8 {
		panic("bits: Copy of more bits than the source holds: pass the length that LenBits returned for that source")
	}
	whole := n >> 3
	if w.n&7 == 0 {
		w.spill()
		w.buf = append(w.buf, src[:whole]...)
	} else {
		w.copyWords(src[:whole])
	}
	if rest := uint(n & 7); rest > 0 {
		w.Bits(uint64(src[whole]), rest)
	}
}

// copyWords writes whole bytes, a word at a time, at a position that is not a byte boundary.
func (w *Writer) copyWords(src []byte) {
	buf, acc, n := slices.Grow(w.buf, len(src)+8), w.acc, w.n
	for ; len(src) >= 8; src = src[8:] {
		word := binary.LittleEndian.Uint64(src)
		buf = binary.LittleEndian.AppendUint64(buf, acc|word<<(n&63))
		acc = word >> ((64 - n) & 63)
	}
	w.buf, w.acc = buf, acc
	if len(src) > 0 {
		var last [8]byte
		copy(last[:], src)
		w.Put(binary.LittleEndian.Uint64(last[:]), uint(len(src))*8)
	}
}
