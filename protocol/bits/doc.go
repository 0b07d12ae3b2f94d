// Package bits packs values of any width from 0 to 64 bits one after another,
// and reads them back.
//
// The stream is little-endian, least significant bit first: the first bit written is bit 0 of the
// first byte, and the low bits of a value come before its high bits. A stream that is cut at a byte
// boundary is therefore the same as the little-endian memory of the values in it, so that whole
// runs can be copied as words.
//
// A Writer appends to memory that the caller provides, and allocates only when that memory is too
// small. A Reader never allocates, never panics on any bytes, and keeps its first error: a decoder
// may read a whole body and ask Err once.
//
// # How to drive it
//
//	Writer: Reset, then Bits, Bool, Uvarint, Varint, Align, Raw, Copy; LenBits; Finish
//	Reader: Reset, then the same names, or Peek and Skip; RemainingBits, Err, Fail; End
//
// # Variable-length numbers
//
// Uvarint is sized for numbers that are mostly small: indexes into a table, lengths, counts. The
// first bits select the size. The numbers of each size begin where those of the previous size end,
// so that a number has exactly one form:
//
//	bits   total  numbers
//	0      4      0 to 7, 3 bits
//	10     8      8 to 71, 6 bits
//	110    16     72 to 8263, 13 bits
//	1110   32     8264 to 268443719, 28 bits
//	1111   68     all others, 64 bits, as they are
//
// (written in stream order: the bit on the left comes first). Varint maps signed
// numbers to 0, -1, 1, -2, 2, ... and writes them as Uvarint.
package bits
