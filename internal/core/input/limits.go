package input

import "github.com/entangle-ecs/entangle"

const (
	// MaxTicks is the most ticks of one stream in a frame.
	MaxTicks = 64
	// MinTicks is how many ticks of a stream a frame repeats at least, if there is room: the newest
	// and the previous one, even if the latter cannot be in time any more.
	MinTicks = 2
	// History is the least number of ticks back for which At returns the input.
	History = 128
	// Behind is the most ticks by which an input can be late. Older ones are outside of the window.
	Behind = 256

	// maxDistance is how far a stream's newest tick can be from the tick of its packet. Both come
	// from the same sender, and the longest delay and window are shorter.
	maxDistance = 4096
	// maxShown is how many ticks the base of what a player sees can be behind the packet's tick. It can be
	// ahead by maxDistance: after the server stood still, a client's clock is set back, and its screen is not.
	maxShown = 8263
)

// MaxDelay returns the longest input delay, in ticks: a second, but at least 127.
func MaxDelay(tickRate int) int { return max(127, tickRate) }

// Ahead returns how far in the future inputs are accepted, in ticks: a second, but at least 64.
func Ahead(tickRate int) int { return max(64, tickRate) }

// InWindow reports whether an input for a tick is within the window, if now is the last tick that
// has run. Check it before creating a stream for a peer.
func InWindow(tick, now entangle.Tick, tickRate int) bool {
	d := int(tick.Sub(now))
	return d >= -Behind && d <= Ahead(tickRate)
}
