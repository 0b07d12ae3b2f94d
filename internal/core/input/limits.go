package input

import "github.com/entangle-ecs/entangle"

const (
	// MaxTicks is the most ticks that a frame has of one lane.
	MaxTicks = 64
	// MinTicks is what a frame repeats of a lane, if there is room: its newest tick and
	// the one before, even if nothing older could be in time.
	MinTicks = 2
	// History is for how many ticks that have run At answers, at least.
	History = 128
	// Behind is how far in the past ticks are still taken for late, and not for nonsense.
	Behind = 256

	// maxDistance bounds how far a lane's newest tick is from that of its packet: both
	// are of one sender, whose delay and windows are shorter.
	maxDistance = 4096
	// maxShown bounds how far the time that a player sees is behind its own: what fits
	// into the third size of a Uvarint.
	maxShown = 8263
)

// MaxDelay returns the longest delay, in ticks: a second, and 127 at least.
func MaxDelay(tickRate int) int { return max(127, tickRate) }

// Ahead returns how far in the future inputs are taken, in ticks: a second, and 64 at
// least.
func Ahead(tickRate int) int { return max(64, tickRate) }

// InWindow reports whether a tick is one that an input can be for, if now is the last
// tick that has run. Whoever makes a lane for a peer asks first.
func InWindow(tick, now entangle.Tick, tickRate int) bool {
	d := int(tick.Sub(now))
	return d >= -Behind && d <= Ahead(tickRate)
}
