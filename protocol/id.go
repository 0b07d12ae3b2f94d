package protocol

import (
	"crypto/sha256"
	"encoding/binary"
)

// ID is the protocol id of a game in the netcode standard: connect tokens contain it, so that the
// tokens and packets of one game are invalid in another game that shares its key. It is computed
// from the game's name alone, so that a program that mints tokens needs nothing else of the game.
func ID(game string) uint64 {
	sum := sha256.Sum256([]byte("entangle protocol id\x00" + game))
	return binary.LittleEndian.Uint64(sum[:])
}
