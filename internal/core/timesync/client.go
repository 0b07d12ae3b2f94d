package timesync

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	blockLength   = 250 * time.Millisecond
	arrivalBlocks = 16

	// maxLead is the most by which the input line (clock plus input delay) can be ahead of the
	// newest tick received from the server, whatever margins the server reports.
	maxLead = 4 * time.Second

	// farLate and farEarly are by how much inputs have to be late or early for the clock to jump
	// instead of being steered.
	farLate  = 150 * time.Millisecond
	farEarly = 250 * time.Millisecond

	// jumpPause is the least time between two jumps that follow from measurements.
	jumpPause = time.Second

	// inputsFresh is how long the last report of an input remains valid. Afterwards, pings are
	// measured instead.
	inputsFresh = 500 * time.Millisecond
)

// MaxTickRate is the highest tick rate, in ticks per second.
const MaxTickRate = 1000

// ClientConfig configures a client's clock.
type ClientConfig struct {
	// TickRate is the ticks per second, 1 to MaxTickRate.
	TickRate int
	// Delay is the input delay.
	Delay Delay
}

// Client is the clock controller of a client.
type Client struct {
	cfg    ClientConfig
	limits limits
	axis   axis

	own       ownClock
	arrivals  arrivals
	suspicion suspicion
	required  required
	pings     pings
	shown     timelines
	steer     steer
	delay     delay
	frame     serverFrame

	target Phase // where the input line should be, minus local time
	aimed  bool  // target has been computed
	synced bool
	ease   Phase // how far the clock may be ahead while it slows down for a longer delay
	jumps  jumps
}

// jumps records a clock's jumps, and the reasons for the next one.
type jumps struct {
	count      uint64 // number of jumps so far
	errorSince Phase  // local time since which the error requires a jump
	measured   Phase  // local time of the last jump after a measurement
	serverFell bool   // the server's ticks have fallen behind local time, and no jump has followed yet
	back       bool   // the last jump was due to serverFell
}

// tooEarly reports whether the error has not lasted long enough for the clock to jump, or the last
// jump was too recently.
func (j *jumps) tooEarly(at Phase, l *limits) bool {
	return at-j.errorSince < l.patience || j.count > 0 && at-j.measured < l.pause
}

// limits are some of the durations above and of patience and suspectTime, in ticks.
type limits struct {
	lead, late, early, pause, patience, fresh, far, suspicion, shown Phase
}

// NewClient returns a clock that is not synchronised yet. It panics on an invalid tick rate.
func NewClient(cfg ClientConfig) *Client {
	if cfg.TickRate < 1 || cfg.TickRate > MaxTickRate {
		panic(fmt.Sprintf("timesync: ClientConfig.TickRate is %d; it must be 1 to %d", cfg.TickRate, MaxTickRate))
	}
	c := &Client{cfg: cfg}
	c.Reset()
	return c
}

// Reset prepares the clock for another connection. It keeps the input delay.
func (c *Client) Reset() {
	delay := c.delay.of
	if c.limits.lead == 0 {
		delay = c.cfg.Delay
	}
	a := axis{rate: int64(c.cfg.TickRate)}
	least := func(d time.Duration, ticks int) Phase { return max(a.span(d), whole(ticks)) }
	*c = Client{cfg: c.cfg, axis: a, limits: limits{
		lead: a.span(maxLead), late: least(farLate, 4), early: least(farEarly, 6), pause: a.span(jumpPause),
		patience: a.span(patience), fresh: a.span(inputsFresh), far: least(farLate, 4), suspicion: a.span(suspectTime),
		shown: least(farShown, farShownTicks),
	}}
	block := least(blockLength, 16)
	c.required.window = newWindow(block, maxBlocks, least(100*time.Millisecond, 2))
	c.required.caution = 2 * One
	c.required.most, c.required.wait = c.limits.late, a.span(streakTime)
	c.arrivals.window = newWindow(block, arrivalBlocks, 0)
	c.steer = steer{behind: One / 4, ahead: 3 * One / 4, patience: c.limits.patience, speed: Normal}
	c.delay.change(delay)
}

// Synced reports whether the clock is synchronised with the server's.
func (c *Client) Synced() bool { return c.synced }

// Delay returns the input delay in effect, in ticks.
func (c *Client) Delay() int { return c.delay.now }

