package netsim

import (
	"fmt"
	"time"
)

// MaxDrift is the maximum drift of a clock in parts per million: a tenth. Crystals differ by less
// than 200, a machine under heavy load or a virtual machine by a few thousand.
const MaxDrift = 100_000

// localClock is the clock of one app: the simulation's clock, running faster or slower by a
// constant factor since the drift began.
type localClock struct {
	sim          *Clock
	ppm          int
	began        time.Duration // when the drift began, by the simulation's clock
	shownAtBegin time.Duration // the time of this clock at that moment
	asked        bool          // Now was called since asked was last cleared; see claimClock
}

// Now returns the time by this clock.
func (c *localClock) Now() time.Time {
	c.asked = true
	return c.now()
}

func (c *localClock) now() time.Time { return origin.Add(c.since()) }

// since returns how far this clock is from the origin.
func (c *localClock) since() time.Duration {
	d := c.sim.Since() - c.began
	return c.shownAtBegin + d + parts(d, c.ppm)
}

// setDrift changes how fast the clock runs from now on.
func (c *localClock) setDrift(ppm int) error {
	if ppm < -MaxDrift || ppm > MaxDrift {
		return fmt.Errorf("netsim: a drift of %d parts per million; give %d to %d", ppm, -MaxDrift, MaxDrift)
	}
	c.shownAtBegin, c.began, c.ppm = c.since(), c.sim.Since(), ppm
	return nil
}

// realTime returns how long it takes until this clock has advanced by d.
func (c *localClock) realTime(d time.Duration) time.Duration {
	return time.Duration(int64(d) * 1_000_000 / int64(1_000_000+c.ppm))
}

// parts returns the given millionths of a duration. It overflows only for durations of years.
func parts(d time.Duration, ppm int) time.Duration {
	return d/1_000_000*time.Duration(ppm) + d%1_000_000*time.Duration(ppm)/1_000_000
}

// claimClock returns the clock that call reads, out of the clocks that were handed out in configs
// and have no client yet. If call reads none of them, claimClock returns a new clock. The
// simulation sees apps only from outside, so this is how it learns which config belongs to which
// client.
func (s *Sim) claimClock(call func()) *localClock {
	for _, c := range s.unclaimed {
		c.asked = false
	}
	call()
	for i, c := range s.unclaimed {
		if c.asked {
			s.unclaimed = append(s.unclaimed[:i], s.unclaimed[i+1:]...)
			return c
		}
	}
	return &localClock{sim: &s.clock}
}

// newLocalClock makes a clock for a config.
func (s *Sim) newLocalClock() *localClock {
	c := &localClock{sim: &s.clock}
	s.unclaimed = append(s.unclaimed, c)
	return c
}
