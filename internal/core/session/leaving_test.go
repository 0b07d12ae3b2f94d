package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// leave makes a client leave after a last payload. It returns that payload and one of the client's
// disconnect packets.
func (s *sim) leave(p *peer, reason string) (payload, disconnect []byte) {
	payload, err := p.AppendPayload(nil, []byte(reason), s.now)
	require.NoError(s.t, err)
	p.Disconnect(s.now)
	return payload, s.disconnectPackets(func() (Addr, []byte, bool) {
		_, b, ok := p.PollDatagram()
		return p.addr, b, ok
	})
}

// exchange delivers the packets between a client and the server without delay.
func (s *sim) exchange(p *peer) {
	for range 3 { // request, response, keep-alive
		s.deliverToServer(p)
		s.deliverToClients()
	}
}

// disconnects counts the Disconnected events of the server.
func (s *sim) disconnects() (n int) {
	for _, e := range s.events {
		if e.Kind == Disconnected {
			n++
		}
	}
	return n
}

// serverDatagrams returns the datagrams that the server has to send.
func (s *sim) serverDatagrams() (all [][]byte) {
	for {
		_, b, ok := s.server.PollDatagram()
		if !ok {
			return all
		}
		all = append(all, append([]byte(nil), b...))
	}
}

// The last payload of a server arrives after its disconnect packets. Further packets of either kind
// do not prolong the wait.
//
// Proves: C6
func TestAClientReadsPayloadsThatADisconnectPacketOvertook(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	s.serverSends(0, "before")
	goodbye, err := s.server.AppendPayload(nil, 0, []byte("goodbye"), s.now)
	require.NoError(t, err)
	late, err := s.server.AppendPayload(nil, 0, []byte("late"), s.now)
	require.NoError(t, err)
	p.Advance(s.now.Add(sendInterval)) // a keep-alive is due
	s.server.Disconnect(0, s.now)
	disconnects := s.serverDatagrams()
	require.Len(t, disconnects, redundantDisconnects)
	began := s.now
	s.toClient(p.addr, disconnects[0])
	assert.Equal(t, StateConnected, p.State())
	s.now = s.now.Add(GoodbyeWait / 2)
	s.toClient(p.addr, goodbye)
	s.toClient(p.addr, goodbye)
	assert.Equal(t, []string{"before", "goodbye"}, p.received)
	for _, again := range disconnects[1:] {
		s.toClient(p.addr, again)
	}

	_, _, polled := p.PollDatagram()
	assert.False(t, polled, "there is no client to send to")
	_, err = p.AppendPayload(nil, []byte("too late"), s.now)
	assert.ErrorIs(t, err, ErrNotConnected)
	p.Advance(began.Add(GoodbyeWait - 1))
	assert.Equal(t, StateConnected, p.State())
	p.Advance(began.Add(GoodbyeWait))
	assert.Equal(t, StateDisconnected, p.State())
	assert.Equal(t, ReasonPeerLeft, p.Reason())
	s.toClient(p.addr, late)
	assert.Len(t, p.received, 2)
}

// During the wait the client may disconnect, and its transport may close.
//
// Proves: C6
func TestTheWaitAfterADisconnectPacketCanBeEnded(t *testing.T) {
	s := newSim(t, 2)
	p, q := s.connect(1), s.connect(2)
	assert.False(t, p.EndWait())
	s.server.Stop(s.now)
	s.deliverToClients()
	p.Disconnect(s.now)
	assert.Equal(t, ReasonDisconnected, p.Reason())
	_, _, ok := p.PollDatagram()
	assert.False(t, ok, "the server has disconnected itself")
	p.Advance(s.now.Add(GoodbyeWait))
	assert.False(t, p.EndWait())
	assert.Equal(t, ReasonDisconnected, p.Reason(), "the client ended the wait")
	assert.True(t, q.EndWait())
	assert.Equal(t, StateDisconnected, q.State())
	assert.Equal(t, ReasonPeerLeft, q.Reason())
}

