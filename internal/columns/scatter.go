package columns

import "unsafe"

// scatter copies values in the order of rows to where their slots are. For sizes that
// are common a value is a few words, which costs a fraction of a call of copy.
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

// gather is the opposite of scatter.
func gather(size int, bySlot, rows []byte, slots []Slot) {
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

func gatherAs[T any](bySlot, rows []byte, slots []Slot) {
	from, to := valuesOf[T](bySlot), valuesOf[T](rows)[:len(slots)]
	for row, slot := range slots {
		to[row] = from[slot]
	}
}

// valuesOf reads bytes as values of one size, which have no alignment.
func valuesOf[T any](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}
