package session

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Proves: C1, C9, C15
func TestATokenLeadsToAConnection(t *testing.T) {
	s := newSim(t, 4)
	p := s.join(s.mint(42))
	assert.Equal(t, StateRequesting, p.State())
	assert.Equal(t, serverAddr, p.Server())
	s.run(200 * time.Millisecond)

	assert.Equal(t, StateConnected, p.State())
	assert.Equal(t, 0, p.Index())
	assert.Equal(t, 4, int(p.assigned.maxClients))
	assert.Equal(t, ReasonNone, p.Reason())

	require.Len(t, s.events, 1)
	e := s.events[0]
	assert.Equal(t, Connected, e.Kind)
	assert.Equal(t, entangle.ClientID(42), e.ClientID)
	assert.Equal(t, p.addr, e.Addr)
	require.Len(t, e.UserData, token.MaxUserData)
	assert.Equal(t, "hello", strings.TrimRight(string(e.UserData), "\x00"))

	assert.True(t, s.server.Connected(0))
	assert.False(t, s.server.Connected(1))
	assert.Equal(t, 1, s.server.Clients())
	assert.Equal(t, entangle.ClientID(42), s.server.ClientID(0))
	assert.Equal(t, p.addr, s.server.Addr(0))
	slot, ok := s.server.Slot(42)
	assert.True(t, ok)
	assert.Equal(t, 0, slot)
	assert.False(t, s.server.stopped)
}

// Each packet of the handshake answers one of the other side, and has the size that the standard
// prescribes.
func TestTheHandshakeIsFourPackets(t *testing.T) {
	s := newSim(t, 4)
	c := newClient(ClientConfig{Token: s.mint(42)}, s.recorder.maker)
	require.NoError(t, c.Connect(s.now))
	from := s.addr()

	for _, want := range []struct{ up, down int }{{1078, 333}, {326, 26}} {
		_, b, ok := c.PollDatagram()
		require.True(t, ok)
		assert.Len(t, b, want.up)
		s.server.HandleDatagram(from, append([]byte(nil), b...), s.now)
		_, _, again := c.PollDatagram()
		assert.False(t, again)

		to, b, ok := s.server.PollDatagram()
		require.True(t, ok)
		assert.Equal(t, from, to)
		assert.Len(t, b, want.down)
		c.HandleDatagram(append([]byte(nil), b...), s.now)
		_, _, again = s.server.PollDatagram()
		assert.False(t, again)
	}
	assert.Equal(t, StateConnected, c.State())
}

func TestClientsConnectUnderLoss(t *testing.T) {
	s := newSim(t, 32)
	s.loss = 0.3
	for id := range entangle.ClientID(32) {
		s.join(s.mint(id + 1))
	}
	s.until(4*time.Second, func() bool {
		for _, p := range s.peers {
			if p.State() != StateConnected {
				return false
			}
		}
		return true
	})
	assert.Equal(t, 32, s.server.Clients())
	seen := map[int]bool{}
	for _, p := range s.peers {
		seen[p.Index()] = true
	}
	assert.Len(t, seen, 32, "every client has a slot of its own")
}

func TestPayloadsGoBothWays(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.clientSends(p, "up")
	s.serverSends(p.Index(), "down")
	s.clientSends(p, strings.Repeat("x", entangle.MaxPayload))
	assert.Equal(t, []string{"up", strings.Repeat("x", entangle.MaxPayload)}, s.received[p.Index()])
	assert.Equal(t, []string{"down"}, p.received)
	assert.Equal(t, uint64(2), s.server.Stats().Payloads)
	assert.Equal(t, uint64(1), p.Stats().Payloads)
}

// The slot is assigned when the response arrives. A keep-alive tells the client; if it is lost, the
// keep-alive before each payload replaces it.
func TestAPayloadConfirmsTheConnection(t *testing.T) {
	s := newSim(t, 2)
	p := s.join(s.mint(1))
	s.deliverToServer(p)
	s.deliverToClients()
	require.Equal(t, StateResponding, p.State())
	s.deliverToServer(p)
	for {
		if _, _, ok := s.server.PollDatagram(); !ok { // it is lost
			break
		}
	}
	require.True(t, s.server.Connected(0))
	require.Equal(t, StateResponding, p.State())

	s.serverSends(0, "first")
	assert.Equal(t, StateConnected, p.State())
	assert.Equal(t, []string{"first"}, p.received)

	s.deliverToServer(p)
	assert.False(t, s.server.KeepAliveFirst(0), "the client's keep-alive confirms")
}

func TestAPayloadBeforeTheConnectionIsDropped(t *testing.T) {
	s := newSim(t, 2)
	p := s.join(s.mint(1))
	s.deliverToServer(p)
	s.deliverToClients()
	s.deliverToServer(p)
	b, err := s.server.AppendPayload(nil, 0, []byte("early"), s.now)
	require.NoError(t, err)
	s.toClient(p.addr, b)
	assert.Empty(t, p.received)
	assert.Equal(t, uint64(1), p.Stats().Drops[DropUnwantedKind])
}

func TestAWrongPayloadIsTheCallersMistake(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	dst := []byte("kept")
	for _, size := range []int{0, entangle.MaxPayload + 1} {
		got, err := s.server.AppendPayload(dst, 0, make([]byte, size), s.now)
		assert.ErrorIs(t, err, ErrPayloadSize)
		assert.Equal(t, dst, got)
		_, err = p.AppendPayload(dst, make([]byte, size), s.now)
		assert.ErrorIs(t, err, ErrPayloadSize)
	}
	for _, slot := range []int{-1, 1, 2} {
		_, err := s.server.AppendPayload(nil, slot, []byte("x"), s.now)
		assert.ErrorIs(t, err, ErrNotConnected)
		_, err = s.server.AppendKeepAlive(nil, slot, s.now)
		assert.ErrorIs(t, err, ErrNotConnected)
		assert.Equal(t, Addr{}, s.server.Addr(slot))
	}
	_, err := NewClient(ClientConfig{}).AppendPayload(nil, []byte("x"), s.now)
	assert.ErrorIs(t, err, ErrNotConnected)
}

// A client of another implementation may send 1200 bytes, but not more.
func TestForeignPayloadsMayBeLarger(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.toServer(p.addr, p.seal(nil, kindPayload, make([]byte, MaxForeignPayload)))
	assert.Len(t, s.received[0][0], MaxForeignPayload)
	s.toServer(p.addr, p.seal(nil, kindPayload, make([]byte, MaxForeignPayload+1)))
	s.toServer(p.addr, p.seal(nil, kindPayload, nil))
	assert.Len(t, s.received[0], 1)
	assert.Equal(t, uint64(2), s.server.Stats().Drops[DropBodySize])
}

// The links of one server are separate: one address on two of them is two clients.
func TestLinksHaveAddressesOfTheirOwn(t *testing.T) {
	s := newSim(t, 2)
	a := s.connect(1)
	b := s.joinFrom(Addr{1, a.addr.AddrPort}, s.mint(2))
	s.until(time.Second, func() bool { return b.State() == StateConnected })
	assert.Equal(t, 2, s.server.Clients())
	assert.Equal(t, uint8(1), s.server.Addr(b.Index()).Link)
}
