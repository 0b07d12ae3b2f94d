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

// Proves: C5
func TestSilenceEndsAConnectionOnBothSides(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.loss = 1
	s.run(token.DefaultTimeout - 500*time.Millisecond)
	assert.Equal(t, StateConnected, p.State())
	assert.Equal(t, 1, s.server.Clients())
	s.run(time.Second)
	assert.Equal(t, StateTimedOut, p.State())
	assert.Equal(t, ReasonTimedOut, p.Reason())
	assert.Equal(t, 0, s.server.Clients())
	assert.Equal(t, ReasonTimedOut, s.last(Disconnected).Reason)
	assert.Equal(t, entangle.ClientID(1), s.last(Disconnected).ClientID)
}

// Proves: C5
func TestAnIdleConnectionLivesThroughLoss(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.loss = 0.4
	s.run(10 * time.Minute)
	assert.Equal(t, StateConnected, p.State())
	assert.Equal(t, 1, s.server.Clients())
	assert.Less(t, p.Stats().Sealed, uint64(10*60*10+10), "10 packets a second")
}

// Proves: C5
func TestATokenCanForbidTheTimeout(t *testing.T) {
	s := newSim(t, 2)
	claims := s.claims(1)
	claims.Timeout = -1
	tok, err := token.Mint(serverKey, claims)
	require.NoError(t, err)
	p := s.join(tok)
	s.run(time.Second)
	s.loss = 1
	s.run(time.Hour)
	assert.Equal(t, StateConnected, p.State())
	assert.Equal(t, 1, s.server.Clients())
}

// disconnectPackets polls ten different disconnect packets, and returns the last one, as if the
// others were lost.
func (s *sim) disconnectPackets(poll func() (Addr, []byte, bool)) (last []byte) {
	seen := map[string]bool{}
	for {
		_, b, ok := poll()
		if !ok {
			break
		}
		assert.Equal(s.t, kindDisconnect, kind(b[0]&15))
		last = append([]byte(nil), b...)
		seen[string(last)] = true
	}
	assert.Len(s.t, seen, 10)
	return last
}

// One disconnect packet is enough: nine may be lost.
//
// Proves: C6
func TestAKickReachesTheClient(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.server.Disconnect(p.Index(), s.now)
	s.toClient(p.addr, s.disconnectPackets(s.server.PollDatagram))
	p.Advance(s.now.Add(GoodbyeWait))
	assert.Equal(t, StateDisconnected, p.State())
	assert.Equal(t, ReasonPeerLeft, p.Reason())
	s.pollEvents()
	assert.Equal(t, ReasonDisconnected, s.last(Disconnected).Reason)
	s.server.Disconnect(p.Index(), s.now)
	assert.Equal(t, uint64(1), s.server.Stats().Disconnects, "a second kick does nothing")
}

// Proves: C15
func TestALeavingClientNotifiesTheServer(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	p.Disconnect(s.now)
	assert.Equal(t, StateDisconnected, p.State())
	assert.Equal(t, ReasonDisconnected, p.Reason())
	s.toServer(p.addr, s.disconnectPackets(func() (Addr, []byte, bool) {
		_, b, ok := p.PollDatagram()
		return p.addr, b, ok
	}))
	assert.Equal(t, 0, s.server.Clients())
	s.run(GoodbyeWait + frame)
	assert.Equal(t, ReasonPeerLeft, s.last(Disconnected).Reason)
	p.Disconnect(s.now)
	_, _, ok := p.PollDatagram()
	assert.False(t, ok)
}

func TestAnAttemptCanBeCalledOff(t *testing.T) {
	s := newSim(t, 2)
	p := s.join(s.mint(1))
	p.Disconnect(s.now)
	s.run(time.Second)
	assert.Equal(t, StateDisconnected, p.State())
	assert.Zero(t, s.server.Stats().Received, "the server received nothing")
	assert.ErrorIs(t, p.Connect(s.now), ErrClientUsed)
}

