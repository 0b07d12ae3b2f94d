package event

import (
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// InputStatus is what is known of an entity's input of a tick.
type InputStatus uint8

// What is known of the input of a tick.
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
