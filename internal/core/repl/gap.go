package repl

import (
	"encoding/binary"

	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// appendGap writes the distance, at least 1, from one of rising numbers to the next: 1
// bit for the usual 1.
func appendGap(w *pack.Writer, gap uint64) {
	if gap < uint64(len(shortGaps)) {
		w.Put(uint64(shortGaps[gap].code), uint(shortGaps[gap].width))
		return
	}
	appendLongGap(w, gap)
}

// shortGaps is the encodings of the gaps that take no more than a byte and a bit.
var shortGaps = func() (all [2 + 1<<3 + 1<<6]struct{ code, width uint16 }) {
	for gap := range all {
		var w pack.Writer
		appendLongGap(&w, uint64(max(gap, 1)))
		all[gap].width = uint16(w.LenBits())
		w.Bits(0, 16)
		all[gap].code = binary.LittleEndian.Uint16(w.Finish())
	}
	return all
}()

func appendLongGap(w *pack.Writer, gap uint64) {
	w.Bool(gap == 1)
	if gap != 1 {
		w.Uvarint(gap - 2)
	}
}

func readGap(r *pack.Reader) (gap uint64) {
	if r.Bool() {
		return 1
	}
	if gap = r.Uvarint(); gap > 1<<32 {
		return gap
	}
	return gap + 2
}

// GapBits returns what appendGap writes.
func GapBits(gap uint64) int {
	if gap < uint64(len(shortGaps)) {
		return int(shortGaps[gap].width)
	}
	return 1 + pack.UvarintBits(gap-2)
}