// Proves: C7
func TestReconnectingLeavesNothingOfTheOldSession(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	s.clientSends(p, "old")
	late, err := p.AppendPayload(nil, []byte("late"), s.now)
	require.NoError(t, err)
	p.Disconnect(s.now)
	s.run(200 * time.Millisecond)
	require.Equal(t, 0, s.server.Clients())

	claims := s.claims(1)
	claims.UserData = []byte("new")
	tok, err := token.Mint(serverKey, claims)
	require.NoError(t, err)
	again := s.joinFrom(p.addr, tok)
	s.until(time.Second, func() bool { return again.State() == StateConnected })
	assert.Equal(t, "new", string(s.last(Connected).UserData[:3]))
	assert.Equal(t, byte(0), s.last(Connected).UserData[3])
	s.toServer(p.addr, late)
	s.clientSends(again, "new")
	assert.Equal(t, []string{"old", "new"}, s.received[0])
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropForged])
}

// Proves: C7
func TestAVanishedClientReconnectsWhenItsSlotHasTimedOut(t *testing.T) {
	s := newSim(t, 1)
	s.connect(1).dead = true
	s.run(time.Second)
	p := s.join(s.mint(1))
	s.run(3 * time.Second)
	assert.Equal(t, StateRequesting, p.State())
	assert.NotZero(t, s.server.Stats().Drops[DropClientConnected])
	s.until(2*time.Second, func() bool { return p.State() == StateConnected })
}

// Proves: C8
func TestOneClientTooManyIsDenied(t *testing.T) {
	s := newSim(t, 2)
	s.connect(1)
	first := s.connect(2)
	p := s.join(s.mint(3))
	s.run(200 * time.Millisecond)
	assert.Equal(t, StateDenied, p.State())
	assert.Equal(t, ReasonDenied, p.Reason())
	assert.Equal(t, 2, s.server.Clients())
	assert.NotZero(t, s.server.Stats().Denials)

	first.Disconnect(s.now)
	s.run(200 * time.Millisecond)
	assert.Equal(t, first.Index(), s.connect(3).Index(), "the slot is reused")
}

// Two clients were challenged for the last slot. The one that answers later is denied.
//
// Proves: C8
func TestTheLastSlotGoesToTheFirstAnswer(t *testing.T) {
	s := newSim(t, 1)
	a, b := s.join(s.mint(1)), s.join(s.mint(2))
	s.step()
	require.Equal(t, StateResponding, a.State())
	require.Equal(t, StateResponding, b.State())
	s.run(200 * time.Millisecond)
	assert.Equal(t, StateConnected, a.State())
	assert.Equal(t, StateDenied, b.State())
}

// Proves: C10, C15
func TestAStoppedServerDisconnectsEveryoneAndCanStartAgain(t *testing.T) {
	s := newSim(t, 3)
	peers := []*peer{s.connect(1), s.connect(2), s.connect(3)}
	s.server.Stop(s.now)
	assert.True(t, s.server.stopped)
	s.step()
	assert.Equal(t, 0, s.server.Clients())
	assert.Equal(t, ReasonStopped, s.last(Disconnected).Reason)
	s.run(GoodbyeWait + frame)
	for _, p := range peers {
		assert.Equal(t, StateDisconnected, p.State())
	}
	assert.False(t, s.answered(s.addr(), requestOf(t, s.mint(4))))
	assert.NotZero(t, s.server.Stats().Drops[DropStopped])

	s.now = s.now.Truncate(time.Second).Add(time.Second)
	s.start()
	for id := range entangle.ClientID(3) {
		s.connect(id + 1)
	}
	assert.Equal(t, 3, s.server.Clients())
}

func TestTheNextServerIsTried(t *testing.T) {
	s := newSim(t, 1)
	claims := s.claims(1)
	claims.Timeout = time.Second
	claims.Servers = []netip.AddrPort{netip.MustParseAddrPort("203.0.113.1:1"), serverAddr}
	tok, err := token.Mint(serverKey, claims)
	require.NoError(t, err)
	c := newClient(ClientConfig{Token: tok}, s.recorder.maker)
	require.NoError(t, c.Connect(s.now))
	to, _, _ := c.PollDatagram()
	assert.Equal(t, claims.Servers[0], to)
	c.Advance(s.now.Add(time.Second))
	assert.Equal(t, StateRequesting, c.State())
	to, b, ok := c.PollDatagram()
	require.True(t, ok)
	assert.Equal(t, serverAddr, to)
	assert.Len(t, b, requestSize)
	c.Advance(s.now.Add(2 * time.Second))
	assert.Equal(t, StateRequestTimedOut, c.State())
	assert.Equal(t, ReasonRequestTimedOut, c.Reason())
}

