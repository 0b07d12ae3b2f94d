package tick

import (
	"log/slog"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// Clock adjusts a client's ticks to the ticks that the server reports. Every frame calls it in this
// order: Begin before anything else, Show after the packets, Ran after the ticks, Adjust at the end. The stepper determines
// the number of ticks per frame.
//
// Until it is synced, and without a connection, ticks are counted as they run.
type Clock struct {
	sync    *timesync.Client
	stepper *Stepper
	time    *components.Time // nil until Attach
	live    bool             // there is a connection
	jump    int              // ticks, before the next frame
	onJump  []func(from, to entangle.Tick)
	jumps   uint64
	server  serverOverload
	shown   timesync.Screen // the times that this frame shows
	drawn   timesync.Screen // the times that the last frame showed
	late    timesync.LateFrames
}

// NewClock returns a clock that has not received anything from a server.
func NewClock(cfg timesync.ClientConfig, stepper *Stepper, log *slog.Logger) *Clock {
	return &Clock{sync: timesync.NewClient(cfg), stepper: stepper, server: serverOverload{log: log}}
}

// Attach sets the components.Time that the clock keeps.
func (c *Clock) Attach(t *components.Time) { c.time = t }

// OnJump adds a function that is called whenever the clock jumps, before anything else of the frame
// runs: the last finished tick was from, and now it is to.
func (c *Clock) OnJump(f func(from, to entangle.Tick)) { c.onJump = append(c.onJump, f) }

// Sync returns the estimate of the server's time.
func (c *Clock) Sync() *timesync.Client { return c.sync }

// Synced reports whether the clock is set to that of the connected server.
func (c *Clock) Synced() bool { return c.live && c.sync.Synced() }

// Jumps returns how often the clock has jumped since the client was created.
func (c *Clock) Jumps() uint64 { return c.jumps }

// Begin begins a frame. dropped is the number of due ticks that the app has dropped before it. A
// synced clock jumps over these ticks, so that the inputs of the next ticks are not late on the
// server.
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

// Show determines the times that the frame shows. Packets were received before it, so that the newest values are there.
// late says that something of them was late (timesync.LateFrame).
func (c *Clock) Show(now time.Time, late bool) {
	c.late.EndFrame(&c.shown, late)
	c.drawn = c.shown
	c.sync.Show(now)
	c.sync.Screen(&c.shown)
}

// PacketReceived records a packet of the server, by its id and its tick.
func (c *Clock) PacketReceived(id uint16, tick entangle.Tick, now time.Time) {
	c.sync.PacketReceived(tick, now)
	c.late.PacketReceived(id)
}

// SampleReceived records the arrival of a value of an interpolated entity with the send interval
// every. The value is of tick, and the entity's newest value until now is of previous.
func (c *Clock) SampleReceived(every int, previous, tick entangle.Tick) {
	c.sync.SampleReceived(every, previous, tick)
}

// Timeline returns the time at which entities with a send interval are shown in this frame, as a
// tick and a fraction of the next one in whole 256ths, from 0 to below 1. It stays the same from Show
// in one frame to Show in the next.
func (c *Clock) Timeline(every int) (tick entangle.Tick, fraction float32) {
	t := c.shown.At(every)
	return t.Tick(), float32(t.Fraction()) / 256
}

// Drawn returns the times that the last frame showed. They are on the screen while the player makes
// the inputs of the ticks of this frame.
func (c *Clock) Drawn() *timesync.Screen { return &c.drawn }

// Late returns the late frames of which the server is to be told.
func (c *Clock) Late() *timesync.LateFrames { return &c.late }

// Begun reports whether Timeline returns times of the connected server.
func (c *Clock) Begun() bool { return c.shown.Packets > 0 }

// PacketInterval returns the number of ticks from one packet of the server to the next: the send interval of entities
// that have none of their own.
func (c *Clock) PacketInterval() int { return max(c.shown.Packets, 1) }

// Ran records that the ticks of a frame have run.
func (c *Clock) Ran(now time.Time) {
	c.sync.FrameRan(c.time.Tick, timesync.Phase(c.stepper.Phase()), now)
}

// Adjust sets the speed of the clock until the next frame, and whether the clock jumps before it.
func (c *Clock) Adjust(now time.Time) {
	if !c.live {
		return
	}
	speed, jump := c.sync.Adjust(now)
	c.stepper.SetSpeed(int(speed))
	c.jump = int(jump)
	if jump < 0 && c.sync.ServerFell() {
		c.server.recordJump(now, uint64(-int64(jump)))
	} else {
		c.server.recordFrame(now)
	}
}

// ServerOverload returns how often the clock was set back because the server had fallen behind.
func (c *Clock) ServerOverload() ServerOverloadStats { return c.server.stats }

// Connected starts over, because the server may be another one.
func (c *Clock) Connected() {
	c.sync.Reset()
	c.shown, c.drawn, c.late = timesync.Screen{}, timesync.Screen{}, timesync.LateFrames{}
	c.live = true
}

// Disconnected makes the clock run freely.
func (c *Clock) Disconnected() {
	c.live, c.jump = false, 0
	c.server.stats.Overloaded = false
	c.stepper.SetSpeed(OwnSpeed)
}
