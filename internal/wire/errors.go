package wire

import (
	"errors"
)

// Errors of decoding. The bytes of a peer can be read as bits, but no plan can have written them.
var (
	// ErrRange means that a number is outside of its declared range, or that a code is not a valid
	// rotation.
	ErrRange = errors.New("protocol: a value lies outside what its type allows")
	// ErrReference means that the table in front of the body has no entity for an index.
	ErrReference = errors.New("protocol: a reference points outside the table")
	// ErrTooLong means that a text or slice is longer than its limit. Decoding returns it for the
	// bytes of a peer, encoding for a value of the caller.
	ErrTooLong = errors.New("protocol: a text or slice is longer than its limit")
	// ErrMemory means that a value would take far more memory than it has bytes on the wire.
	ErrMemory = errors.New("protocol: a value takes too much memory for its size on the wire")
)

// Kinds of a TypeError.
var (
	// ErrType means that the plan cannot send a type or a field of it.
	ErrType = errors.New("type cannot be registered")
	// ErrTag means that a struct tag cannot be parsed or does not fit its field.
	ErrTag = errors.New("bad struct tag")
	// ErrOptions means that a codec does not fit its type.
	ErrOptions = errors.New("contradicting options")
)

// TypeError is one reason why a type has no plan. Unwrap returns its kind.
type TypeError struct {
	Kind    error  // ErrType, ErrTag or ErrOptions
	Subject string // the type and the field
	Problem string // the mistake and its remedy
}

// Error returns one sentence.
func (e *TypeError) Error() string { return "protocol: " + e.Subject + ": " + e.Problem }

// Unwrap returns the kind.
func (e *TypeError) Unwrap() error { return e.Kind }