// The last payload of a client arrives after its disconnect packets. Further packets of either kind do not prolong the
// wait, and replayed packets have no effect.
func TestAServerReadsPayloadsThatADisconnectPacketOvertook(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	s.clientSends(p, "before")
	late, err := p.AppendPayload(nil, []byte("late"), s.now)
	require.NoError(t, err)
	before := make([][]byte, GoodbyeWait/frame+1)
	for i := range before {
		before[i], err = p.AppendPayload(nil, []byte("goodbye"), s.now)
		require.NoError(t, err)
	}
	goodbye, disconnect := s.leave(p, "goodbye")
	want := []string{"before", "goodbye"}
	began := s.now
	for i := 0; s.now.Sub(began) < GoodbyeWait; i++ {
		s.toServer(p.addr, disconnect)
		s.toServer(p.addr, goodbye)
		s.toServer(p.addr, before[i])
		want = append(want, "goodbye")
		assert.Zero(t, s.server.Clients())
		assert.False(t, s.server.Connected(0))
		assert.True(t, s.server.Leaving(0))
		assert.Zero(t, s.disconnects())
		s.step()
	}
	s.step()
	assert.Equal(t, want, s.received[0])
	assert.False(t, s.server.Leaving(0))
	assert.Equal(t, 1, s.disconnects())
	assert.Equal(t, ReasonPeerLeft, s.last(Disconnected).Reason)
	assert.Equal(t, entangle.ClientID(1), s.last(Disconnected).ClientID)
	assert.Equal(t, uint64(1), s.server.Stats().Disconnects)
	drops := s.server.Stats().Drops[DropNoConnection]
	s.toServer(p.addr, late)
	s.toServer(p.addr, disconnect)
	assert.Equal(t, drops+2, s.server.Stats().Drops[DropNoConnection])
	assert.Len(t, s.received[0], len(want))
	assert.Equal(t, 0, s.connect(1).Index())
}

// A client reconnects before its old session has ended, from the same address and from another one: nothing is refused,
// delayed or confused.
//
// Proves: C7
func TestALeavingClientReconnectsAtOnce(t *testing.T) {
	for _, same := range []bool{true, false} {
		for _, slots := range []int{1, 2} {
			s := newSim(t, slots)
			p := s.connect(1)
			goodbye, disconnect := s.leave(p, "goodbye")
			s.toServer(p.addr, disconnect)
			from := s.addr()
			if same {
				from = p.addr
			}
			again := s.joinFrom(from, s.mint(1))
			s.exchange(again)
			require.Equal(t, StateConnected, again.State())
			assert.Equal(t, 1, s.disconnects())
			assert.Equal(t, Connected, s.events[len(s.events)-1].Kind, "the old session ends first")
			s.toServer(p.addr, goodbye)
			assert.Empty(t, s.received)
			s.clientSends(again, "new")
			assert.Equal(t, []string{"new"}, s.received[again.Index()])
			s.run(time.Second)
			assert.Equal(t, StateConnected, again.State())
			assert.Equal(t, 1, s.server.Clients())
			assert.Equal(t, 1, s.disconnects())
		}
	}
}

// Another client connects from the address of a leaving one, and is still connected when the wait
// for that one would have ended.
func TestAnotherClientConnectsFromTheAddressOfALeavingOne(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	goodbye, disconnect := s.leave(p, "goodbye")
	s.toServer(p.addr, disconnect)
	other := s.joinFrom(p.addr, s.mint(2))
	s.exchange(other)
	require.Equal(t, StateConnected, other.State())
	assert.Equal(t, 1, s.disconnects())
	s.toServer(p.addr, goodbye)
	assert.Empty(t, s.received)
	s.run(2 * GoodbyeWait)
	s.clientSends(other, "new")
	assert.Equal(t, []string{"new"}, s.received[other.Index()])
	assert.Equal(t, 1, s.disconnects())
}

// A leaving client does not occupy a slot that is needed: a client that connects to a full server
// gets the slot of the one that has been leaving for the longest time. A client that was challenged
// before gets it by its next response.
//
// Proves: C8
func TestALeavingClientBlocksNoOther(t *testing.T) {
	s := newSim(t, 2)
	a, b := s.connect(1), s.connect(2)
	_, disconnect := s.leave(a, "first")
	s.toServer(a.addr, disconnect)
	s.now = s.now.Add(time.Millisecond)
	goodbye, disconnect := s.leave(b, "second")
	s.toServer(b.addr, disconnect)
	c := s.join(s.mint(3))
	s.exchange(c)
	require.Equal(t, StateConnected, c.State())
	assert.Equal(t, a.Index(), c.Index())
	s.toServer(b.addr, goodbye)
	assert.Equal(t, []string{"second"}, s.received[b.Index()])

	s = newSim(t, 2)
	a, c = s.connect(1), s.join(s.mint(3))
	s.step()
	require.Equal(t, StateResponding, c.State())
	c.dead = true
	s.connect(2)
	c.dead = false
	_, disconnect = s.leave(a, "first")
	s.toServer(a.addr, disconnect)
	s.run(3 * sendInterval)
	assert.Equal(t, StateConnected, c.State())
	assert.Zero(t, s.server.Stats().Denials)
}

// A server that is stopped, or that disconnects a leaving client, sends nothing to that client.
func TestALeavingClientIsSentNothing(t *testing.T) {
	s := newSim(t, 2)
	a, b := s.connect(1), s.connect(2)
	for _, p := range []*peer{a, b} {
		_, disconnect := s.leave(p, "goodbye")
		s.toServer(p.addr, disconnect)
	}
	s.server.Disconnect(a.Index(), s.now)
	s.server.Stop(s.now)
	s.pollEvents()
	assert.Equal(t, 2, s.disconnects())
	_, _, ok := s.server.PollDatagram()
	assert.False(t, ok)
}
