package trusted_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport/memory"
)

func TestPayloadsAllocateNothing(t *testing.T) {
	network, now := memory.NewNetwork(), time.Unix(1_000_000, 0)
	here := network.Listener()
	s, err := trusted.Listener{Over: here}.Listen(connection.ServerConfig{ProtocolID: 1, MaxClients: 2, Entropy: rand.Reader, Now: now})
	require.NoError(t, err)
	c, err := trusted.Dialer{Over: network.Dialer(), Server: here.Addr(), Client: 7}.Dial(
		connection.ClientConfig{ProtocolID: 1, Entropy: rand.Reader, Now: now})
	require.NoError(t, err)
	payload, payloads := make([]byte, 1000), 0
	frame := func() {
		now = now.Add(time.Second / 60)
		for e, err := s.Receive(now); err == nil; e, err = s.Receive(now) {
			if e.Kind == connection.Payload {
				payloads++
			}
		}
		for range 5 {
			s.Send(0, payload, now)
			c.Send(payload, now)
		}
		if s.Flush() != nil || c.Flush() != nil {
			t.Fatal("a socket is broken")
		}
		for e, err := c.Receive(now); err == nil; e, err = c.Receive(now) {
			if e.Kind == connection.Payload {
				payloads++
			}
		}
	}
	for range 100 {
		frame()
	}
	payloads = 0
	assert.Zero(t, alloctest.Count(100, frame))
	assert.GreaterOrEqual(t, payloads, 101*10)
}
