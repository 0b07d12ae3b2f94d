package token

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/chacha20poly1305"
)

// dataSize is the size of the associated data: version, protocol id, expiry.
const dataSize = len(Version) + 8 + 8

// Opener seals and opens the private halves of the tokens of one key and one protocol id. Only one
// goroutine at a time may use it, because it reuses its buffers.
type Opener struct {
	aead cipher.AEAD
	data [dataSize]byte
}

// NewOpener returns an Opener. A zero key is an error.
func NewOpener(key Key, protocolID uint64) (*Opener, error) {
	if key.IsZero() {
		return nil, errors.New("token: the key is zero; make one with NewKey and share it between backend and servers")
	}
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		return nil, err
	}
	o := &Opener{aead: aead}
	copy(o.data[:], Version)
	binary.LittleEndian.PutUint64(o.data[len(Version):], protocolID)
	return o, nil
}

func (o *Opener) associated(expires uint64) []byte {
	binary.LittleEndian.PutUint64(o.data[len(Version)+8:], expires)
	return o.data[:]
}

// Seal appends the 1024 sealed bytes of p. The nonce must never have been used
// with this key before.
func (o *Opener) Seal(dst []byte, expires uint64, nonce [NonceSize]byte, p *Private) []byte {
	plain := p.AppendPlain(make([]byte, 0, plainSize))
	return o.aead.Seal(dst, nonce[:], plain, o.associated(expires))
}

// Open decrypts sealed in place and parses it into p. It returns ErrInvalid unless nonce
// and sealed have exactly NonceSize and PrivateSize bytes, and ErrForged, without
// allocating, for bytes that were not sealed for this expiry.
func (o *Opener) Open(expires uint64, nonce, sealed []byte, p *Private) error {
	if len(nonce) != NonceSize || len(sealed) != PrivateSize {
		return ErrInvalid
	}
	plain, err := o.aead.Open(sealed[:0], nonce, sealed, o.associated(expires))
	if err != nil {
		return ErrForged
	}
	return p.ParsePlain(plain)
}
