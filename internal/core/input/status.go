package input

// Status is the origin of the input of a tick.
type Status uint8

const (
	// Unknown: the stream has had no input up to this tick.
	Unknown Status = iota
	// None: the player has no input for the tick, or the input is missing, like all in the
	// second before it.
	None
	// Fresh: the tick has a value of its own.
	Fresh
	// Repeated: the input of the tick is missing. The value is the last one before, without
	// events.
	Repeated
)

func (s Status) String() string {
	switch s {
	case Unknown:
		return "unheard"
	case None:
		return "none"
	case Fresh:
		return "fresh"
	case Repeated:
		return "repeated"
	}
	return "invalid"
}
