package columns

import (
	"bytes"
	"unsafe"
)

// scatter copies values, which are in the order of rows, to their slots. For common sizes it copies
// words, which takes a fraction of the time of calling copy for each value.
func scatter(size int, bySlot, rows []byte, slots []Slot) {
	switch size {
	case 1:
		scatterAs[[1]byte](bySlot, rows, slots)
	case 2:
		scatterAs[[2]byte](bySlot, rows, slots)
	case 4:
		scatterAs[[4]byte](bySlot, rows, slots)
	case 8:
		scatterAs[[8]byte](bySlot, rows, slots)
	case 12:
		scatterAs[[12]byte](bySlot, rows, slots)
	case 16:
		scatterAs[[16]byte](bySlot, rows, slots)
	case 20:
		scatterAs[[20]byte](bySlot, rows, slots)
	case 24:
		scatterAs[[24]byte](bySlot, rows, slots)
	case 28:
		scatterAs[[28]byte](bySlot, rows, slots)
	case 32:
		scatterAs[[32]byte](bySlot, rows, slots)
	default:
		for row, slot := range slots {
			copy(bySlot[int(slot)*size:(int(slot)+1)*size], rows[row*size:])
		}
	}
}

// Gather copies values of the given size: the value at index i of to becomes the value at index
// places[i] of from.
func Gather(size int, to, from []byte, places []uint32) { gather(size, from, to, places) }

// Unlike returns the lowest index i, at least from, at which value i of a differs from value
// places[i] of b. It returns -1 if there is none.
func Unlike(size int, a, b []byte, places []uint32, from int) int {
	switch size {
	case 4:
		return unlikeAs[[4]byte](a, b, places, from)
	case 8:
		return unlikeAs[[8]byte](a, b, places, from)
	case 12:
		return unlikeAs[[12]byte](a, b, places, from)
	case 16:
		return unlikeAs[[16]byte](a, b, places, from)
	case 24:
		return unlikeAs[[24]byte](a, b, places, from)
	}
	for n := from; n < len(places); n++ {
		if at := int(places[n]) * size; !bytes.Equal(a[n*size:(n+1)*size], b[at:at+size]) {
			return n
		}
	}
	return -1
}

func unlikeAs[T comparable](a, b []byte, places []uint32, from int) int {
	as, bs := valuesOf[T](a)[:len(places)], valuesOf[T](b)
	for n := from; n < len(places); n++ {
		if as[n] != bs[places[n]] {
			return n
		}
	}
	return -1
}

// gather is the inverse of scatter.
func gather[N ~uint32](size int, bySlot, rows []byte, slots []N) {
	switch size {
	case 1:
		gatherAs[[1]byte](bySlot, rows, slots)
	case 2:
		gatherAs[[2]byte](bySlot, rows, slots)
	case 4:
		gatherAs[[4]byte](bySlot, rows, slots)
	case 8:
		gatherAs[[8]byte](bySlot, rows, slots)
	case 12:
		gatherAs[[12]byte](bySlot, rows, slots)
	case 16:
		gatherAs[[16]byte](bySlot, rows, slots)
	case 20:
		gatherAs[[20]byte](bySlot, rows, slots)
	case 24:
		gatherAs[[24]byte](bySlot, rows, slots)
	case 28:
		gatherAs[[28]byte](bySlot, rows, slots)
	case 32:
		gatherAs[[32]byte](bySlot, rows, slots)
	default:
		for row, slot := range slots {
			copy(rows[row*size:(row+1)*size], bySlot[int(slot)*size:])
		}
	}
}

func scatterAs[T any](bySlot, rows []byte, slots []Slot) {
	to, from := valuesOf[T](bySlot), valuesOf[T](rows)[:len(slots)]
	for row, slot := range slots {
		to[slot] = from[row]
	}
}

func gatherAs[T any, N ~uint32](bySlot, rows []byte, slots []N) {
	from, to := valuesOf[T](bySlot), valuesOf[T](rows)[:len(slots)]
	for row, slot := range slots {
		to[row] = from[slot]
	}
}

// ValuesOf returns the memory of a component as its values. They must begin at the address of
// a value, and the result is valid as long as they are.
func ValuesOf[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return valuesOf[T](b)
}

// valuesOf reinterprets bytes as values of a type that needs no alignment.
func valuesOf[T any](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}
