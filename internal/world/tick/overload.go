package tick

import (
	"log/slog"
	"math"
	"time"
)

const (
	// OverloadAfter is for how long ticks must be dropped repeatedly until an app counts as
	// overloaded. One long frame (a garbage collection, a breakpoint, a level that is loaded) drops
	// ticks only once. A second is long enough to measure the actual rate.
	OverloadAfter = time.Second

	// OverloadOver is for how long no tick may be dropped until an overload counts as over. An app
	// that is too slow by 1 % drops a tick every 1.7 seconds at 60 Hz, and should count as one
	// overload and not as many.
	OverloadOver = 3 * time.Second

	// paceTolerance is the documented tolerance by which the pace of an app that is called once per
	// tick may differ from the tick rate: 1/100.
	paceTolerance = 100
)

// OverloadStats shows whether an app keeps its tick rate, and which part of it takes the time.
type OverloadStats struct {
	// TicksDropped counts the ticks that were due and never ran: those beyond the MaxSteps of a
	// late frame. With TickPerUpdate, where a frame never catches up, it counts the ticks for which
	// Update was not called in time, beyond MaxSteps and 1 %.
	TicksDropped uint64
	// Behind is the time that these ticks would have simulated: the total delay of the simulation
	// against the clock.
	Behind time.Duration
	// Episodes counts overloads: periods in which ticks were dropped repeatedly for at least
	// OverloadAfter. Each ends after OverloadOver without a dropped tick.
	Episodes uint64
	// Overloaded means that an overload is going on now.
	Overloaded bool

	// Kept is the actual rate when the last overload was found, measured since the first dropped
	// tick, in ticks per second of the app's clock. A client's clock that runs fast to follow its
	// server has more ticks due, and keeps the tick rate only if it runs those. Part is the part of
	// the frame that took the most time then. System is the game's slowest system, or "" if the
	// most time was spent outside of Update. They are zero before the first overload.
	Kept   float64
	Part   string
	System string

	// Times is the time spent in each part of all frames since the app was created, by the app's
	// clock.
	Times FrameTimes
}

// Overload detects whether an app keeps its tick rate, and logs it for the operator: once when an
// overload begins, and once when it ends.
type Overload struct {
	side     string // "server" or "client"
	log      *slog.Logger
	schedule *Schedule
	rate     int
	perFrame bool

	frame   time.Time     // the last
	elapsed time.Duration // the time of all frames; unlike the clock it never goes back
	owed    time.Duration // perFrame: time that no frame has simulated yet

	dropping bool          // OverloadOver has not passed since the latest drop
	first    time.Duration // elapsed at the first drop
	latest   time.Duration // elapsed at the latest drop
	lasted   time.Duration // time since the first drop, at the speed of the app's clock
	ran      int           // ticks run since the first drop
	dropped  int
	before   FrameTimes // the times at the first drop

	stats OverloadStats
}

// NewOverload returns an Overload for the frames of a schedule. side is "server" or "client".
// perFrame says that each frame has one tick, regardless of the clock.
func NewOverload(side string, schedule *Schedule, rate int, perFrame bool, log *slog.Logger) *Overload {
	return &Overload{side: side, log: log, schedule: schedule, rate: rate, perFrame: perFrame}
}

// Stats returns the counters.
func (o *Overload) Stats() OverloadStats {
	s := o.stats
	s.Behind = o.span(s.TicksDropped)
	s.Times = o.schedule.Times()
	return s
}

// span returns the duration of a number of ticks.
func (o *Overload) span(ticks uint64) time.Duration {
	rate := uint64(o.rate)
	return time.Duration(ticks/rate)*time.Second + time.Duration(ticks%rate*uint64(second)/rate)
}

// Frame records a frame that begins at now, with the speed of the app's clock in thousandths, the
// number of ticks that the frame will run, and the number that it has dropped.
func (o *Overload) Frame(now time.Time, speed, steps, dropped int) {
	passed := o.pass(now) * time.Duration(speed) / OwnSpeed
	o.lasted += passed
	if o.perFrame {
		dropped = o.missed(passed, steps)
	}
	if dropped > 0 {
		o.countDropped(dropped)
	} else if o.dropping && o.elapsed-o.latest >= OverloadOver {
		o.endOverload()
	}
	o.ran += steps
}

// pass returns the time since the last frame, or 0 if the clock went back.
func (o *Overload) pass(now time.Time) time.Duration {
	if o.frame.IsZero() {
		o.frame = now
	}
	passed := max(min(now.Sub(o.frame), longestFrame), 0)
	o.frame = now
	o.elapsed += passed
	return passed
}

// missed returns how many ticks were due by the clock without a frame for them. Up to MaxSteps
// ticks, which other apps catch up on, may stay due for a while.
func (o *Overload) missed(passed time.Duration, steps int) (ticks int) {
	o.owed = max(o.owed+passed-passed/paceTolerance-o.span(uint64(steps)), 0)
	if beyond := o.owed - o.span(MaxSteps); beyond > 0 {
		ticks = int(beyond / o.span(1))
		o.owed -= o.span(uint64(ticks))
	}
	return ticks
}

func (o *Overload) countDropped(ticks int) {
	o.stats.TicksDropped += uint64(ticks)
	if !o.dropping {
		o.dropping, o.first, o.lasted, o.ran, o.dropped = true, o.elapsed, 0, 0, 0
		o.before = o.schedule.Times()
		o.schedule.MeasureSystems(true)
	}
	o.latest = o.elapsed
	o.dropped += ticks
	if !o.stats.Overloaded && o.elapsed-o.first >= OverloadAfter {
		o.beginOverload()
	}
}

// beginOverload starts an overload, and logs which part took the most time since the first drop.
func (o *Overload) beginOverload() {
	s := &o.stats
	s.Episodes++
	s.Overloaded = true
	s.Kept = math.Round(float64(o.ran)/o.lasted.Seconds()*10) / 10
	part, share := o.slowestPart()
	s.Part, s.System = part.String(), ""
	args := []any{"rate", o.rate, "kept", s.Kept, "dropped", o.dropped, "part", s.Part, "percent", share}
	if part == Outside {
		o.log.Warn("the "+o.side+" cannot keep its tick rate and drops ticks, because Update is called too late: "+
			"look at what else the loop that calls it does, and at what else this machine does", args...)
		return
	}
	if sys, took := o.schedule.Slowest(); sys != nil && o.ran > 0 {
		s.System = nameOf(sys)
		args = append(args, "system", s.System, "took per tick", (took / time.Duration(o.ran)).Round(10*time.Microsecond))
	}
	o.log.Warn("the "+o.side+" cannot keep its tick rate and drops ticks: make what takes the time cheaper, or lower the tick rate", args...)
}

// slowestPart returns the part of the frame that took the most time since the first drop,
// and its share in percent.
func (o *Overload) slowestPart() (slowest Part, percent int) {
	var all, most time.Duration
	for p, t := range o.schedule.Times() {
		if Part(p) == Waiting {
			continue
		}
		took := t - o.before[p]
		all += took
		if took > most {
			slowest, most = Part(p), took
		}
	}
	if all == 0 {
		return Outside, 100 // a clock that does not move within a frame
	}
	return slowest, int(most * 100 / all)
}

func (o *Overload) endOverload() {
	o.dropping = false
	o.schedule.MeasureSystems(false)
	if !o.stats.Overloaded {
		return
	}
	o.stats.Overloaded = false
	o.log.Info("the "+o.side+" keeps its tick rate again", "rate", o.rate, "dropped", o.dropped,
		"after", (o.latest - o.first).Round(time.Millisecond))
}
