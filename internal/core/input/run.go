package input

import (
	mathbits "math/bits"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// appendRun writes for how many ticks something holds, of the rest of them: 1 to rest.
// The position of the highest bit comes in as many zeros, ended by a one unless no higher
// one is possible, and then the bits below it. So a run that goes to the end is short, and
// the last tick takes nothing.
func appendRun(w *bits.Writer, run, rest int) {
	high, most := log2(run), log2(rest)
	w.Bits(0, high)
	if high < most {
		w.Bits(1, 1)
	}
	w.Bits(uint64(run), high) // the highest bit is cut off
}

// readRun reads what appendRun writes; 0 is an error.
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
