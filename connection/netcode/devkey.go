package netcode

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/transport/token"
)

// DevKey returns the key of a server without a configured key, for the game with that name.
// Anybody can compute it, so it protects nothing: such a server listens on loopback addresses
// only.
func DevKey(game string) token.Key {
	return token.Key(sha256.Sum256([]byte("entangle development key\x00" + game)))
}

// isDev reports whether a token is sealed with DevKey, which no server with a key accepts.
func isDev(t token.Token, game string) bool {
	public, err := t.Public()
	if err != nil {
		return false
	}
	opener, err := token.NewOpener(DevKey(game), public.ProtocolID)
	if err != nil {
		return false
	}
	sealed, private := public.Sealed, token.Private{}
	return opener.Open(public.Expires, public.Nonce[:], sealed[:], &private) == nil
}

// errNoAnswerToDev is the error with which a client with such a token gives up. It names the most
// likely reasons why a server does not answer: a server cannot tell a packet of another game from noise.
func errNoAnswerToDev(game string) error {
	return fmt.Errorf("%w: nothing listens there, or the server has a protocol.Config.Name other than %q, or a key: this token is of Client.DevToken, "+
		"which only servers without a key admit, so get one that was minted with the server's key (or the token was used before, or this client "+
		"is still connected)", connection.ErrNoAnswer, game)
}

// devStart is the start time of a session without a key. It admits tokens that were minted before
// the server was started, which often happens when a game and its server are started together. A
// session with a key refuses them, because they might have been used before a restart.
var devStart = time.Unix(1, 0)
