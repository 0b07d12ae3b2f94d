package session

import (
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/entangle-ecs/entangle/transport/token"
)

// aeadMaker makes the cipher for a key. Tests replace it.
type aeadMaker func(key []byte) (cipher.AEAD, error)

func newAEAD(key []byte) (cipher.AEAD, error) { return chacha20poly1305.New(key) }

// sealer seals or opens the packets of one direction of one connection. Its buffers are fields,
// because the arguments of a cipher's methods escape to the heap.
type sealer struct {
	aead  cipher.AEAD
	nonce [chacha20poly1305.NonceSize]byte
	data  [len(token.Version) + 8 + 1]byte
}

func newSealer(protocolID uint64, key token.Key, maker aeadMaker) (sealer, error) {
	aead, err := maker(key[:])
	s := sealer{aead: aead}
	copy(s.data[:], token.Version)
	binary.LittleEndian.PutUint64(s.data[len(token.Version):], protocolID)
	return s, err
}

// address sets the nonce and the associated data of the packet with this prefix and sequence.
func (s *sealer) address(prefix byte, sequence uint64) {
	s.data[len(s.data)-1] = prefix
	binary.LittleEndian.PutUint64(s.nonce[4:], sequence)
}

// seal appends a whole packet to dst. body must not overlap the free capacity of dst.
func (s *sealer) seal(dst []byte, k kind, sequence uint64, body []byte) []byte {
	at := len(dst)
	dst = appendHeader(dst, k, sequence)
	s.address(dst[at], sequence)
	return s.aead.Seal(dst, s.nonce[:], body, s.data[:])
}

// decrypt decrypts the packet b in place and returns its body.
func (s *sealer) decrypt(h header, b []byte) (body []byte, ok bool) {
	s.address(b[0], h.sequence)
	sealed := b[h.size:]
	body, err := s.aead.Open(sealed[:0], s.nonce[:], sealed, s.data[:])
	return body, err == nil
}
