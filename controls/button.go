package controls

// Button is a named action that is active or not: a field of a game's input. It takes 3 bits on the
// wire.
//
// After a tap between two ticks, Pressed and Released are true and Down is false. After a held
// button was released and pressed again, all three are true. A peer may send any of the eight
// combinations, even those that no Latch returns.
type Button struct {
	// Down is true if the button is held when the tick begins. A missing input repeats it.
	Down bool
	// Pressed is true if the button went down since the previous tick. It is set once for each
	// press, however long the button is held.
	Pressed bool `net:"event"`
	// Released is true if the button went up since the previous tick.
	Released bool `net:"event"`
}

// Next returns the button one tick later, for a player without a device, such as a bot.
func (b Button) Next(down bool) Button {
	return Button{Down: down, Pressed: down && !b.Down, Released: !down && b.Down}
}

// Active reports whether the button was down at any time since the previous tick. Use it for
// actions that last while the button is held, and that also happen on a tap.
func (b Button) Active() bool { return b.Down || b.Pressed }

// Tapped reports whether the button went down and up again since the previous tick.
func (b Button) Tapped() bool { return !b.Down && b.Pressed && b.Released }
