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

func requestOf(t testing.TB, tok token.Token) []byte {
	public, err := tok.Public()
	require.NoError(t, err)
	r := request{public.ProtocolID, public.Expires, public.Nonce[:], public.Sealed[:]}
	return r.appendTo(nil)
}

// answered reports whether the server answers a datagram.
func (s *sim) answered(from Addr, b []byte) bool {
	before := s.server.Stats().Drops.Total()
	s.toServer(from, b)
	_, _, ok := s.server.PollDatagram()
	if !ok {
		require.Equal(s.t, before+1, s.server.Stats().Drops.Total(), "an ignored datagram is counted")
	}
	return ok
}

// Proves: C2, C3, Z4
func TestATokenThatDoesNotFitIsRefusedInSilence(t *testing.T) {
	for name, c := range map[string]struct {
		key   token.Key
		spoil func(*token.Claims)
		want  Drop
	}{
		"good":           {serverKey, func(*token.Claims) {}, dropNone},
		"wrong key":      {token.Key{7}, func(*token.Claims) {}, DropTokenForged},
		"wrong protocol": {serverKey, func(c *token.Claims) { c.ProtocolID++ }, DropProtocol},
		"expired": {serverKey, func(c *token.Claims) {
			c.Now = c.Now.Add(-30 * time.Second)
		}, DropTokenExpired},
		"from before the start": {serverKey, func(c *token.Claims) {
			c.Now = c.Now.Add(-time.Second)
		}, DropTokenBeforeStart},
		"wrong key, from before the start": {token.Key{7}, func(c *token.Claims) {
			c.Now = c.Now.Add(-time.Second)
		}, DropTokenForged},
		"from the future": {serverKey, func(c *token.Claims) {
			c.Now = c.Now.Add(time.Second)
		}, DropTokenNotYetValid},
		"longer life than the server's": {serverKey, func(c *token.Claims) {
			c.Life = 31 * time.Second
		}, DropTokenNotYetValid},
		"other server": {serverKey, func(c *token.Claims) {
			c.Servers = []netip.AddrPort{netip.MustParseAddrPort("203.0.113.8:40000")}
		}, DropWrongServer},
		"other port": {serverKey, func(c *token.Claims) {
			c.Servers = []netip.AddrPort{netip.MustParseAddrPort("203.0.113.7:40001")}
		}, DropWrongServer},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSim(t, 2)
			claims := s.claims(1)
			c.spoil(&claims)
			tok, err := token.Mint(c.key, claims)
			require.NoError(t, err)
			assert.Equal(t, c.want == dropNone, s.answered(s.addr(), requestOf(t, tok)))
			if c.want != dropNone {
				assert.Equal(t, uint64(1), s.server.Stats().Drops[c.want], c.want.String())
				assert.Zero(t, s.server.Stats().Pending+s.server.Stats().Tokens, "no state is kept for it")
			}
		})
	}
}

// Proves: C2
func TestARefusedClientEndsWithAReason(t *testing.T) {
	s := newSim(t, 2)
	claims := s.claims(1)
	claims.Timeout = 2 * time.Second
	tok, err := token.Mint(token.Key{7}, claims)
	require.NoError(t, err)
	p := s.join(tok)
	s.run(3 * time.Second)
	assert.Equal(t, StateRequestTimedOut, p.State())
	assert.Equal(t, ReasonRequestTimedOut, p.Reason())

	claims.Timeout, claims.Life = -1, 2*time.Second
	tok, err = token.Mint(token.Key{7}, claims)
	require.NoError(t, err)
	p = s.join(tok)
	s.run(3 * time.Second)
	assert.Equal(t, StateTokenExpired, p.State())
	assert.Equal(t, ReasonTokenExpired, p.Reason())

	p = s.join(token.Token{})
	assert.Equal(t, StateInvalidToken, p.State())
	assert.Equal(t, ReasonTokenInvalid, p.Reason())
	_, _, ok := p.PollDatagram()
	assert.False(t, ok)
}

