package stage

import (
	"net/netip"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/token"
)

// ticket mints the token with which a client connects. In a game with accounts a backend with the key does that; here
// the client has the key, which is for a LAN among friends: anyone who has it can use any id.
func (s *Stage) ticket(client *plugin.Client, server netip.AddrPort, id entangle.ClientID) (token.Token, error) {
	key, err := s.sides.Secret()
	if err != nil {
		return token.Token{}, err
	}
	if key.IsZero() {
		return client.DevToken(server, id)
	}
	return plugin.MintToken(key, s.cast.Protocol().Name(), token.Claims{
		ClientID: id,
		Servers:  []netip.AddrPort{server},
		Now:      token.NextSecond(s.now),
	})
}
