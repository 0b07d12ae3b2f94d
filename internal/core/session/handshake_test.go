package session

import (
	"crypto/rand"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/token"
)

func TestATokenLeadsToAConnection(t *testing.T) {
	key := token.NewKey()
	now := time.Unix(1_800_000_000, 0)
	at := netip.MustParseAddrPort("127.0.0.1:40000")
	s, err := NewServer(ServerConfig{Key: key, Addresses: []netip.AddrPort{at}, MaxClients: 2, Entropy: rand.Reader, Start: now})
	require.NoError(t, err)
	tok, err := token.Mint(key, token.Claims{ClientID: 7, Servers: []netip.AddrPort{at}, Now: now})
	require.NoError(t, err)
	c := NewClient(ClientConfig{Token: tok})
	require.NoError(t, c.Connect(now))
	from := Addr{0, netip.MustParseAddrPort("127.0.0.1:5")}
	for range 3 {
		for {
			_, b, ok := c.PollDatagram()
			if !ok {
				break
			}
			s.HandleDatagram(from, b, now)
		}
		for {
			_, b, ok := s.PollDatagram()
			if !ok {
				break
			}
			c.HandleDatagram(b, now)
		}
	}
	require.Equal(t, StateConnected, c.State(), s.Stats())
}
