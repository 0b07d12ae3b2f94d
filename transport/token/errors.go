package token

import "errors"

var (
	// ErrInvalid is returned for bytes that are not a netcode 1.02 token: wrong size or
	// version, an invalid address, more than MaxServers, or padding that is not zero.
	ErrInvalid = errors.New("token: these bytes are not a netcode 1.02 token")

	// ErrForged is returned by Opener.Open for a private half that was altered, or sealed
	// with another key, protocol id or expiry.
	ErrForged = errors.New("token: not sealed with this key for this protocol id and expiry")
)