// Proves: C3
func TestEquivalentAddressesAreAccepted(t *testing.T) {
	for _, c := range []struct {
		own, listed string
		want        bool
	}{
		{"0.0.0.0:4000", "127.0.0.1:4000", true},
		{"0.0.0.0:4000", "[::1]:4000", true},
		{"[::]:4000", "127.0.0.1:4000", true},
		{"127.0.0.1:4000", "0.0.0.0:4000", true},
		{"127.0.0.1:4000", "[::1]:4000", true},
		{"[::ffff:203.0.113.7]:4000", "203.0.113.7:4000", true},
		{"[::ffff:0.0.0.0]:4000", "127.0.0.1:4000", true},
		{"0.0.0.0:4000", "127.0.0.1:4001", false},
		{"0.0.0.0:4000", "203.0.113.7:4000", false},
		{"203.0.113.7:4000", "127.0.0.1:4000", false},
		{"[2001:db8::1]:4000", "[2001:db8::2]:4000", false},
	} {
		own := ownAddresses{netip.MustParseAddrPort("192.0.2.1:1"), netip.MustParseAddrPort(c.own)}
		listed := []netip.AddrPort{netip.MustParseAddrPort("198.51.100.9:9"), netip.MustParseAddrPort(c.listed)}
		_, ok := own.indexIn(listed)
		assert.Equal(t, c.want, ok, "server %s, token %s", c.own, c.listed)
	}
}

// A server with a configured public address accepts tokens for it.
//
// Proves: C3
func TestAServerAcceptsTokensForItsPublicAddress(t *testing.T) {
	s := newSim(t, 2)
	s.config.Addresses = []netip.AddrPort{netip.MustParseAddrPort("0.0.0.0:4000")}
	s.start()
	assert.False(t, s.answered(s.addr(), requestOf(t, s.mint(1))))
	s.config.Addresses = append(s.config.Addresses, serverAddr)
	s.start()
	assert.True(t, s.answered(s.addr(), requestOf(t, s.mint(1))))
}

// Proves: C14, Z4
func TestATokenIsUsedUpByItsConnection(t *testing.T) {
	s := newSim(t, 2)
	tok := s.mint(1)
	first := s.addr()
	again := requestOf(t, tok)

	assert.True(t, s.answered(first, again))
	assert.True(t, s.answered(first, again), "pending: the same address may repeat itself")
	assert.False(t, s.answered(s.addr(), again), "pending: no other address")
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropTokenOtherAddress])

	p := s.joinFrom(first, tok)
	s.until(time.Second, func() bool { return p.State() == StateConnected })
	assert.False(t, s.answered(first, again), "connected: not from its address")
	assert.False(t, s.answered(s.addr(), again), "connected: not from another")

	p.Disconnect(s.now)
	s.run(time.Second)
	require.Equal(t, 0, s.server.Clients())
	assert.False(t, s.answered(first, again), "disconnected: not from its address")
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropTokenConsumed])
	assert.False(t, s.answered(s.addr(), again), "disconnected: not from another")

	s.start()
	assert.False(t, s.answered(first, again), "not on a restarted server")
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropTokenBeforeStart])
}

// A token has a date in whole seconds. A used token is refused by a server that was restarted
// within the same second. A token dated in the future is accepted when that time has come.
//
// Proves: C14, Z4
func TestARestartWithinASecondAdmitsNoOldToken(t *testing.T) {
	s := newSim(t, 2)
	s.now = s.now.Add(200 * time.Millisecond)
	old := s.mint(1)
	require.True(t, s.answered(s.addr(), requestOf(t, old)))
	s.now = s.now.Add(200 * time.Millisecond)
	s.start()
	assert.False(t, s.answered(s.addr(), requestOf(t, old)))

	claims := s.claims(2)
	claims.Now = token.NextSecond(s.now)
	next, err := token.Mint(serverKey, claims)
	require.NoError(t, err)
	p := s.join(next)
	s.until(time.Second, func() bool { return p.State() == StateConnected })
	assert.False(t, s.now.Before(claims.Now))
}

