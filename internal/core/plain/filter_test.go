package plain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
)

// Every packet of a client passes the filter. A packet that is too long, too short or of another
// kind does not. The other tests check for each datagram that is refused that it would have no
// effect.
//
// Proves: Z22
func TestOnlyPossiblePacketsPass(t *testing.T) {
	h := hello{protocolID: testProtocol, client: 1, userData: make([]byte, connection.MaxUserData)}
	first := h.appendTo(nil, kindHello)
	answer := append(h.appendTo(nil, kindAnswer), make([]byte, 8)...)
	require.Len(t, first, helloSize)
	for _, c := range []struct {
		name      string
		packet    []byte
		connected bool // only connected clients send it
		exact     bool // it has only one valid size
	}{
		{"hello", first, false, true},
		{"answer", answer, false, true},
		{"keep-alive", appendID(nil, kindKeepAlive, 7), true, true},
		{"payload", appendPayload(nil, 7, 8, make([]byte, 100)), true, false},
		{"goodbye", append(appendID(nil, kindGoodbye, 7), "bye"...), true, false},
	} {
		require.True(t, ServerFilter(c.packet, true), c.name)
		require.Equal(t, !c.connected, ServerFilter(c.packet, false), c.name)
		assert.Equal(t, !c.exact, ServerFilter(append(c.packet[:len(c.packet):len(c.packet)], 0), true), c.name)
		assert.Equal(t, !c.exact, ServerFilter(c.packet[:len(c.packet)-1], true), c.name)
	}
	first[1] ^= 1
	assert.False(t, ServerFilter(first, false), "another version")
	assert.False(t, ServerFilter(appendPayload(nil, 7, 8, nil), true), "an empty payload")
	assert.False(t, ServerFilter(appendPayload(nil, 7, 8, make([]byte, maxPacket)), true), "a long payload")
	for _, k := range []kind{0, kindChallenge, kindDenied, kindDenied + 1} {
		assert.False(t, ServerFilter(appendID(nil, k, 7), true), "kind %d", k)
	}
}
