package wire

import (
	"errors"
)

// Errors of decoding: a peer's bytes that are well formed as bits, and that no plan can have
// written.
var (
	// ErrRange is a number beyond its declared range, or bits that are no rotation.
	ErrRange = errors.New("protocol: a value lies outside what its type allows")
	// ErrReference is an entity index that the table in front of the body does
	// not have.
	ErrReference = errors.New("protocol: a reference points outside the table")
	// ErrTooLong is a text or slice above its limit. Decoding returns it for a
	// peer's bytes, encoding for the caller's value.
	ErrTooLong = errors.New("protocol: a text or slice is longer than its limit")
	// ErrMemory is a value that would take far more memory than bytes on the
	// wire.
	ErrMemory = errors.New("protocol: a value takes too much memory for its size on the wire")
)

// Kinds of a TypeError.
var (
	// ErrType is a type, or a field of one, that the plan cannot send.
	ErrType = errors.New("type cannot be registered")
	// ErrTag is a struct tag that cannot be read or does not fit its field.
	ErrTag = errors.New("bad struct tag")
	// ErrOptions is a codec that does not fit its type.
	ErrOptions = errors.New("contradicting options")
)

// TypeError is one reason why a type has no plan. Unwrap gives its kind.
type TypeError struct {
	Kind    error  // ErrType, ErrTag or ErrOptions
	Subject string // the type and the field
	Problem string // the mistake and its remedy
}

// Error returns one sentence.
func (e *TypeError) Error() string { return "protocol: " + e.Subject + ": " + e.Problem }

// Unwrap returns the kind.
func (e *TypeError) Unwrap() error { return e.Kind }