// SetDelay changes the input delay. The change takes effect as soon as it makes no input late: a
// longer delay at once, a shorter one when the clock is far enough ahead.
func (c *Client) SetDelay(d Delay) { c.delay.change(d) }

// ready reports whether there are enough measurements to set the clock.
func (c *Client) ready() bool {
	return c.own.ran && c.arrivals.window.n > 0 && c.pings.pongs >= enoughPongs && c.required.window.n > 0
}

// aim computes where the input line should be.
func (c *Client) aim() {
	if !c.ready() {
		return
	}
	least := c.arrivals.line()
	c.target, c.aimed = min(max(c.required.line(), least), least+c.limits.lead), true
	c.steer.ahead = max(3*One/4, c.required.window.width()/4)
}

// Adjust returns the speed of the clock until the next frame, and the ticks by which it jumps
// before that. Call it once per frame, after FrameRan.
func (c *Client) Adjust(now time.Time) (speed Speed, jump int32) {
	at := c.axis.phaseAt(now)
	if !c.aimed || !c.own.ran {
		return Normal, 0
	}
	floor := c.floor()
	err := c.goal(at, floor) - c.own.offset
	if by := c.jump(at, err, floor); by != 0 {
		c.steer.rest(at)
		return Normal, int32(by) // a difference beyond 32 bits is the same tick
	}
	speed = c.steer.nextSpeed(at, err)
	if speed == Normal {
		c.ease = 0
	}
	return speed, 0
}

// floor returns the least lead of the clock over local time, for any input delay. With it, a clock
// that is behind by the tolerated error is still not behind the newest tick that can have arrived.
func (c *Client) floor() Phase { return c.arrivals.line() + c.steer.behind }

// goal returns where the clock should be, minus local time. A longer delay takes effect at once and
// then the clock slows down; for a shorter one, the clock runs faster first.
func (c *Client) goal(at, floor Phase) Phase {
	d := &c.delay
	d.choose(at, c.target-floor, c.limits.pause)
	if d.wanted > d.now {
		c.ease += whole(d.wanted - d.now)
		d.now = d.wanted
	}
	goal := max(c.target-whole(d.wanted), floor)
	if d.wanted < d.now && (!c.synced || c.own.offset >= goal-c.steer.behind) {
		d.now = d.wanted
	}
	return goal
}

// jump makes the clock jump if the error requires it. It returns the number of ticks, or 0.
func (c *Client) jump(at, err, floor Phase) int64 {
	j := &c.jumps
	fell := j.serverFell && c.synced
	by, known := err.nearest(), c.own.slipped || c.required.moved
	c.own.slipped, c.required.moved = false, false
	switch {
	case !c.synced:
		c.synced = true
	case known && (by > 1 || by < -1):
	case !c.far(err, floor):
		j.errorSince, j.serverFell = at, false
		return 0
	case j.tooEarly(at, &c.limits):
		return 0
	default:
		j.measured = at
	}
	if by != 0 {
		j.count++
		c.own.jump(by)
		c.required.jump(by)
	}
	j.errorSince, c.ease = at, 0
	j.back, j.serverFell = fell && by < 0, false
	return by
}

// ServerFell reports whether the last jump went back because the server's ticks had fallen behind
// local time: the server stood still for a while, or it is too slow.
func (c *Client) ServerFell() bool { return c.jumps.back }

// far reports whether an error requires a jump. A clock that only has to follow a new input delay
// is steered instead.
func (c *Client) far(err, floor Phase) bool {
	late := c.target - whole(c.delay.now) - c.own.offset
	return late > c.limits.late || floor-c.own.offset > c.limits.late ||
		err < -c.limits.early-c.ease
}

// ServerTick returns the best estimate of the present time of the server's clock, as a tick and a
// fraction of the next one. It is halfway between the newest tick that can have arrived here and
// the tick whose input would arrive at the server in time.
func (c *Client) ServerTick(now time.Time) (tick entangle.Tick, into Phase) {
	t := c.axis.phaseAt(now) + c.serverLine()
	return entangle.Tick(t >> 16), t & (One - 1)
}

func (c *Client) serverLine() Phase {
	if !c.aimed {
		return c.own.offset
	}
	up, down := c.required.window.low(), c.arrivals.line()
	return down + (up-down)/2
}
