package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// Every packet of a client passes the filter. A packet with one byte more or less does not, except
// for a payload, nor does random noise with the same first byte. The other tests check for each
// datagram that a refused one would have no effect.
//
// Proves: Z22
func TestOnlyPossiblePacketsPass(t *testing.T) {
	s := newSim(t, 2)
	p := s.join(s.mint(1))
	request := requestOf(t, s.mint(2))
	response := p.seal(nil, kindResponse, make([]byte, answerSize))
	for _, c := range []struct {
		name      string
		packet    []byte
		connected bool // only connected clients send it
		exact     bool // it has a fixed size
	}{
		{"request", request, false, true},
		{"response", response, false, true},
		{"keep-alive", p.seal(nil, kindKeepAlive, make([]byte, keepAliveSize)), true, true},
		{"disconnect", p.seal(nil, kindDisconnect, nil), true, true},
		{"payload", p.seal(nil, kindPayload, make([]byte, 100)), true, false},
	} {
		require.True(t, ServerFilter(c.packet, true), c.name)
		require.Equal(t, !c.connected, ServerFilter(c.packet, false), c.name)
		assert.Equal(t, !c.exact, ServerFilter(append(c.packet[:len(c.packet):len(c.packet)], 0), true), c.name)
		assert.Equal(t, !c.exact, ServerFilter(c.packet[:len(c.packet)-1], true), c.name)
	}
	request[1] ^= 1
	assert.False(t, ServerFilter(request, false), "another version")
	for _, k := range []kind{kindDenied, kindChallenge, kinds} {
		assert.False(t, ServerFilter(p.seal(nil, k, make([]byte, answerSize)), true), "a server's packet")
	}
	for size := range 2000 {
		assert.False(t, ServerFilter(make([]byte, size), true), "%d zeros", size)
	}

	random := chance(t)
	for range 2000 {
		b := make([]byte, random.IntN(60))
		_, _ = entropy{random}.Read(b)
		s.toServer(p.addr, b)
		s.toServer(s.addr(), b)
	}
	assert.Greater(t, s.refused, 2000, "of 4,000")
	assert.Zero(t, alloctest.Count(100, func() {
		ServerFilter(request, false)
		ServerFilter(response, true)
	}))
}
