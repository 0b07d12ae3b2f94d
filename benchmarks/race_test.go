//go:build race

package main

// Under the race detector sync.Pool drops items at random, so that packages below ours allocate
// where they otherwise would not.
const raceDetector = true
