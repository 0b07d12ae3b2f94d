package session

import (
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// challenge is what a challenge token contains. A client returns the token to prove that it
// receives packets at the address from which it sends.
type challenge struct {
	client   entangle.ClientID
	userData [token.MaxUserData]byte
}

// encode writes the 284 bytes that are sealed into a challenge token.
func (c *challenge) encode(b []byte) []byte {
	b = b[:challengeSize-tagSize]
	binary.LittleEndian.PutUint64(b, uint64(c.client))
	copy(b[8:], c.userData[:])
	clear(b[8+token.MaxUserData:])
	return b
}

func (c *challenge) decode(b []byte) {
	c.client = entangle.ClientID(binary.LittleEndian.Uint64(b))
	copy(c.userData[:], b[8:])
}

// challenger seals and opens challenge tokens, with a key that is made when the server starts. Each
// token has the next sequence, from 0.
type challenger struct {
	aead     cipher.AEAD
	sequence uint64
	nonce    [chacha20poly1305.NonceSize]byte
	plain    [challengeSize]byte
}

func newChallenger(key token.Key, maker aeadMaker) (challenger, error) {
	aead, err := maker(key[:])
	return challenger{aead: aead}, err
}

func (c *challenger) seal(claim *challenge, out *answer) {
	out.sequence = c.sequence
	c.sequence++
	binary.LittleEndian.PutUint64(c.nonce[4:], out.sequence)
	c.aead.Seal(out.sealed[:0], c.nonce[:], claim.encode(c.plain[:]), nil)
}

// decrypt decrypts a in place and writes its content to claim.
func (c *challenger) decrypt(a *answer, claim *challenge) bool {
	binary.LittleEndian.PutUint64(c.nonce[4:], a.sequence)
	plain, err := c.aead.Open(a.sealed[:0], c.nonce[:], a.sealed[:], nil)
	if err != nil {
		return false
	}
	claim.decode(plain)
	return true
}
