package protocol

import (
	"crypto/sha256"
	"encoding/binary"
)

// ID is the protocol id of a game in the netcode standard: what connect tokens
// name, so that the tokens and packets of one game mean nothing to another that
// shares its key. It follows from the game's name alone, so that whoever mints
// tokens needs nothing else of the game.
func ID(game string) uint64 {
	sum := sha256.Sum256([]byte("entangle protocol id\x00" + game))
	return binary.LittleEndian.Uint64(sum[:])
}
