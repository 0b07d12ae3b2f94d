//go:build !linux

package report

import "time"

var began = time.Now()

// threadTime returns the time that has passed, on systems where a thread's own time is harder to
// read.
func threadTime() time.Duration { return time.Since(began) }

// processTime is threadTime.
func processTime() time.Duration { return threadTime() }
