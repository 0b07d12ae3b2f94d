package netcode_test

import (
	"crypto/rand"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// A server on two sockets counts the drops of both.
func TestDropsOfAllSocketsAreCounted(t *testing.T) {
	var sockets [2]*udp.Conn
	var over []transport.Listener
	for i := range sockets {
		over = append(over, keep{udp.Listener{Addr: "127.0.0.1:0"}, &sockets[i]})
	}
	now := time.Now()
	server, err := netcode.Listener{Over: over, Key: token.NewKey()}.
		Listen(connection.ServerConfig{ProtocolID: 1, MaxClients: 1, Entropy: rand.Reader, Now: now})
	require.NoError(t, err)
	defer func() { assert.NoError(t, server.Close("", now)) }()
	for i, s := range sockets {
		stranger, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(s.LocalAddr()))
		require.NoError(t, err)
		defer stranger.Close()
		for range 3 + i {
			_, err = stranger.Write([]byte("no packet"))
			require.NoError(t, err)
		}
	}
	require.Eventually(t, func() bool { return sockets[0].Stats().BadForm == 3 && sockets[1].Stats().BadForm == 4 }, 10*time.Second, time.Millisecond)
	assert.Contains(t, server.AppendDropped(nil), connection.Dropped{Reason: "bad form", Count: 7})
}
