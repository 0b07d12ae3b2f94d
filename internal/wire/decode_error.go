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
