package input

// Status tells where the input of a tick comes from.
type Status uint8

const (
	// Unknown means that the stream has had no input up to this tick.
	Unknown Status = iota
	// None means that the player has no input for the tick, or that the input is missing like all
	// those of the last second.
	None
	// Fresh means that the tick has a value of its own.
	Fresh
	// Repeated means that the input of the tick is missing. The value is that of the last earlier
	// input, without its events.
	Repeated
)

func (s Status) String() string {
	return [...]string{"unheard", "none", "fresh", "repeated", "invalid"}[min(s, Repeated+1)]
}
