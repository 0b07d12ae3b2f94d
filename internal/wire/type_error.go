package wire

import (
	"errors"
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
	Kind    error  // WireErrType, WireErrTag or WireErrOptions
	Subject string // the type and the field
	Problem string // the mistake and its remedy
}

// Error returns one sentence.
func (e *TypeError) Error() string { return "protocol: " + e.Subject + ": " + e.Problem }

// Unwrap returns the kind.
func (e *TypeError) Unwrap() error { return e.Kind }
