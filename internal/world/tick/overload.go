package tick

import (
	"log/slog"
	"math"
	"time"
)

const (
	// OverloadAfter is for how long ticks have to be dropped again and again until an app
	// counts as overloaded. One long frame (a garbage collection, a breakpoint, a level that
	// is loaded) drops ticks once and is over; a second is long enough for the rate that is
	// kept to mean something.
	OverloadAfter = time.Second

	// OverloadOver is for how long no tick may be dropped until an overload counts as over.
	// An app that is too slow by 1 % drops a tick every 1.7 seconds at 60 Hz, and is to be
	// one overload and not many.
	OverloadOver = 3 * time.Second

	// paceTolerance is by what share the pace of an app that is called once per tick may
	// differ from the tick rate, as its documentation allows: 1/100.
	paceTolerance = 100
)

// OverloadStats says whether an app keeps its tick rate, and where its time goes.
type OverloadStats struct {
	// TicksDropped counts the ticks that were due and never ran: those beyond the
	// MaxSteps of a late frame. With TickPerUpdate, where nothing is made up for, it is
	// those for which Update was not called in time, beyond MaxSteps and 1 %.
	TicksDropped uint64
	// Behind is the time that these ticks would have simulated: by so much the
	// simulation is behind the clock, in all.
	Behind time.Duration
	// Episodes counts overloads: times in which ticks were dropped repeatedly for at least
	// OverloadAfter. Each ends when none was dropped for OverloadOver.
	Episodes uint64
	// Overloaded says that an overload goes on now.
	Overloaded bool

	// Kept is the rate, in ticks per second of the app's clock, that was kept when the last
	// overload was found, since the first tick that was dropped: a client's clock that runs
	// fast for its server has more ticks due, and keeps the tick rate by running those. Part is
	// the part of the frame that took the most time then, and System the game's slowest system,
	// or "" where the most time was spent outside of Update. They are zero before the first.
	Kept   float64
	Part   string
	System string

	// Times is the time spent in each part of the frames since the app was made, by the
	// app's clock.
	Times FrameTimes
}

// Overload finds out whether an app keeps its tick rate, and says so to an operator: once
// when it does not, and once when it does again.
type Overload struct {
	side     string // "server" or "client"
	log      *slog.Logger
	schedule *Schedule
	rate     int
	perFrame bool

	frame   time.Time     // the last
	elapsed time.Duration // of all frames; unlike the clock it never goes back
	owed    time.Duration // perFrame: what no frame has simulated yet

	dropping bool          // since less than OverloadOver
	first    time.Duration // elapsed at the first drop
	latest   time.Duration // and at the latest
	lasted   time.Duration // since the first, at the speed of the app's clock
	ran      int           // ticks since the first
	dropped  int
	before   FrameTimes // at the first

	stats OverloadStats
}

// NewOverload returns what watches the frames of a schedule, which is the server's or the
// client's. perFrame says that each frame has one tick, whatever the clock says.
func NewOverload(side string, schedule *Schedule, rate int, perFrame bool, log *slog.Logger) *Overload {
	return &Overload{side: side, log: log, schedule: schedule, rate: rate, perFrame: perFrame}
}

// Stats returns what was counted.
func (o *Overload) Stats() OverloadStats {
	s := o.stats
	s.Behind = o.span(s.TicksDropped)
	s.Times = o.schedule.Times()
	return s
}

// span returns the time of so many ticks.
func (o *Overload) span(ticks uint64) time.Duration {
	rate := uint64(o.rate)
	return time.Duration(ticks/rate)*time.Second + time.Duration(ticks%rate*uint64(second)/rate)
}

// Frame takes a frame that begins at now, at the speed of the app's clock, in thousandths:
// how many ticks it will run, and how many it has dropped.
func (o *Overload) Frame(now time.Time, speed, steps, dropped int) {
	passed := o.pass(now) * time.Duration(speed) / OwnSpeed
	o.lasted += passed
	if o.perFrame {
		dropped = o.missed(passed, steps)
	}
	if dropped > 0 {
		o.drop(dropped)
	} else if o.dropping && o.elapsed-o.latest >= OverloadOver {
		o.end()
	}
	o.ran += steps
}

// pass returns the time since the last frame. A clock that goes back costs nothing.
func (o *Overload) pass(now time.Time) time.Duration {
	if o.frame.IsZero() {
		o.frame = now
	}
	passed := max(min(now.Sub(o.frame), longestFrame), 0)
	o.frame = now
	o.elapsed += passed
	return passed
}

// missed returns how many ticks were due, by the clock, in the place of which no frame
// came. As many as other apps make up for may be owed for a while.
func (o *Overload) missed(passed time.Duration, steps int) (ticks int) {
	o.owed = max(o.owed+passed-passed/paceTolerance-o.span(uint64(steps)), 0)
	if beyond := o.owed - o.span(MaxSteps); beyond > 0 {
		ticks = int(beyond / o.span(1))
		o.owed -= o.span(uint64(ticks))
	}
	return ticks
}

func (o *Overload) drop(ticks int) {
	o.stats.TicksDropped += uint64(ticks)
	if !o.dropping {
		o.dropping, o.first, o.lasted, o.ran, o.dropped = true, o.elapsed, 0, 0, 0
		o.before = o.schedule.Times()
		o.schedule.MeasureSystems(true)
	}
	o.latest = o.elapsed
	o.dropped += ticks
	if !o.stats.Overloaded && o.elapsed-o.first >= OverloadAfter {
		o.begin()
	}
}

// begin says that the app is overloaded, and what took the time since the first drop.
func (o *Overload) begin() {
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

func (o *Overload) end() {
	o.dropping = false
	o.schedule.MeasureSystems(false)
	if !o.stats.Overloaded {
		return
	}
	o.stats.Overloaded = false
	o.log.Info("the "+o.side+" keeps its tick rate again", "rate", o.rate, "dropped", o.dropped,
		"after", (o.latest - o.first).Round(time.Millisecond))
}
