package session

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// A token stays consumed until it expires, however often the tables are swept.
//
// Proves: C14, Z4
func TestATokenStaysUsedUpUntilItExpires(t *testing.T) {
	s := newSim(t, 2)
	tok := s.mint(1)
	again := requestOf(t, tok)
	p := s.join(tok)
	s.until(time.Second, func() bool { return p.State() == StateConnected })
	p.Disconnect(s.now)
	for expires := epoch.Add(token.DefaultLife); s.now.Before(expires); s.step() {
		require.False(t, s.answered(p.addr, again), "%v after it was minted", s.now.Sub(epoch))
		require.False(t, s.answered(s.addr(), again), "from elsewhere, %v after it was minted", s.now.Sub(epoch))
	}
	drops := s.server.Stats().Drops
	assert.Zero(t, drops[DropTokenExpired])
	assert.Greater(t, drops[DropTokenConsumed], uint64(500))
	assert.Greater(t, drops[DropTokenOtherAddress], uint64(500))
	assert.Equal(t, uint64(1), s.server.Stats().Connects)
}

// A recorded response does not connect a client after that client has left.
//
// Proves: C14, Z4
func TestARecordedResponseConnectsNoClient(t *testing.T) {
	s := newSim(t, 2)
	p := s.join(s.mint(1))
	s.deliverToServer(p)
	s.deliverToClients()
	_, b, ok := p.PollDatagram()
	require.True(t, ok)
	response := append([]byte(nil), b...)
	s.toServer(p.addr, response)
	s.deliverToClients()
	require.Equal(t, StateConnected, p.State())
	p.Disconnect(s.now)
	s.step()
	require.Zero(t, s.server.Clients())
	for range 2 * int(pendingLife/frame) {
		require.False(t, s.answered(p.addr, response), "%v later", s.now.Sub(epoch))
		s.step()
	}
	assert.Equal(t, uint64(1), s.server.Stats().Connects)
}

// Both servers that a token lists send to its client. The first accepts the client, but its packets
// are lost, so the client tries the second, which accepts it, kicks it and denies it. No key seals
// two packets with the same nonce.
//
// Proves: Z4
func TestTwoServersOfOneTokenShareNoNonce(t *testing.T) {
	s := newSim(t, 1)
	second := netip.MustParseAddrPort("203.0.113.8:40000")
	config := s.config
	config.Addresses, config.Start = []netip.AddrPort{second}, s.now
	other, err := newServer(config, s.recorder.maker)
	require.NoError(t, err)
	claims := s.claims(1)
	claims.Servers = append(claims.Servers, second)
	claims.Timeout = time.Second
	tok, err := token.Mint(serverKey, claims)
	require.NoError(t, err)

	p := s.join(tok)
	s.deliverToServer(p)
	s.deliverToClients() // the challenge
	s.deliverToServer(p) // the response; everything that the server sends from here on is lost
	require.True(t, s.server.Connected(0))
	for range 100 {
		_, err = s.server.AppendPayload(nil, 0, []byte("from the first"), s.now)
		require.NoError(t, err)
	}
	p.dead = true
	for p.Server() != second {
		s.step()
	}
	p.dead, s.server, s.events = false, other, nil
	s.until(2*time.Second, func() bool { return p.State() == StateConnected })
	for range 100 {
		s.serverSends(0, "from the second")
	}
	require.Len(t, p.received, 100)
	late := requestOf(t, s.mintFor(2, second))
	require.True(t, s.answered(s.addr(), late), "denied")
	other.Disconnect(0, s.now)
	s.run(time.Second)
	assert.Equal(t, ReasonPeerLeft, p.Reason())
	assert.Equal(t, [2]uint64{1, 1}, [2]uint64{other.Stats().Challenges, other.Stats().Denials})
}

// A client that has given up its token returns with another one, from the same address, before the
// server has dropped its entry for the first token. It is connected by the second token, with its
// keys, and that token is consumed.
//
// Proves: C7, Z4
func TestANewTokenReplacesAPendingOneOfTheSameAddress(t *testing.T) {
	s := newSim(t, 2)
	first := s.join(s.mint(1))
	s.deliverToServer(first)
	require.EqualValues(t, 1, s.server.Stats().Challenges)
	first.dead = true
	tok := s.mint(1)
	p := s.joinFrom(first.addr, tok)
	s.until(time.Second, func() bool { return p.State() == StateConnected })
	require.Equal(t, 1, s.server.Clients())
	s.clientSends(p, "hello")
	s.run(time.Second)
	assert.Equal(t, []string{"hello"}, s.received[0])
	p.Disconnect(s.now)
	s.run(time.Second)
	require.Zero(t, s.server.Clients())
	assert.False(t, s.answered(first.addr, requestOf(t, tok)), "it is consumed")
	assert.EqualValues(t, 1, s.server.Stats().Drops[DropTokenConsumed])
}

// The sequences of a server's challenges never overlap those of slots, nor those of another server
// of the token, for any random number.
//
// Proves: Z4
func TestServersUseSeparateSequencesForChallenges(t *testing.T) {
	const room = 1 << 32 // far more challenges than a server makes
	seen := map[uint64]bool{}
	for bit := range 64 {
		from := firstGlobal(1<<bit | 1<<63 - 1)
		require.GreaterOrEqual(t, from, uint64(globals))
		require.GreaterOrEqual(t, from, firstOfSlot(len(token.Private{}.Servers)+256))
		require.Greater(t, from+room, from, "the sequences do not run out")
	}
	for bit := 2; bit < 64; bit++ {
		seen[firstGlobal(1<<bit)] = true
	}
	assert.Len(t, seen, 62, "all bits of the random number count, except two")
	assert.False(t, seen[firstGlobal(0)])
}

// mintFor mints a token for one server.
func (s *sim) mintFor(id entangle.ClientID, server netip.AddrPort) token.Token {
	claims := s.claims(id)
	claims.Servers = []netip.AddrPort{server}
	tok, err := token.Mint(serverKey, claims)
	require.NoError(s.t, err)
	return tok
}
