package netsim

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Trial is a test within a test: a failure in it does not fail the surrounding test. It can be used
// as the T of a simulation and with assertion packages.
type Trial struct {
	name    string
	failure string
	failed  bool
	cleanup []func()
}

var _ T = (*Trial)(nil)

// Try runs a test in its own goroutine. It returns nil if the test passes, or an error with the
// first failure. A panic is also a failure.
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

// end runs the cleanup functions, the last one first, even if one of them ends the goroutine.
func (t *Trial) end() {
	if n := len(t.cleanup); n > 0 {
		f := t.cleanup[n-1]
		t.cleanup = t.cleanup[:n-1]
		defer t.end()
		t.guard(f)
	}
}

// guard turns a panic into a failure.
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

// Name returns the name that was passed to Try.
func (t *Trial) Name() string { return t.name }

// Failed reports whether the test has failed so far.
func (t *Trial) Failed() bool { return t.failed }

// Logf does nothing: only the failure is kept.
func (t *Trial) Logf(string, ...any) {}

// Cleanup registers a function to call when the test has ended. The last one is called first.
func (t *Trial) Cleanup(f func()) { t.cleanup = append(t.cleanup, f) }

// Errorf fails the test. Of several failures the first is kept.
func (t *Trial) Errorf(format string, values ...any) {
	if !t.failed {
		t.failed, t.failure = true, fmt.Sprintf(format, values...)
	}
}

// FailNow ends the test as failed. It must be called by the goroutine that runs the test.
func (t *Trial) FailNow() {
	t.Errorf("the test failed")
	runtime.Goexit()
}

// Fatalf is Errorf, then FailNow.
func (t *Trial) Fatalf(format string, values ...any) {
	t.Errorf(format, values...)
	t.FailNow()
}
