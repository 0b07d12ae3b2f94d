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

// isDev reports whether a token is sealed with DevKey, which no server with a key admits.
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

// noAnswerToDev is why a client with such a token gives up: of all that a server is silent
// about, this is the likeliest.
const noAnswerToDev = "no answer: nothing listens there, or the server has a key: this token is of Client.DevToken, which only servers " +
	"without a key admit, so get one that was minted with the server's key (or the token was used before, or this client is still connected)"

// devStart lets a server without a key admit tokens that were minted before it
// started, which is usual when a game and its server are started together. With a
// key of its own a server refuses them, because they might have been used before
// it was restarted.
var devStart = time.Unix(1, 0)
