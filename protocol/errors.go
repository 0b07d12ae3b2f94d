package protocol

import "errors"

// Errors of decoding: the bytes of a peer that are well formed as bits and still
// not what a plan can have written.
var (
	// ErrRange is a number beyond its declared range, or a rotation that is
	// none.
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

// Errors of set-up, for errors.Is on what Protocol.Err returns. The message of
// each occurrence names the type and says what to do.
var (
	// ErrType is a type, or a field of one, that cannot be registered as this.
	ErrType = errors.New("type cannot be registered")

	// ErrTag is a struct tag that cannot be read or does not fit its field.
	ErrTag = errors.New("bad struct tag")

	// ErrTwice is a type or name registered twice, or an option given twice.
	ErrTwice = errors.New("registered twice")

	// ErrSealed is a registration after a server or client was made.
	ErrSealed = errors.New("registered too late")

	// ErrOptions is a set of options that contradict each other.
	ErrOptions = errors.New("contradicting options")

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
	Problem string // what is wrong and what to do
}

// Error returns one sentence.
func (e *SetupError) Error() string {
	return "protocol: " + e.Subject + ": " + e.Problem
}

// Unwrap returns the kind.
func (e *SetupError) Unwrap() error { return e.Kind }
