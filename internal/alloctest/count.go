// Package alloctest counts allocations, for tests and benchmarks.
package alloctest

import (
	"runtime"
	"runtime/debug"
)

// Count returns how often f allocates in so many runs together, after one that does not
// count. testing.AllocsPerRun returns the average, rounded down: there, a tick that
// allocates every other time allocates nothing. The garbage collector is off meanwhile, since
// what it takes from a sync.Pool would be allocated again. Nothing else may run.
func Count(runs int, f func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
