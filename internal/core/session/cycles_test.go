package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// cycle is one player who connects and disconnects repeatedly.
type cycle struct {
	id   entangle.ClientID
	peer *peer
	ends time.Time
}

// Each cycle connects, plays for a moment and ends in one of four ways: the client leaves, is
// kicked, is killed, or is killed while connecting. The server is restarted occasionally. All
// ciphers are checked for reused nonces.
//
// Proves: Z4, Z19
func TestTenThousandCyclesOfConnectKillReconnect(t *testing.T) {
	const players, cycles = 32, 10_000
	s := newSim(t, players)
	s.loss = 0.25
	all := make([]*cycle, players)
	for i := range all {
		all[i] = &cycle{id: entangle.ClientID(i + 1)}
	}
	done, frames := 0, 0
	for ; done < cycles; frames++ {
		require.Less(t, frames, 200_000, "%d cycles", done)
		if frames%500 == 499 {
			s.server.Stop(s.now)
			s.step()
			s.now = s.now.Add(time.Duration(s.rand.IntN(1500)) * time.Millisecond)
			s.start()
		}
		for _, c := range all {
			if s.turn(c) {
				done++
			}
		}
		s.step()
	}
	s.assertNothingLeft(all)
}

// turn advances one player, and reports whether a cycle ended.
func (s *sim) turn(c *cycle) bool {
	if c.peer == nil {
		c.peer = s.join(s.quickToken(c.id))
		c.ends = time.Time{}
		if s.rand.IntN(8) == 0 {
			c.ends = s.now.Add(time.Duration(s.rand.IntN(200)) * time.Millisecond)
		}
	}
	if c.peer.State() == StateConnected && c.ends.IsZero() {
		c.ends = s.now.Add(time.Duration(s.rand.IntN(300)) * time.Millisecond)
		if !c.peer.leaving {
			s.clientSends(c.peer, "hello")
		}
	}
	if c.peer.State() <= StateDisconnected || !c.ends.IsZero() && !s.now.Before(c.ends) {
		s.finish(c)
		return true
	}
	return false
}

func (s *sim) quickToken(id entangle.ClientID) token.Token {
	claims := s.claims(id)
	claims.Timeout = time.Second
	claims.Now = token.NextSecond(s.server.config.Start)
	if s.now.After(claims.Now) {
		claims.Now = s.now
	}
	minted, err := token.Mint(serverKey, claims)
	require.NoError(s.t, err)
	return minted
}

func (s *sim) finish(c *cycle) {
	switch slot, connected := s.server.Slot(c.id); s.rand.IntN(3) {
	case 0:
		c.peer.Disconnect(s.now)
		s.deliverToServer(c.peer)
	case 1:
		if connected {
			s.server.Disconnect(slot, s.now)
			s.pollEvents()
		}
	}
	for i, p := range s.peers {
		if p == c.peer {
			s.peers = append(s.peers[:i], s.peers[i+1:]...)
			break
		}
	}
	c.peer = nil
}

// assertNothingLeft waits until everything has expired, and then fills every slot.
func (s *sim) assertNothingLeft(all []*cycle) {
	s.peers = nil
	s.run(time.Minute)
	stats := s.server.Stats()
	assert.Zero(s.t, s.server.Clients())
	assert.Zero(s.t, stats.Pending)
	assert.Zero(s.t, stats.Tokens)
	assert.Equal(s.t, stats.Connects, stats.Disconnects)
	assert.Empty(s.t, s.server.byAddr)
	assert.Empty(s.t, s.server.byClient)
	connects, disconnects := 0, 0
	for _, e := range s.events {
		if e.Kind == Connected {
			connects++
		} else {
			disconnects++
		}
	}
	assert.Equal(s.t, connects, disconnects, "each Connected has its Disconnected")
	assert.Greater(s.t, connects, 5_000)
	s.loss = 0
	slots := map[int]bool{}
	for _, c := range all {
		slots[s.connect(c.id).Index()] = true
	}
	assert.Len(s.t, slots, len(s.server.slots), "every slot can be used")
}
