package plugin

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// ClockJumped is raised on a client when its clock was set: the last finished tick was
// From, and is To. Between them no tick runs, or some run a second time if To is before.
//
// It happens once after connecting, when the client has learnt the server's tick, and
// after a stall of either side. It is set between two frames: components.Time.Tick is To
// before anything of the frame runs that this event belongs to.
type ClockJumped struct{ From, To entangle.Tick }

func (ClockJumped) subscribe(*event.Hub) {}

// MaxInputDelay is the longest delay of inputs, in ticks.
const MaxInputDelay = timesync.MaxDelay

// InputDelay says by how many ticks a player's inputs act after they are pressed; all
// three are 0 to MaxInputDelay. The zero value acts at once.
//
// A client's ticks run ahead of the server's by the time that its inputs take to get
// there. With a delay of D ticks what is written as the input of tick T acts in tick T+D,
// on both sides, and leaves at T: so the client needs to be ahead by D ticks less, and has
// as much less to predict.
type InputDelay struct {
	// Min is the delay where the way is short.
	Min int
	// Max, above Min, has the delay grow with the way, as far as it covers it and up to
	// Max. 0 to Min: it stays Min.
	Max int
	// MaxPredicted bounds how many ticks a client is ahead of what it has of the server:
	// the delay takes over what is beyond, also above Max. 0: no bound.
	MaxPredicted int
}

func (d InputDelay) ticks() timesync.Delay {
	return timesync.Delay{Min: d.Min, Max: d.Max, MaxPredicted: d.MaxPredicted}
}

// check returns an error for a delay that is none. name is that of what it was given to.
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

// InputDelay returns the delay of inputs in effect now, in ticks.
func (c *Client) InputDelay() int { return c.steered.Sync().Delay() }

// SetInputDelay changes the delay of inputs from the next tick on; no input is lost by
// that, and none acts twice. The error is for one that is not 0 to MaxInputDelay.
func (c *Client) SetInputDelay(d InputDelay) error {
	if err := d.check("InputDelay"); err != nil {
		return err
	}
	c.steered.Sync().SetDelay(d.ticks())
	return nil
}

// ClockInfo is what a client knows of its clock.
type ClockInfo struct {
	// Synced says that the client knows the server's tick. It does a few round trips
	// after connecting; before, and while it is not connected, it counts ticks of its own,
	// and what is said here of the server is nothing.
	Synced bool
	// ServerTick is the tick that the server has about finished now: how the way divides
	// into there and back, nobody can measure.
	ServerTick entangle.Tick
	// Lead is how many ticks the client is ahead of the server's present.
	Lead float64
	// Target is the Lead that the clock is steered to.
	Target float64
	// Speed is how fast ticks run, as a factor of the clock's own: 0.95 to 1.05, and 1
	// while nothing is to be corrected.
	Speed float64
	// Interpolated is the tick, and InterpolatedFraction how far into the next one, at
	// least 0 and below 1, at which interpolated entities are shown: late enough to
	// have two snapshots around it.
	Interpolated         entangle.Tick
	InterpolatedFraction float64
	// Jumps counts how often the clock was set since the client was made; see ClockJumped.
	Jumps uint64
	// Inputs counts the ticks of this connection, or of the last, whose input the server has told about,
	// and Late those of them whose input came too late, or not at all.
	Inputs, Late uint64
}

// Clock returns what the client knows of its clock.
func (c *Client) Clock() ClockInfo {
	sync, now := c.steered.Sync(), c.now
	stats := sync.Stats()
	info := ClockInfo{
		Speed: float64(c.stepper.Speed()) / tick.OwnSpeed, Jumps: c.steered.Jumps(),
		Inputs: stats.Measured, Late: stats.Late,
	}
	if !c.steered.Synced() {
		return info
	}
	info.Synced, info.Lead, info.Target = true, stats.Lead.Ticks(), stats.Target.Ticks()
	info.ServerTick, _ = sync.ServerTick(now)
	tick, fraction := sync.Interpolation(now)
	info.Interpolated, info.InterpolatedFraction = tick, float64(fraction)/256
	return info
}
