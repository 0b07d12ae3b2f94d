package wire

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Most integers without a range are small: counters, flags, points. So 32- and 64-bit integers have
// four forms. Two bits state the form; the numbers of each form begin where those of the previous
// one end, except in the last form, so that each number has exactly one code. Signed numbers are
// mapped to 0, -1, 1, -2, 2, ... before that.
//
//	form   total   numbers
//	0      4       0 to 3, in 2 bits
//	1      10      4 to 259, in 8 bits
//	2      22      260 to 1048835, in 20 bits
//	3      34, 66  all others, in 32 or 64 bits, as they are

// wholeForms has, for each form, its first number and the bits that follow the number of the form.
// A number of the last form has the bits of its type instead.
var wholeForms = [4]struct{ begin, bits uint64 }{{0, 2}, {4, 8}, {4 + 1<<8, 20}, {4 + 1<<8 + 1<<20, 0}}

const (
	formBits     = 2                // which state the form
	lastForm     = 1<<formBits - 1  // a number as it is
	minWholeBits = formBits + 2     // of the shortest form
	beginLast    = 4 + 1<<8 + 1<<20 // numbers below have a shorter form than the last
)

// putWhole writes a number, which takes up to the given number of bits in the last form.
func putWhole(w *bits.Writer, v uint64, last uint8) {
	form := 0
	switch {
	case v < wholeForms[1].begin:
	case v < wholeForms[2].begin:
		form = 1
	case v < beginLast:
		form = 2
	default:
		w.Put(lastForm, formBits)
		w.Put(v, uint(last))
		return
	}
	f := &wholeForms[form]
	w.Put((v-f.begin)<<formBits|uint64(form), uint(f.bits)+formBits)
}

// readWhole reads a number. After an error, which r keeps, the result means nothing.
func readWhole(r *bits.Reader, last uint8) uint64 {
	code := r.Peek()
	form := code & lastForm
	if form == lastForm {
		return readLast(r, last)
	}
	f := &wholeForms[form]
	r.Skip(uint(f.bits) + formBits)
	return f.begin + code>>formBits&(1<<f.bits-1)
}

// readLast reads a number in the last form, and refuses one that has a shorter form.
func readLast(r *bits.Reader, last uint8) uint64 {
	r.Skip(formBits)
	v := r.Bits(uint(last))
	if v < beginLast {
		r.Fail(bits.ErrLong) // an earlier ErrShort stays
	}
	return v
}

func encodeWhole(o *op, w *bits.Writer, p unsafe.Pointer, _ RefWriter) (clamped int) {
	for i := range uintptr(o.count) {
		v := o.int(p, i)
		if o.ints.signed {
			v = v<<1 ^ uint64(int64(v)>>63)
		}
		putWhole(w, v, o.bits)
	}
	return 0
}

// decodeWhole fails for an int or uint that does not fit into the memory of this machine's.
func decodeWhole(o *op, r *bits.Reader, p unsafe.Pointer, _ RefReader, _ *int) {
	for i := range uintptr(o.count) {
		v := o.wholeOf(readWhole(r, o.bits))
		storeInt(unsafe.Add(p, i*uintptr(o.size)), o.size, v)
		if o.size*8 < o.bits && o.int(p, i) != v {
			r.Fail(ErrRange)
		}
		if r.Err() != nil {
			return
		}
	}
}

// wholeOf returns the number that is sent as v.
func (o *op) wholeOf(v uint64) uint64 {
	if o.ints.signed {
		return v>>1 ^ -(v & 1)
	}
	return v
}
