package registry

import (
	"fmt"
)

// Kind is the kind of a registry entry.
type Kind uint8

const (
	// KindSetting is a value both sides must have alike, such as the tick rate.
	KindSetting Kind = iota
	// KindComponent is a replicated component.
	KindComponent
	// KindInput is a component that a client drives its entities with.
	KindInput
	// KindMessage is a message.
	KindMessage
	// KindRequest is a question and its answer.
	KindRequest
	// KindResource is a replicated resource.
	KindResource
	// KindChannel is a channel of the game's own.
	KindChannel
	// KindLocal is a component that is rolled back and never sent. It is in no
	// list of entries: the sides need not agree on it.
	KindLocal
	// KindUnsent is a component that is not sent on purpose. It is in no list of entries
	// either.
	KindUnsent

	kinds
)

// String returns the kind as errors and lists show it.
func (k Kind) String() string {
	names := [kinds]string{"setting", "component", "input", "message", "request", "resource", "channel", "local component", "unsent component"}
	if k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return names[k]
}
