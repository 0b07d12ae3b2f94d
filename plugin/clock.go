package plugin

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// ClockJumped is raised on a client when its clock jumps: the last finished tick was From and is
// now To. The ticks between them are skipped, or run a second time if To is before From.
//
// It happens once after connecting, when the client has learnt the server's tick, and after a stall
// of either side. The jump happens between two frames: components.Time.Tick is To before anything
// runs in the frame of this event.
type ClockJumped struct{ From, To entangle.Tick }

func (ClockJumped) subscribe(*event.Hub) {}

// MaxInputDelay is the longest delay of inputs, in ticks.
const MaxInputDelay = timesync.MaxDelay

// InputDelay is the number of ticks between an input and its effect. Each field is 0 to
// MaxInputDelay. With the zero value inputs take effect at once.
//
// A client's ticks run ahead of the server's by the time that its inputs need to arrive. With a
// delay of D ticks, the input written in tick T takes effect in tick T+D on both sides, but is sent
// at T. So the client runs D ticks less ahead and predicts D ticks less.
type InputDelay struct {
	// Min is the delay at a short round trip.
	Min int
	// Max, if above Min, lets the delay grow with the round trip to cover it, up to Max. With 0 to
	// Min the delay stays Min.
	Max int
	// MaxPredicted bounds how many ticks a client is ahead of its state from the server: the delay
	// covers the rest, even above Max. 0: no bound.
	MaxPredicted int
}

func (d InputDelay) ticks() timesync.Delay {
	return timesync.Delay{Min: d.Min, Max: d.Max, MaxPredicted: d.MaxPredicted}
}

// check returns an error for an invalid delay. name is the config or method that it was given to.
func (d InputDelay) check(name string) error {
	for _, f := range []struct {
		field string
		ticks int
	}{{"Min", d.Min}, {"Max", d.Max}, {"MaxPredicted", d.MaxPredicted}} {
		if f.ticks < 0 || f.ticks > MaxInputDelay {
			return fmt.Errorf("plugin: %s.%s is %d ticks; set it to 0 to %d", name, f.field, f.ticks, MaxInputDelay)
		}
	}
	return nil
}

// InputDelay returns the current input delay, in ticks.
func (c *Client) InputDelay() int { return c.steered.Sync().Delay() }

// SetInputDelay changes the input delay from the next tick on. No input is lost and none takes
// effect twice. It returns an error for values outside 0 to MaxInputDelay.
func (c *Client) SetInputDelay(d InputDelay) error {
	if err := d.check("InputDelay"); err != nil {
		return err
	}
	c.steered.Sync().SetDelay(d.ticks())
	return nil
}

// ClockStats is the state of a client's clock.
type ClockStats struct {
	// Synced says that the client knows the server's tick, which it does a few round trips after
	// connecting. Before that, and while disconnected, the client counts its own ticks, and the
	// fields about the server are zero.
	Synced bool
	// ServerTick is the estimate of the server's last finished tick. It is approximate, because the
	// split of a round trip into its two directions cannot be measured.
	ServerTick entangle.Tick
	// Lead is how many ticks the client is ahead of the server's current tick, with fractions.
	Lead float64
	// Target is the Lead towards which the clock is steered.
	Target float64
	// Speed is the factor by which ticks run faster than the local clock: 0.95 to 1.05, and 1 while
	// nothing needs correction.
	Speed float64
	// Jumps counts the jumps of the clock since the client was created; see ClockJumped.
	Jumps uint64
	// Inputs counts the ticks of this connection, or of the last one, for which the server has
	// reported the input. Late counts those of them for which the input arrived too late or not at
	// all.
	Inputs, Late uint64
}

// InterpolationTime returns the time of the server at which this frame shows interpolated entities of
// which the updates come every sendEvery ticks (components.Interpolated), as the last tick and the share
// of the next one that has passed, from 0 up to 1, in whole 256ths. It is the same in all sets of a frame,
// and also after Update until the next one. It never goes back, except when the server's ticks do.
func (c *Client) InterpolationTime(sendEvery int) (tick entangle.Tick, share float64) {
	tick, fraction := c.steered.Timeline(sendEvery)
	return tick, float64(fraction)
}

func (c *Client) clockStats() ClockStats {
	sync, now := c.steered.Sync(), c.now
	stats := sync.Stats()
	info := ClockStats{
		Speed: float64(c.stepper.Speed()) / tick.OwnSpeed, Jumps: c.steered.Jumps(),
		Inputs: stats.Measured, Late: stats.Late,
	}
	if !c.steered.Synced() {
		return info
	}
	info.Synced, info.Lead, info.Target = true, stats.Lead.Ticks(), stats.Target.Ticks()
	info.ServerTick, _ = sync.ServerTick(now)
	return info
}
