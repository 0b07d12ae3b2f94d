package plugin

import "fmt"

// SetInputDelay has the inputs of the host's player act so many ticks after they are
// written, 0 to MaxInputDelay, from the next tick on; no input is lost by that, and none
// acts twice. Without it they act at once.
//
// They are passed on when they are written. With a delay that covers the way from the host
// to the other players, these have them in time, as they do with their own InputDelay; and
// the host's player has no advantage over them.
func (h *Host) SetInputDelay(ticks int) error {
	if ticks < 0 || ticks > MaxInputDelay {
		return fmt.Errorf("plugin: Host.SetInputDelay of %d ticks; give it 0 to %d", ticks, MaxInputDelay)
	}
	h.player.SetInputDelay(ticks)
	return nil
}

// InputDelay returns the delay of the inputs of the host's player, in ticks.
func (h *Host) InputDelay() int { return h.player.InputDelay() }
