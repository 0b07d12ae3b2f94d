package repl

import pack "github.com/entangle-ecs/entangle/protocol/bits"

// appendGap writes the distance, at least 1, from one of rising numbers to the next: 1
// bit for the usual 1.
func appendGap(w *pack.Writer, gap uint64) {
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
	if gap == 1 {
		return 1
	}
	return 1 + pack.UvarintBits(gap-2)
}
