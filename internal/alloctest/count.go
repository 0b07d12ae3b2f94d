// Package alloctest counts allocations, for tests and benchmarks.
package alloctest

import (
	"runtime"
	"runtime/debug"
)

// stray is how many allocations of the runtime's own may fall into one count on a busy machine,
// such as those of a thread that it starts.
const stray = 2

// Count returns how often f allocates in so many runs together, after one that does not
// count. testing.AllocsPerRun returns the average, rounded down: there, a tick that
// allocates every other time allocates nothing. The garbage collector is off meanwhile, since
// what it takes from a sync.Pool would be allocated again. Nothing else may run.
//
// The runtime allocates now and then by itself. A count of one or two is therefore taken a
// second time, and the second one stands: f would have to allocate in both.
func Count(runs int, f func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
	n := count(runs, f)
	if n > 0 && n <= stray {
		n = count(runs, f)
	}
	return n
}

func count(runs int, f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
