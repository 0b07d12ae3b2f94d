package timesync

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	blockLength = 250 * time.Millisecond
	heardBlocks = 16

	// maxLead bounds how far the input line gets ahead of what is heard of the server,
	// whatever margins it reports.
	maxLead = 4 * time.Second

	// farLate is by how much inputs have to be late, and farEarly by how much early, for
	// the clock to jump and not to be steered.
	farLate  = 150 * time.Millisecond
	farEarly = 250 * time.Millisecond

	// farShown is by how much the interpolation has to be off to jump.
	farShown = 500 * time.Millisecond

	// jumpPause is the time from a jump that was measured to the next.
	jumpPause = time.Second

	// inputsFresh is how long the last word about an input is good: after it, pings count.
	inputsFresh = 500 * time.Millisecond
)

// MaxTickRate is the highest tick rate, in ticks per second.
const MaxTickRate = 1000

// ClientConfig is what a client's clock has to know.
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

	own      own
	heard    heard
	doubt    doubt
	required required
	pings    pings
	shown    shown
	steer    steer
	delay    delay
	frame    words

	target Phase // where the input line has to be, less local time
	placed bool
	synced bool
	ease   Phase // how far the clock may be ahead while it makes up for a longer delay
	wrong  Phase // local time since which the error calls for a jump
	jumped Phase // local time of the last one that was measured
	jumps  uint64
	fell   bool // the server's ticks were found to have fallen behind, and no jump has followed yet
	blamed bool // the last jump followed that
}

// limits are the durations above, in ticks.
type limits struct {
	lead, late, early, pause, patience, fresh, far, doubt Phase
}

// NewClient returns a clock that has yet to hear of a server. It panics on a tick rate
// that cannot be.
func NewClient(cfg ClientConfig) *Client {
	if cfg.TickRate < 1 || cfg.TickRate > MaxTickRate {
		panic(fmt.Sprintf("timesync: ClientConfig.TickRate is %d; it must be 1 to %d", cfg.TickRate, MaxTickRate))
	}
	c := &Client{cfg: cfg}
	c.Reset()
	return c
}

// Reset begins anew, for another connection. The delay that was set stays.
func (c *Client) Reset() {
	delay := c.delay.of
	if c.limits.lead == 0 {
		delay = c.cfg.Delay
	}
	a := axis{rate: int64(c.cfg.TickRate)}
	least := func(d time.Duration, ticks int) Phase { return max(a.span(d), whole(ticks)) }
	*c = Client{cfg: c.cfg, axis: a, limits: limits{
		lead: a.span(maxLead), late: least(farLate, 4), early: least(farEarly, 6), pause: a.span(jumpPause),
		patience: a.span(patience), fresh: a.span(inputsFresh), far: least(farLate, 4), doubt: a.span(doubtTime),
	}}
	block := least(blockLength, 16)
	c.required.window = newWindow(block, maxBlocks, least(100*time.Millisecond, 2))
	c.required.care = 2 * One
	c.required.most, c.required.wait = c.limits.late, a.span(streakTime)
	c.heard.window = newWindow(block, heardBlocks, 0)
	c.shown.window = newWindow(block, maxBlocks, a.span(time.Second))
	c.shown.far = least(farShown, 8)
	c.steer = steer{behind: One / 4, ahead: 3 * One / 4, patience: c.limits.patience, speed: Normal}
	c.shown.steer = steer{behind: One, ahead: One / 4, patience: c.limits.patience, speed: Normal}
	c.delay.set(delay)
}

// Synced reports whether the clock was set by the server's.
func (c *Client) Synced() bool { return c.synced }

// Delay returns the input delay in effect, in ticks.
func (c *Client) Delay() int { return c.delay.now }

// SetDelay changes the input delay. It takes effect when it can without making an input
// late: a longer one at once, a shorter one when the clock is far enough ahead.
func (c *Client) SetDelay(d Delay) { c.delay.set(d) }

// ready reports whether there is enough to set a clock by.
func (c *Client) ready() bool {
	return c.own.ran && c.heard.window.n > 0 && c.pings.pongs >= enoughPongs && c.required.window.n > 0
}

// place finds where the input line has to be.
func (c *Client) place() {
	if !c.ready() {
		return
	}
	least := c.heard.line()
	c.target, c.placed = min(max(c.required.line(), least), least+c.limits.lead), true
	c.steer.ahead = max(3*One/4, c.required.window.width()/4)
}

// Adjust returns how fast the clock has to run until the next frame, and by how many ticks
// it has to be set on or back before it. Call it once per frame, after Ran.
func (c *Client) Adjust(now time.Time) (speed Speed, jump int32) {
	at := c.axis.at(now)
	if !c.placed || !c.own.ran {
		return Normal, 0
	}
	floor := c.floor()
	err := c.goal(at, floor) - c.own.offset
	if by := c.jump(at, err, floor); by != 0 {
		c.steer.rest(at)
		return Normal, int32(by) // where clocks are apart by more, it is the same tick
	}
	speed = c.steer.next(at, err)
	if speed == Normal {
		c.ease = 0
	}
	return speed, 0
}

// floor returns the least that the clock is ahead of local time, whatever the delay: so much
// that also where it may be behind it does not run behind the newest tick that can be there.
func (c *Client) floor() Phase { return c.heard.line() + c.steer.behind }

// goal returns where the clock has to be, less local time. A longer delay takes effect at
// once and the clock goes back after it; for a shorter one the clock goes first.
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

// jump decides whether the clock jumps, and does it.
func (c *Client) jump(at, err, floor Phase) int64 {
	fell := c.fell && c.synced
	by, known := err.nearest(), c.own.slipped || c.required.moved
	c.own.slipped, c.required.moved = false, false
	switch {
	case !c.synced:
		c.synced = true
	case known && (by > 1 || by < -1):
	case !c.far(err, floor):
		c.wrong, c.fell = at, false
		return 0
	case at-c.wrong < c.limits.patience || c.jumps > 0 && at-c.jumped < c.limits.pause:
		return 0
	default:
		c.jumped = at
	}
	if by != 0 {
		c.jumps++
		c.own.jump(by)
		c.required.jump(by)
	}
	c.wrong, c.ease = at, 0
	c.blamed, c.fell = fell && by < 0, false
	return by
}

// ServerFell reports whether the last jump of the clock was back, because the server's ticks
// were found to have fallen behind local time: the server stood still, or is too slow.
func (c *Client) ServerFell() bool { return c.blamed }

// far reports whether an error takes a jump. A clock that goes on for the sake of a shorter
// delay has time, and so has one that goes back for a longer one.
func (c *Client) far(err, floor Phase) bool {
	late := c.target - whole(c.delay.now) - c.own.offset
	return late > c.limits.late || floor-c.own.offset > c.limits.late ||
		err < -c.limits.early-c.ease
}

// ServerTick returns the best estimate of the server's clock, as a tick and parts of the
// next one: in the middle between what arrives here and what arrives there.
func (c *Client) ServerTick(now time.Time) (tick entangle.Tick, into Phase) {
	t := c.axis.at(now) + c.serverLine()
	return entangle.Tick(t >> 16), t & (One - 1)
}

func (c *Client) serverLine() Phase {
	if !c.placed {
		return c.own.offset
	}
	up, down := c.required.window.low(), c.heard.line()
	return down + (up-down)/2
}
