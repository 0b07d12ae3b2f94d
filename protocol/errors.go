package protocol

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// ErrTooLong means that a text or slice is above its limit. Sending returns it for the caller's
// value; a codec returns it for a value or for a peer's bytes.
var ErrTooLong = wire.ErrTooLong

// Kinds of mistakes at set-up: test the result of Protocol.Err for them with errors.Is. The message
// of each mistake names the type and tells what to do.
var (
	// ErrType means that a type, or a field of it, cannot be registered in this way.
	ErrType = wire.ErrType

	// ErrTag means that a struct tag is invalid or does not fit its field.
	ErrTag = wire.ErrTag

	// ErrTwice means that a type or name was registered twice, or an option given twice.
	ErrTwice = errors.New("registered twice")

	// ErrSealed means that something was registered after a server or client was made.
	ErrSealed = errors.New("registered too late")

	// ErrOptions means that options contradict each other.
	ErrOptions = wire.ErrOptions

	// ErrTooMany means that more of a kind were registered than there are numbers.
	ErrTooMany = errors.New("too many registrations")

	// ErrConfig means that a field of a Config or ChannelConfig is invalid. The message names the
	// field.
	ErrConfig = errors.New("bad configuration")
)

// SetupError is one mistake in the code that registers. Unwrap returns its kind, one of the errors
// above.
type SetupError struct {
	Kind    error  // ErrType, ErrTag, ...
	Subject string // the type, channel or setting that it is about
	Problem string // the mistake and its remedy
}

// Error returns the mistake as one sentence.
func (e *SetupError) Error() string {
	return "protocol: " + e.Subject + ": " + e.Problem
}

// Unwrap returns the kind.
func (e *SetupError) Unwrap() error { return e.Kind }
