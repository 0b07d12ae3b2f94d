package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

const (
	// tolerance is how far a row's share may be from the expected one, as a fraction of the
	// expected one.
	tolerance = 0.15

	// starvedAfter is how long a dot may remain without an update: this many intervals of its row,
	// plus a second. On a bad line several of its updates in a row may be lost.
	starvedAfter = 6

	// leastSeconds is how long updates must be counted for the shares to be meaningful.
	leastSeconds = 2

	// freeRate is the number of updates per second and dot from which on the cap counts as large
	// enough for the whole row.
	freeRate = 0.8 * tickRate
)

// Verdict returns an error if the example's claim does not hold.
func (r result) Verdict() error {
	switch {
	case r.Mode == stage.Server:
		return nil
	case r.Rows == nil:
		return errors.New("the client was ended before it had all dots")
	case r.Seconds < leastSeconds:
		return fmt.Errorf("%.1f s were counted, which says nothing: give it more -seconds", r.Seconds)
	case r.Cap > 0 && r.Rows[rowCount-1].PerDot > freeRate:
		return fmt.Errorf("the cap of %d has room for nearly all of row %d, so this run shows nothing: lower -cap or raise -dots", r.Cap, rowCount)
	case r.Warnings > 0:
		return fmt.Errorf("%d dots of row 1 waited for longer than %d ticks: the cap of %d has no room for that bound", r.Late, r.Within, r.Cap)
	}
	var errs []error
	for _, row := range r.Rows {
		errs = append(errs, row.verdict())
	}
	return errors.Join(errs...)
}

// verdict returns an error if the results of a row are wrong.
func (r rowReport) verdict() error {
	switch {
	case r.starved():
		return fmt.Errorf("row %d starved: no update of a dot for %d ticks", r.Row, r.Oldest)
	case r.off():
		return fmt.Errorf("row %d has %.1f %% of the updates and not %.1f %%", r.Row, r.Share*100, r.Expected*100)
	}
	return nil
}

func (r rowReport) starved() bool { return float64(r.Oldest) > starvedAfter*r.Interval+tickRate }

func (r rowReport) off() bool { return math.Abs(r.Share-r.Expected) > tolerance*r.Expected }
