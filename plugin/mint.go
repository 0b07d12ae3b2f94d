package plugin

import (
	"fmt"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// MintToken makes a token for clients of the named game; see token.Mint. It fills in the claims'
// ProtocolID. Set claims.Now to time.Now(), or to token.NextSecond(time.Now()) if the server may
// have started within the last second: a server with a key refuses tokens of the second in which it
// started, because they might have been used at its predecessor.
func MintToken(key token.Key, game string, claims token.Claims) (token.Token, error) {
	for _, server := range claims.Servers {
		if server.Addr().IsUnspecified() {
			return token.Token{}, fmt.Errorf("plugin: a token for %v leads nowhere; give the address that players reach", server)
		}
	}
	claims.ProtocolID = protocol.ID(game)
	return token.Mint(key, claims)
}
