package netcode

import (
	"crypto/sha256"
	"time"

	"github.com/entangle-ecs/entangle/transport/token"
)

// DevKey is the key of a server that was given none, for the game with that name.
// Anybody can make it, so it protects nothing: such a server listens on loopback
// addresses only.
func DevKey(game string) token.Key {
	return token.Key(sha256.Sum256([]byte("entangle development key\x00" + game)))
}

// devStart lets a server without a key admit tokens that were minted before it
// started, which is usual when a game and its server are started together. With a
// key of its own a server refuses them, because they might have been used before
// it was restarted.
var devStart = time.Unix(1, 0)
