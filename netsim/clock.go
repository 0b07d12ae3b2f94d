package netsim

import (
	"fmt"
	"time"
)

// origin is the time at which every virtual clock begins. It is fixed, so that tokens and times in
// traces are the same in every run.
var origin = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// Clock is a virtual clock, which stands still until it is advanced. Its zero value is ready for
// use. It must be used by one goroutine only.
type Clock struct{ since time.Duration }

// Now returns the time of the clock. Pass this method as the clock of a ServerConfig, a
// ClientConfig or a Network.
func (c *Clock) Now() time.Time { return origin.Add(c.since) }

// Since returns the total duration by which the clock was advanced.
func (c *Clock) Since() time.Duration { return c.since }

// Advance moves the clock forward. It panics for a negative duration.
func (c *Clock) Advance(d time.Duration) {
	if d < 0 {
		panic(fmt.Sprintf("netsim: the clock cannot be advanced by %v; virtual time does not run back", d))
	}
	c.since += d
}
