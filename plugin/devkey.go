package plugin

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// devKey is the key of a server that was given none. Anybody can make it, so it
// protects nothing: such a server listens on loopback addresses only.
func devKey(name string) token.Key {
	return token.Key(sha256.Sum256([]byte("entangle development key\x00" + name)))
}

// devStart lets a server without a key admit tokens that were minted before it
// started, which is usual when a game and its server are started together. With a
// key of its own a server refuses them, because they might have been used before
// it was restarted.
var devStart = time.Unix(1, 0)

func onlyLoopback(conns []transport.Conn) error {
	for _, conn := range conns {
		if l, ok := conn.(transport.Local); ok && l.Local() {
			continue
		}
		if addr := conn.LocalAddr(); !addr.Addr().IsLoopback() {
			return fmt.Errorf("plugin: a server without a key can't listen on %v, where others could reach it; "+
				"set ServerConfig.Key (token.NewKey makes one) or listen on 127.0.0.1", addr)
		}
	}
	return nil
}

// MintToken makes a token for clients of the game with that name; see token.Mint.
// The claims' ProtocolID is filled in. Their Now is time.Now(), or
// token.NextSecond(time.Now()) if the server may have started within the last
// second: a server with a key refuses tokens of the second in which it started,
// because they might have been used on the one before it.
func MintToken(key token.Key, game string, claims token.Claims) (token.Token, error) {
	for _, server := range claims.Servers {
		if server.Addr().IsUnspecified() {
			return token.Token{}, fmt.Errorf("plugin: a token for %v leads nowhere; give the address that players reach", server)
		}
	}
	claims.ProtocolID = protocol.ID(game)
	return token.Mint(key, claims)
}
