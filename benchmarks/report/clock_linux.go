package report

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time that the calling thread has used: a neighbour on the machine
// does not change it.
func threadTime() time.Duration { return clockTime(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime returns the processor time that all threads have used.
func processTime() time.Duration { return clockTime(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clockTime(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err) // every Linux has these clocks
	}
	return time.Duration(t.Nano())
}
