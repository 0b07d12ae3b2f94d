package token

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
)

// KeySize is the length of a Key in bytes.
const KeySize = 32

// Key is a secret of 32 bytes: the one that a backend shares with its game
// servers, or the key of one direction of one connection.
type Key [KeySize]byte

// NewKey returns a key from the operating system's randomness.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // never fails: crypto/rand ends the process instead
	return k
}

// ParseKey parses what Hex returns: 64 hexadecimal digits.
func ParseKey(text string) (Key, error) {
	var k Key
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != KeySize {
		return Key{}, errors.New("token: a key is written as 64 hexadecimal digits; make one with NewKey().Hex()")
	}
	copy(k[:], b)
	return k, nil
}

// Hex returns the key as 64 hexadecimal digits, for a secret store. It is as
// secret as the key.
func (k Key) Hex() string { return hex.EncodeToString(k[:]) }

// IsZero reports whether the key was never set. Such a key is refused everywhere.
func (k Key) IsZero() bool { return k == Key{} }

// String hides the key, so that printing a config does not give it away.
func (k Key) String() string { return "token.Key(hidden)" }

// GoString hides the key from %#v.
func (k Key) GoString() string { return k.String() }
