// Package alloctest counts allocations, for tests and benchmarks.
package alloctest

import (
	"runtime"
	"runtime/debug"
)

// noise is how many allocations of the runtime itself may happen during one count on a busy
// machine, for example when it starts a thread.
const noise = 2

// Count returns how many allocations the given number of runs of f make in total, after one run
// that does not count. (testing.AllocsPerRun returns the average, rounded down, so a tick that
// allocates every other time would count as zero.) The garbage collector is off during the count,
// because values that it removes from a sync.Pool would be allocated again. No other goroutine may
// run.
//
// The runtime occasionally allocates by itself. So a count of one or two is repeated, and the
// second count is returned: f would have to allocate both times.
func Count(runs int, f func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
	n := count(runs, f)
	if n > 0 && n <= noise {
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
