package plugin

import "fmt"

// SetInputDelay delays the inputs of the host's player by a number of ticks, 0 to MaxInputDelay,
// from the next tick on. No input is lost and none takes effect twice. Without it they take effect
// at once.
//
// The inputs are relayed when they are written. If the delay covers the latency from the host to
// the other players, those receive them in time, as with an InputDelay of their own, and the host's
// player has no advantage.
func (h *Host) SetInputDelay(ticks int) error {
	if ticks < 0 || ticks > MaxInputDelay {
		return fmt.Errorf("plugin: Host.SetInputDelay of %d ticks; give it 0 to %d", ticks, MaxInputDelay)
	}
	h.player.SetInputDelay(ticks)
	return nil
}

// InputDelay returns the input delay of the host's player, in ticks.
func (h *Host) InputDelay() int { return h.player.InputDelay() }
