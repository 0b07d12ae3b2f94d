package netsim

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Trial is a test within a test: what fails in it does not fail the test around
// it. It serves as the T of a simulation, and as what packages of assertions take.
type Trial struct {
	name    string
	failure string
	failed  bool
	cleanup []func()
}

var _ T = (*Trial)(nil)

// Try runs a test in a goroutine of its own and returns nil if it passes, or an
// error with the first thing it failed with. A panic is a failure, too.
func Try(name string, test func(t *Trial)) error {
	t, done := &Trial{name: name}, make(chan struct{})
	go func() {
		defer close(done)
		defer t.end()
		t.guard(func() { test(t) })
	}()
	<-done
	if t.failed {
		return errors.New(t.failure)
	}
	return nil
}

// end runs what was left for the end, the last first, even where one of them ends
// the goroutine.
func (t *Trial) end() {
	if n := len(t.cleanup); n > 0 {
		f := t.cleanup[n-1]
		t.cleanup = t.cleanup[:n-1]
		defer t.end()
		t.guard(f)
	}
}

// guard makes a failure of a panic.
func (t *Trial) guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	f()
}

// Helper does nothing.
func (t *Trial) Helper() {}

// Name returns the name that Try was given.
func (t *Trial) Name() string { return t.name }

// Failed reports whether the test has failed so far.
func (t *Trial) Failed() bool { return t.failed }

// Logf does nothing: only the failure is kept.
func (t *Trial) Logf(string, ...any) {}

// Cleanup calls a function when the test has ended, the last one first.
func (t *Trial) Cleanup(f func()) { t.cleanup = append(t.cleanup, f) }

// Errorf makes the test fail. Of several failures the first is kept.
func (t *Trial) Errorf(format string, values ...any) {
	if !t.failed {
		t.failed, t.failure = true, fmt.Sprintf(format, values...)
	}
}

// FailNow ends the test as failed. It is called by the goroutine that runs it.
func (t *Trial) FailNow() {
	t.Errorf("the test failed")
	runtime.Goexit()
}

// Fatalf is Errorf, then FailNow.
func (t *Trial) Fatalf(format string, values ...any) {
	t.Errorf(format, values...)
	t.FailNow()
}
