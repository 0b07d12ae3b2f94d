package protocol

import (
	"github.com/entangle-ecs/entangle/internal/registry"
)

// Direction is the direction in which something is sent.
type Direction uint8

const (
	// ServerToClient is for messages that only the server sends.
	ServerToClient Direction = iota + 1
	// ClientToServer is for messages that only clients send.
	ClientToServer
	// Bidirectional is the default of messages and channels.
	Bidirectional
)

// String returns the name of the constant.
func (d Direction) String() string { return registry.Direction(d).String() }

// Mode is how a channel delivers its messages. All modes drop duplicates.
type Mode uint8

const (
	// OrderedReliable delivers every message, in the order in which they were sent. It is the
	// default.
	OrderedReliable Mode = iota
	// UnorderedReliable delivers every message, as soon as it arrives.
	UnorderedReliable
	// SequencedReliable delivers the newest message for certain, and an older
	// one only if it arrives before anything newer.
	SequencedReliable
	// SequencedUnreliable sends each message once, and delivers messages that are newer than the
	// last one delivered.
	SequencedUnreliable
	// UnorderedUnreliable sends each message once, and delivers every message that arrives.
	UnorderedUnreliable
)

// String returns the name of the constant.
func (m Mode) String() string { return registry.Mode(m).String() }

// SyncMode is how a component of a predicted entity, or of an interpolated one, follows the state
// that the server confirms.
type SyncMode uint8

const (
	// Simple takes over every confirmed value: on a predicted entity as it arrives, on an
	// interpolated one when that is shown at the tick of the value. It is the default.
	Simple SyncMode = iota
	// Full predicts with rollback, or shows a value between two that arrived.
	Full
	// Once takes over only the first value. It takes over every insertion and removal of the
	// component.
	Once
	// None leaves the component to the game.
	None
)

// String returns the name of the constant.
func (m SyncMode) String() string { return registry.SyncMode(m).String() }
