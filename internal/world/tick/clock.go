package tick

import (
	"log/slog"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// Clock steers a client's ticks by what the server says of them. Every frame drives it in
// this order: Begin before anything runs, Ran after the ticks, Adjust at the end. Between
// frames the stepper makes the ticks.
//
// Until it is synced, and while nobody is connected, ticks are counted as they come.
type Clock struct {
	sync    *timesync.Client
	stepper *Stepper
	time    *components.Time // nil until Attach
	live    bool             // a connection is there
	jump    int              // ticks, before the next frame
	onJump  []func(from, to entangle.Tick)
	jumps   uint64
	server  serverOverload
}

// NewClock returns a clock that has not heard of a server.
func NewClock(cfg timesync.ClientConfig, stepper *Stepper, log *slog.Logger) *Clock {
	return &Clock{sync: timesync.NewClient(cfg), stepper: stepper, server: serverOverload{log: log}}
}

// Attach sets the time that the clock keeps.
func (c *Clock) Attach(t *components.Time) { c.time = t }

// OnJump has a function told whenever the clock jumps: the last finished tick was from,
// and now it is to, before anything of the frame runs.
func (c *Clock) OnJump(f func(from, to entangle.Tick)) { c.onJump = append(c.onJump, f) }

// Sync returns what is known of the server's time.
func (c *Clock) Sync() *timesync.Client { return c.sync }

// Synced reports whether the clock was set by that of the server that is connected.
func (c *Clock) Synced() bool { return c.live && c.sync.Synced() }

// Jumps returns how often the clock has jumped since the client was made.
func (c *Clock) Jumps() uint64 { return c.jumps }

// Begin begins a frame before which so many due ticks were dropped. On a clock that is
// synced time has gone on meanwhile: it jumps over the ticks that did not run, so that
// those that do are not long past on the server.
func (c *Clock) Begin(dropped int) {
	jump := c.jump
	c.jump = 0
	if c.Synced() {
		jump += dropped
	}
	if jump == 0 {
		return
	}
	from := c.time.Tick
	c.time.Tick += entangle.Tick(jump)
	c.jumps++
	for _, f := range c.onJump {
		f(from, c.time.Tick)
	}
}

// Heard takes the tick of a packet of the server.
func (c *Clock) Heard(tick entangle.Tick, now time.Time) { c.sync.PacketReceived(tick, now) }

// Ran says that the ticks of a frame have run.
func (c *Clock) Ran(now time.Time) {
	c.sync.FrameRan(c.time.Tick, timesync.Phase(c.stepper.Phase()), now)
}

// Adjust sets how fast the clock runs until the next frame, and whether it jumps before.
func (c *Clock) Adjust(now time.Time) {
	if !c.live {
		return
	}
	speed, jump := c.sync.Adjust(now)
	c.stepper.SetSpeed(int(speed))
	c.jump = int(jump)
	if jump < 0 && c.sync.ServerFell() {
		c.server.fell(now, uint64(-int64(jump)))
	} else {
		c.server.frame(now)
	}
}

// ServerOverload returns how often the clock was set back since the server had fallen behind.
func (c *Clock) ServerOverload() ServerOverloadStats { return c.server.stats }

// Connected begins anew, with another server perhaps.
func (c *Clock) Connected() {
	c.sync.Reset()
	c.live = true
}

// Disconnected has the clock run on by itself.
func (c *Clock) Disconnected() {
	c.live, c.jump = false, 0
	c.server.stats.Overloaded = false
	c.stepper.SetSpeed(OwnSpeed)
}
