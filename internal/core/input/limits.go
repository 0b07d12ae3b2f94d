package input

import "github.com/entangle-ecs/entangle"

const (
	// MaxTicks is how many ticks of one stream a frame has at most.
	MaxTicks = 64
	// MinTicks is how many ticks of a stream a frame repeats, if there is room: the newest
	// and the one before, even if no older tick could be in time.
	MinTicks = 2
	// History is for how many of the last ticks At returns their input, at least.
	History = 128
	// Behind is by how many ticks an input can be late; older ones are invalid.
	Behind = 256

	// maxDistance is how far a stream's newest tick can be from the tick of its packet: both
	// are of one sender, with a shorter delay and window.
	maxDistance = 4096
	// maxShown is how far the time that a player sees can be behind the packet's tick: the
	// range of the third size of a Uvarint.
	maxShown = 8263
)

// MaxDelay returns the longest delay, in ticks: a second, but at least 127.
func MaxDelay(tickRate int) int { return max(127, tickRate) }

// Ahead returns how far in the future inputs are accepted, in ticks: a second, but at least 64.
func Ahead(tickRate int) int { return max(64, tickRate) }

// InWindow reports whether an input can be for a tick, if now is the last tick that has run. Call it
// before you create a stream for a peer.
func InWindow(tick, now entangle.Tick, tickRate int) bool {
	d := int(tick.Sub(now))
	return d >= -Behind && d <= Ahead(tickRate)
}
