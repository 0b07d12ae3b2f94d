package protocol

import (
	"github.com/entangle-ecs/entangle/internal/registry"
)

// Direction says which way something is sent.
type Direction uint8

const (
	// ServerToClient is for messages that only the server sends.
	ServerToClient Direction = iota + 1
	// ClientToServer is for what only clients send.
	ClientToServer
	// Bidirectional is the default of messages and channels.
	Bidirectional
)

// String returns the name of the constant.
func (d Direction) String() string { return registry.Direction(d).String() }

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
	// SequencedUnreliable sends once, and delivers messages newer than the last
	// one delivered.
	SequencedUnreliable
	// UnorderedUnreliable sends once, and delivers what arrives.
	UnorderedUnreliable
)

// String returns the name of the constant.
func (m Mode) String() string { return registry.Mode(m).String() }

// SyncMode says how a predicted entity follows the state of a component that the server confirms.
type SyncMode uint8

const (
	// Simple takes every confirmed value over as it comes. It is the default.
	Simple SyncMode = iota
	// Full predicts with rollback.
	Full
	// Once takes only the first value over. That the component is inserted or removed is
	// taken over each time.
	Once
	// None leaves the component to the game.
	None
)

// String returns the name of the constant.
func (m SyncMode) String() string { return registry.SyncMode(m).String() }
