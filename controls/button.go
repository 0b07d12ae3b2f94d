package controls

// Button is a named action that is done or not: a field of a game's input. It takes 3
// bits on the wire.
//
// A tap between two ticks is Pressed and Released, and not Down. One let go and pressed
// again is all three. A peer may send any of the eight combinations, also those that no
// Latch gives.
type Button struct {
	// Down: it is held as the tick begins. A missing input repeats it.
	Down bool
	// Pressed: it went down since the tick before. Once for each press, however long it
	// is held.
	Pressed bool `net:"event"`
	// Released: it went up since the tick before.
	Released bool `net:"event"`
}

// Next returns the button one tick later, of a player who has no device, such as a bot.
func (b Button) Next(down bool) Button {
	return Button{Down: down, Pressed: down && !b.Down, Released: !down && b.Down}
}

// Active reports whether the button was down at any time since the tick before: for
// what goes on while it is held, and has to happen for a tap, too.
func (b Button) Active() bool { return b.Down || b.Pressed }

// Tapped reports whether it went down and up again since the tick before.
func (b Button) Tapped() bool { return !b.Down && b.Pressed && b.Released }
