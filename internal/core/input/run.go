package input

import (
	mathbits "math/bits"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// appendRun writes the length of a run: 1 to rest, which is the number of remaining ticks. First it
// writes the position of the highest bit in unary: as many zeros, and then a one unless no higher
// position is possible. Then follow the bits below the highest one. So a run that extends to the
// end is short, and if one tick remains, its run takes no bits.
func appendRun(w *bits.Writer, run, rest int) {
	high, most := log2(run), log2(rest)
	w.Bits(0, high)
	if high < most {
		w.Bits(1, 1)
	}
	w.Bits(uint64(run), high) // without the highest bit
}

// readRun reads a run that appendRun wrote. It returns 0 after an error.
func readRun(r *bits.Reader, rest int) int {
	high, most := uint(0), log2(rest)
	for high < most && !r.Bool() {
		if high++; r.Err() != nil {
			return 0
		}
	}
	run := 1<<high | int(r.Bits(high))
	if r.Err() != nil || run > rest {
		r.Fail(ErrRun)
		return 0
	}
	return run
}

func log2(n int) uint { return uint(mathbits.Len(uint(n)) - 1) }
