package netsim

import (
	"fmt"
	"time"
)

// origin is when every virtual clock begins. It is a fixed moment, so that tokens
// and times in traces are the same in every run.
var origin = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// Clock is a virtual clock: it stands still until it is advanced. Its zero value
// is ready for use. One goroutine uses it.
type Clock struct{ since time.Duration }

// Now returns the time of the clock. It is what a ServerConfig, a ClientConfig and
// a Network take as their clock.
func (c *Clock) Now() time.Time { return origin.Add(c.since) }

// Since returns how far the clock was advanced.
func (c *Clock) Since() time.Duration { return c.since }

// Advance moves the clock on. It panics for a negative duration.
func (c *Clock) Advance(d time.Duration) {
	if d < 0 {
		panic(fmt.Sprintf("netsim: the clock cannot be advanced by %v; virtual time does not run back", d))
	}
	c.since += d
}
