package token

import "encoding/binary"

// reader consumes little-endian values from the front of b. After a read beyond the end,
// short is set, and every value is zero.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) nextBytes(n int) []byte {
	if len(r.b) < n {
		r.short = true
		r.b = nil
		return nil
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) number(n int) uint64 {
	var b [8]byte
	copy(b[:], r.nextBytes(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (r *reader) u8() uint8   { return uint8(r.number(1)) }
func (r *reader) u16() uint16 { return uint16(r.number(2)) }
func (r *reader) u32() uint32 { return uint32(r.number(4)) }
func (r *reader) u64() uint64 { return r.number(8) }

// padded reports whether everything was read in bounds and only zeros are left.
func (r *reader) padded() bool {
	if r.short {
		return false
	}
	for _, b := range r.b {
		if b != 0 {
			return false
		}
	}
	return true
}

// pad appends zeros to dst until it is size bytes longer than start.
func pad(dst []byte, start, size int) []byte {
	return append(dst, make([]byte, size-(len(dst)-start))...)
}
