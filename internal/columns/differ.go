package columns

import "unsafe"

// differ returns 0 if n bytes are equal; n must be at least 1. For a few words it is faster than
// bytes.Equal.
func differ(a, b unsafe.Pointer, n int) uint64 {
	if n < 8 {
		return differLittle(a, b, n)
	}
	x := differ8(unsafe.Add(a, n-8), unsafe.Add(b, n-8))
	at := 0
	for ; at < n-32; at += 32 {
		x |= differ32(unsafe.Add(a, at), unsafe.Add(b, at))
	}
	for ; at < n-8; at += 8 {
		x |= differ8(unsafe.Add(a, at), unsafe.Add(b, at))
	}
	return x
}

// differLittle is differ for n from 1 to 7.
func differLittle(a, b unsafe.Pointer, n int) uint64 {
	if n >= 4 {
		x := *(*uint32)(a) ^ *(*uint32)(b)
		return uint64(x | (*(*uint32)(unsafe.Add(a, n-4)) ^ *(*uint32)(unsafe.Add(b, n-4))))
	}
	// Up to three bytes: the first, the middle and the last one are all of them.
	x := *(*byte)(a) ^ *(*byte)(b)
	x |= *(*byte)(unsafe.Add(a, n-1)) ^ *(*byte)(unsafe.Add(b, n-1))
	return uint64(x | (*(*byte)(unsafe.Add(a, n>>1)) ^ *(*byte)(unsafe.Add(b, n>>1))))
}

func differ8(a, b unsafe.Pointer) uint64 { return *(*uint64)(a) ^ *(*uint64)(b) }

func differ16(a, b unsafe.Pointer) uint64 {
	p, q := (*[2]uint64)(a), (*[2]uint64)(b)
	return (p[0] ^ q[0]) | (p[1] ^ q[1])
}

func differ32(a, b unsafe.Pointer) uint64 {
	p, q := (*[4]uint64)(a), (*[4]uint64)(b)
	return (p[0] ^ q[0]) | (p[1] ^ q[1]) | (p[2] ^ q[2]) | (p[3] ^ q[3])
}
