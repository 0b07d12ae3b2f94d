package protocol

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// ErrTooLong is a text or slice above its limit. Sending returns it for the caller's value;
// a codec returns it for a value or for a peer's bytes.
var ErrTooLong = wire.ErrTooLong

// Errors of set-up, for errors.Is on what Protocol.Err returns. The message of
// each occurrence names the type and says what to do.
var (
	// ErrType is a type, or a field of one, that cannot be registered as this.
	ErrType = wire.ErrType

	// ErrTag is a struct tag that cannot be read or does not fit its field.
	ErrTag = wire.ErrTag

	// ErrTwice is a type or name registered twice, or an option given twice.
	ErrTwice = errors.New("registered twice")

	// ErrSealed is a registration after a server or client was made.
	ErrSealed = errors.New("registered too late")

	// ErrOptions is a set of options that contradict each other.
	ErrOptions = wire.ErrOptions

	// ErrTooMany is more of a kind than there are numbers for.
	ErrTooMany = errors.New("too many registrations")

	// ErrConfig is a Config or ChannelConfig that names the wrong field.
	ErrConfig = errors.New("bad configuration")
)

// SetupError is one mistake in the code that registers. Unwrap gives its kind,
// one of the errors above.
type SetupError struct {
	Kind    error  // ErrType, ErrTag, ...
	Subject string // the type, channel or setting it is about
	Problem string // the mistake and its remedy
}

// Error returns one sentence.
func (e *SetupError) Error() string {
	return "protocol: " + e.Subject + ": " + e.Problem
}

// Unwrap returns the kind.
func (e *SetupError) Unwrap() error { return e.Kind }
