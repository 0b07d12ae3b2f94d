package protocol

import "fmt"

// Kind says what an entry of the registry is.
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
	// KindAction is an optimistic action.
	KindAction
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
	names := [kinds]string{"setting", "component", "input", "message", "request", "resource", "channel", "action", "local component", "unsent component"}
	if k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return names[k]
}

// worldly reports whether types of this kind are components of the world.
func (k Kind) worldly() bool {
	return k == KindComponent || k == KindInput || k == KindLocal || k == KindUnsent
}

// Direction says which way something is sent.
type Direction uint8

const (
	// anyDirection is what was not set.
	anyDirection Direction = iota
	// ServerToClient is the default of components and resources.
	ServerToClient
	// ClientToServer is for what only clients send.
	ClientToServer
	// Bidirectional is the default of messages and channels.
	Bidirectional
)

// String returns the name of the constant.
func (d Direction) String() string {
	switch d {
	case ServerToClient:
		return "ServerToClient"
	case ClientToServer:
		return "ClientToServer"
	case Bidirectional:
		return "Bidirectional"
	default:
		return fmt.Sprintf("Direction(%d)", uint8(d))
	}
}

func (d Direction) valid() bool { return d >= ServerToClient && d <= Bidirectional }

// within reports whether whatever d allows, outer allows too.
func (d Direction) within(outer Direction) bool { return outer == Bidirectional || d == outer }

// orElse is d, or the default where it was not set.
func (d Direction) orElse(fallback Direction) Direction {
	if d == anyDirection {
		return fallback
	}
	return d
}

// Mode says what a channel promises about its messages. All drop duplicates.
type Mode uint8

const (
	// OrderedReliable delivers every message, in the order they were sent. It is
	// the default.
	OrderedReliable Mode = iota
	// UnorderedReliable delivers every message, as soon as it arrives.
	UnorderedReliable
	// SequencedReliable delivers the newest message for certain, and an older
	// one only if it arrives before anything newer.
	SequencedReliable
	// SequencedUnreliable sends once, and delivers what is newer than the last
	// one delivered.
	SequencedUnreliable
	// UnorderedUnreliable sends once, and delivers what arrives.
	UnorderedUnreliable

	modes
)

// String returns the name of the constant.
func (m Mode) String() string {
	names := [modes]string{"OrderedReliable", "UnorderedReliable", "SequencedReliable", "SequencedUnreliable", "UnorderedUnreliable"}
	if m >= modes {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return names[m]
}

// SyncMode says how an entity that is predicted or interpolated follows what the
// server confirms about a component.
type SyncMode uint8

const (
	// Simple takes every confirmed value over as it comes. It is the default.
	Simple SyncMode = iota
	// Full predicts with rollback, or interpolates between two values.
	Full
	// Once takes only the first value over. That the component is inserted or removed is
	// taken over each time.
	Once
	// None leaves the component to the game.
	None

	syncModes
)

// PredictMode is SyncMode, where it is about prediction.
type PredictMode = SyncMode

// String returns the name of the constant.
func (m SyncMode) String() string {
	names := [syncModes]string{"Simple", "Full", "Once", "None"}
	if m >= syncModes {
		return fmt.Sprintf("SyncMode(%d)", uint8(m))
	}
	return names[m]
}
