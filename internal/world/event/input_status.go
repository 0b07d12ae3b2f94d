package event

import (
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// InputStatus says whether an entity has an input for a tick, and where that comes from.
type InputStatus uint8

// The values of InputStatus.
const (
	NoInput InputStatus = iota
	FreshInput
	RepeatedInput
)

// String returns the name of the status.
func (s InputStatus) String() string {
	return [...]string{"NoInput", "FreshInput", "RepeatedInput"}[min(s, RepeatedInput)]
}

func StatusOf(s input.Status) InputStatus {
	switch s {
	case input.Fresh:
		return FreshInput
	case input.Repeated:
		return RepeatedInput
	}
	return NoInput
}
