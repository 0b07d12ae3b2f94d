package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// Run initialises sys with the world, updates it in a paced loop until ctx ends, and finalises it.
// It is the loop for programs without one of their own. An App that is already initialised, so that
// it could connect, is not initialised again.
//
// Frames begin at the tick rate of an app, and entangle.DefaultTickRate times per
// second for a system without one. Between frames Run sleeps. Frames do not
// drift: the n-th begins n intervals after the first. If a frame takes longer
// than an interval the next begins at once; if the loop falls behind by more than
// that, it goes on from there without making up for frames (an app makes up for
// ticks by itself).
//
// It returns nil when ctx ends, and an error before any initialisation if its arguments are
// invalid.
func Run(ctx context.Context, w *ecs.World, sys System) error {
	rate, err := frameRate(w, sys)
	if err != nil {
		return err
	}
	if app, ok := sys.(App); !ok || app.World() != w {
		sys.Initialize(w)
	}
	pace(ctx, rate, func() { sys.Update(w) })
	sys.Finalize(w)
	return nil
}

// rated is an app that has a tick rate.
type rated interface{ TickRate() int }

func frameRate(w *ecs.World, sys System) (int, error) {
	if w == nil {
		return 0, errors.New("plugin: Run needs a world; make one with ecs.NewWorld()")
	}
	if sys == nil {
		return 0, errors.New("plugin: Run needs a system, such as a Server, a Client or a Host; got nil")
	}
	app, ok := sys.(rated)
	if !ok {
		return entangle.DefaultTickRate, nil
	}
	rate := app.TickRate()
	if rate < 1 {
		return 0, fmt.Errorf("plugin: Run needs a tick rate of at least 1 per second; %T.TickRate returns %d", sys, rate)
	}
	return rate, nil
}

// pace calls frame rate times per second until ctx ends.
func pace(ctx context.Context, rate int, frame func()) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	deadlines := newDeadlines(rate, time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if ctx.Err() != nil {
			return
		}
		frame()
		timer.Reset(deadlines.next(time.Now()))
	}
}

// deadlines computes the waiting time before each frame. It counts frames from a start, so that the
// rounding of an interval to nanoseconds does not accumulate.
type deadlines struct {
	rate  int64
	start time.Time
	count int64
}

func newDeadlines(rate int, now time.Time) *deadlines {
	return &deadlines{rate: int64(rate), start: now}
}

// next returns how long after now the next frame begins, at least 0.
func (d *deadlines) next(now time.Time) time.Duration {
	d.count++
	if d.count == d.rate { // a whole second: keeps the product below small
		d.start, d.count = d.start.Add(time.Second), 0
	}
	wait := d.start.Add(time.Duration(d.count * int64(time.Second) / d.rate)).Sub(now)
	if wait < -time.Duration(int64(time.Second)/d.rate) {
		d.start, d.count = now, 0
	}
	return max(wait, 0)
}
