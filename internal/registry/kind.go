package registry

import "fmt"

// Kind is the kind of a registry entry.
type Kind uint8

const (
	// KindSetting is a value that must be the same on both sides, such as the tick rate.
	KindSetting Kind = iota
	// KindComponent is a replicated component.
	KindComponent
	// KindInput is a component by which a client controls its entities.
	KindInput
	// KindMessage is a message.
	KindMessage
	// KindRequest is a pair of types: a question and its answer.
	KindRequest
	// KindResource is a replicated resource.
	KindResource
	// KindChannel is a channel that the game has added.
	KindChannel
	// KindIntent is an input that fires entities with a blueprint.
	KindIntent
	// KindLocal is a component that is rolled back but never sent. It has no entry, because the
	// sides need not agree on it.
	KindLocal
	// KindUnsent is a component that the game does not send on purpose. It has no entry either.
	KindUnsent

	kinds
)

// String returns the kind as errors and tables show it.
func (k Kind) String() string {
	return nameOf(k, "Kind", "setting", "component", "input", "message", "request", "resource", "channel", "intent", "local component", "unsent component")
}

// nameOf returns the name of a constant of a type, or the type with the number of an unknown one.
func nameOf[E ~uint8](e E, typ string, names ...string) string {
	if int(e) >= len(names) {
		return fmt.Sprintf("%s(%d)", typ, uint8(e))
	}
	return names[e]
}
