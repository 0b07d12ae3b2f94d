package controls

// Button is a named action that is active or not: a field of a game's input. It takes 3 bits on the
// wire.
//
// A tap between two ticks is Pressed and Released, and not Down. A button released and pressed again
// is all three. A peer may send any of the eight combinations, even those that no Latch returns.
// Latch gives.
type Button struct {
	// Down: the button is held when the tick begins. A missing input repeats it.
	Down bool
	// Pressed: it went down since the tick before. Set once for each press, however long it is
	// held.
	Pressed bool `net:"event"`
	// Released: it went up since the tick before.
	Released bool `net:"event"`
}

// Next returns the button one tick later, for a player without a device, such as a bot.
func (b Button) Next(down bool) Button {
	return Button{Down: down, Pressed: down && !b.Down, Released: !down && b.Down}
}

// Active reports whether the button was down at any time since the tick before: for actions that last
// while it is held, and also happen on a tap.
func (b Button) Active() bool { return b.Down || b.Pressed }

// Tapped reports whether it went down and up again since the tick before.
func (b Button) Tapped() bool { return !b.Down && b.Pressed && b.Released }