func TestAnUnansweredResponseTimesOut(t *testing.T) {
	s := newSim(t, 1)
	p := s.join(s.mint(1))
	s.deliverToServer(p)
	s.deliverToClients()
	require.Equal(t, StateResponding, p.State())
	s.loss = 1
	s.run(6 * time.Second)
	assert.Equal(t, StateResponseTimedOut, p.State())
	assert.Equal(t, ReasonResponseTimedOut, p.Reason())
	s.run(10 * time.Second)
	assert.Zero(t, s.server.Stats().Pending)
	s.run(30 * time.Second)
	assert.Zero(t, s.server.Stats().Tokens)
}

// The keys are the same for all servers of a token, so the sequences continue at the next server.
//
// Proves: Z4
func TestTheNextServerGetsNewNumbers(t *testing.T) {
	s := newSim(t, 1)
	claims := s.claims(1)
	claims.Timeout = time.Second
	claims.Servers = []netip.AddrPort{serverAddr, serverAddr}
	tok, err := token.Mint(serverKey, claims)
	require.NoError(t, err)
	p := s.join(tok)
	s.deliverToServer(p)
	s.deliverToClients()
	require.Equal(t, StateResponding, p.State())
	s.loss = 1
	s.until(2*time.Second, func() bool { return p.State() == StateRequesting })
	s.loss = 0
	numbers := p.link.sequence
	require.NotZero(t, numbers)
	s.until(time.Second, func() bool { return p.State() == StateConnected })
	assert.Greater(t, p.link.sequence, numbers)
}

func TestTheSmallestFreeSlotIsGiven(t *testing.T) {
	s := newSim(t, 4)
	for id := range entangle.ClientID(4) {
		assert.Equal(t, int(id), s.connect(id+1).Index())
	}
	for _, slot := range []int{2, 0, 3} {
		s.server.Disconnect(slot, s.now)
	}
	s.run(200 * time.Millisecond)
	for i, want := range []int{0, 2, 3} {
		assert.Equal(t, want, s.connect(entangle.ClientID(10+i)).Index())
	}
}

// A slot is reused only after its Disconnected event was polled.
func TestASlotWaitsForItsEventToBePolled(t *testing.T) {
	s := newSim(t, 1)
	s.connect(1)
	s.server.Disconnect(0, s.now)
	b := requestOf(t, s.mint(2))
	s.server.HandleDatagram(s.addr(), append([]byte(nil), b...), s.now)
	assert.Equal(t, uint64(1), s.server.Stats().Denials)
	s.pollEvents()
	s.connect(3)
}

func TestMistakesInTheConfigNameTheirField(t *testing.T) {
	good := newSim(t, 1).config
	for field, spoil := range map[string]func(*ServerConfig){
		"Key":        func(c *ServerConfig) { c.Key = token.Key{} },
		"Addresses":  func(c *ServerConfig) { c.Addresses = []netip.AddrPort{netip.MustParseAddrPort("1.2.3.4:0")} },
		"MaxClients": func(c *ServerConfig) { c.MaxClients = MaxSlots + 1 },
		"TokenLife":  func(c *ServerConfig) { c.TokenLife = 1500 * time.Millisecond },
		"Entropy":    func(c *ServerConfig) { c.Entropy = nil },
		"Start":      func(c *ServerConfig) { c.Start = time.Time{} },
		"Pending":    func(c *ServerConfig) { c.Pending = -1 },
		"History":    func(c *ServerConfig) { c.History = -1 },
	} {
		config := good
		spoil(&config)
		_, err := NewServer(config)
		assert.ErrorContains(t, err, "ServerConfig."+field)
	}
	empty := good
	empty.Addresses = nil
	_, err := NewServer(empty)
	assert.ErrorContains(t, err, "ServerConfig.Addresses")
	_, err = NewServer(good)
	assert.NoError(t, err)
}

func TestNamesAreComplete(t *testing.T) {
	for d := range drops {
		assert.NotEmpty(t, d.String())
	}
	for r := range reasons {
		assert.NotEmpty(t, r.String())
	}
	for s := StateTokenExpired; s <= StateConnected; s++ {
		assert.NotEqual(t, "unknown", s.String())
	}
	numbers := []int{int(StateTokenExpired), int(StateDenied), int(StateDisconnected), int(StateConnected)}
	assert.Equal(t, []int{-6, -1, 0, 3}, numbers)
	assert.Equal(t, "unknown", State(4).String())
	assert.Equal(t, "unknown", drops.String())
	assert.Equal(t, "unknown reason", reasons.String())
}