// One client with two tokens gets one slot, whichever of its addresses is faster.
//
// Proves: Z4
func TestOneClientIDHasOneSlot(t *testing.T) {
	s := newSim(t, 4)
	a, b := s.join(s.mint(1)), s.join(s.mint(1))
	s.step()
	require.Equal(t, StateResponding, a.State())
	require.Equal(t, StateResponding, b.State())
	s.run(time.Second)
	assert.Equal(t, StateConnected, a.State())
	assert.Equal(t, StateResponding, b.State())
	assert.Equal(t, 1, s.server.Clients())
	assert.NotZero(t, s.server.Stats().Drops[DropClientConnected])
}

func TestAConnectedAddressStartsNoOtherConnection(t *testing.T) {
	s := newSim(t, 4)
	p := s.connect(1)
	other := requestOf(t, s.mint(2))
	assert.False(t, s.answered(p.addr, other))
	mapped := Addr{0, netip.AddrPortFrom(netip.AddrFrom16(p.addr.Addr().As16()), p.addr.Port())}
	require.NotEqual(t, p.addr, mapped)
	assert.False(t, s.answered(mapped, other), "the same address, written as IPv6")
	assert.Equal(t, uint64(2), s.server.Stats().Drops[DropAddressConnected])
}

// A client repeats its requests until it is answered. On a slow connection, repeated requests
// arrive when the client is already connected. They do not count as refused.
func TestRepeatedRequestsOfAConnectedClientAreNotRefused(t *testing.T) {
	s := newSim(t, 4)
	minted := s.mint(1)
	p := s.join(minted)
	s.run(time.Second)
	require.Equal(t, StateConnected, p.State())
	assert.False(t, s.answered(p.addr, requestOf(t, minted)))
	assert.False(t, s.answered(p.addr, p.seal(nil, kindResponse, make([]byte, answerSize))))
	drops := s.server.Stats().Drops
	assert.Equal(t, uint64(2), drops[DropRepeated])
	for refused := DropRequestForm; refused < Drop(len(drops)); refused++ {
		assert.Zero(t, drops[refused], "%v", refused)
	}
}

func TestAChallengeIsToBeAnsweredInTime(t *testing.T) {
	s := newSim(t, 4)
	p := s.join(s.mint(1))
	s.deliverToServer(p)
	s.deliverToClients()
	s.now = s.now.Add(pendingLife)
	s.deliverToServer(p)
	assert.Equal(t, 0, s.server.Clients())
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropNoConnection])
}

func TestNobodyIsNotAClient(t *testing.T) {
	s := newSim(t, 2)
	opener, err := token.NewOpener(serverKey, protocolID)
	require.NoError(t, err)
	expires := uint64(s.now.Unix()) + 30
	private := token.Private{Servers: []netip.AddrPort{serverAddr}}
	for id, want := range map[entangle.ClientID]bool{entangle.Nobody: false, 1: true} {
		private.ClientID = id
		nonce := [token.NonceSize]byte{byte(id)}
		r := request{protocolID, expires, nonce[:], opener.Seal(nil, expires, nonce, &private)}
		assert.Equal(t, want, s.answered(s.addr(), r.appendTo(nil)))
	}
}

// A server keeps the latest time if its clock is set back, so an expired token stays expired.
//
// Proves: Z4
func TestAClockSetBackRevivesNoToken(t *testing.T) {
	s := newSim(t, 2)
	b := requestOf(t, s.mint(1))
	s.now = s.now.Add(40 * time.Second)
	s.server.Advance(s.now)
	s.now = s.now.Add(-35 * time.Second)
	assert.False(t, s.answered(s.addr(), b))
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropTokenExpired])
}
