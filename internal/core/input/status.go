package input

// Status says where the value of a tick comes from.
type Status uint8

const (
	// Unheard is a tick before the first input of its lane: nobody drives the entity by it yet.
	Unheard Status = iota
	// None is a tick for which the player has no input, or one that is missing, as all
	// in the second before it are.
	None
	// Fresh is a tick with a value of its own.
	Fresh
	// Repeated is a tick whose input is missing. Its value is the last one before,
	// without events.
	Repeated
)

func (s Status) String() string {
	switch s {
	case Unheard:
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
