package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/replay"
	"github.com/entangle-ecs/entangle/transport/token"
)

// scene is a server and a client in some state, with one valid packet that changes the state.
type scene struct {
	*sim
	peer     *peer
	valid    []byte
	toClient bool
}

// scenes returns one scene for each packet type that either side reads.
func scenes(t *testing.T) map[string]*scene {
	return map[string]*scene{
		"request":    requestScene(t, 1, false),
		"challenge":  requestScene(t, 1, true),
		"denied":     deniedScene(t),
		"response":   responseScene(t, false),
		"keep-alive": responseScene(t, true),
		"up payload": connectedScene(t, false, kindPayload, []byte("x")),
		"up keep":    connectedScene(t, false, kindKeepAlive, make([]byte, keepAliveSize)),
		"up leave":   connectedScene(t, false, kindDisconnect, nil),
		"payload":    connectedScene(t, true, kindPayload, []byte("x")),
		"leave":      connectedScene(t, true, kindDisconnect, nil),
	}
}

func requestScene(t *testing.T, slots int, answered bool) *scene {
	s := newSim(t, slots)
	p := s.join(s.mint(1))
	_, b, _ := p.PollDatagram()
	sc := &scene{sim: s, peer: p, valid: append([]byte(nil), b...)}
	if answered {
		sc.advance()
	}
	return sc
}

// advance delivers the valid packet and replaces it with the server's reply.
func (sc *scene) advance() {
	sc.sim.toServer(sc.peer.addr, sc.valid)
	_, b, ok := sc.server.PollDatagram()
	require.True(sc.t, ok)
	sc.valid, sc.toClient = append([]byte(nil), b...), true
}

func deniedScene(t *testing.T) *scene {
	s := newSim(t, 1)
	s.connect(9)
	p := s.join(s.mint(1))
	_, b, _ := p.PollDatagram()
	sc := &scene{sim: s, peer: p, valid: append([]byte(nil), b...)}
	sc.advance()
	return sc
}

func responseScene(t *testing.T, answered bool) *scene {
	sc := requestScene(t, 1, true)
	sc.sim.toClient(sc.peer.addr, sc.valid)
	_, b, _ := sc.peer.PollDatagram()
	sc.valid, sc.toClient = append([]byte(nil), b...), false
	if answered {
		sc.advance()
	}
	return sc
}

func connectedScene(t *testing.T, toClient bool, k kind, body []byte) *scene {
	s := newSim(t, 1)
	sc := &scene{sim: s, peer: s.connect(1), toClient: toClient}
	s.run(frame)
	if toClient {
		sc.valid = s.server.slots[0].seal(nil, k, body, s.now)
	} else {
		sc.valid = sc.peer.seal(nil, k, body)
	}
	s.events = nil
	return sc
}

// effect delivers a packet and describes its effect, if any.
func (sc *scene) effect(b []byte) string {
	state, events, received := sc.peer.State(), len(sc.events), len(sc.received[0])+len(sc.peer.received)
	before, leaving := *sc.peer.Client, sc.server.Leaving(0)
	if sc.toClient {
		sc.sim.toClient(sc.peer.addr, b)
	} else {
		sc.sim.toServer(sc.peer.addr, b)
	}
	_, _, replied := sc.server.PollDatagram()
	switch {
	case sc.peer.State() != state || sc.peer.leaving != before.leaving || sc.server.Leaving(0) != leaving:
		return "state"
	case len(sc.events) != events:
		return "event"
	case len(sc.received[0])+len(sc.peer.received) != received:
		return "payload"
	case replied:
		return "reply"
	case sc.peer.timers.lastReceived != before.timers.lastReceived || sc.peer.link.replay != before.link.replay:
		return "window"
	}
	return ""
}

// Proves: C4, C13, Z6
func TestNoPrefixAndNoBitFlipOfAValidPacketHasAnEffect(t *testing.T) {
	for name, sc := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			var window replay.Window
			if sc.server.Connected(0) {
				window = sc.server.slots[0].replay
			}
			for n := range sc.valid {
				require.Empty(t, sc.effect(sc.valid[:n]), "the first %d bytes", n)
			}
			for i := range len(sc.valid) * 8 {
				b := append([]byte(nil), sc.valid...)
				b[i/8] ^= 1 << (i % 8)
				require.Empty(t, sc.effect(b), "bit %d", i)
			}
			require.Empty(t, sc.effect(append(append([]byte(nil), sc.valid...), 0)), "one byte more")
			if sc.server.Connected(0) {
				require.Equal(t, window, sc.server.slots[0].replay, "no window moved")
			}
			if name == "up keep" {
				sc.effect(sc.valid)
				assert.NotEqual(t, window, sc.server.slots[0].replay)
				return
			}
			assert.NotEmpty(t, sc.effect(sc.valid), "the packet itself still works")
		})
	}
}

// A client with keys may seal anything, but only a response to its own challenge makes it
// connected.
//
// Proves: Z6
func TestAnAnswerMustBeToTheClientsOwnChallenge(t *testing.T) {
	s := newSim(t, 4)
	a, b := s.join(s.mint(1)), s.join(s.mint(2))
	s.deliverToServer(a)
	s.deliverToServer(b)
	s.deliverToClients()
	require.Equal(t, StateResponding, a.State())
	stolen := a.answer
	zero := answer{}
	for _, forged := range []*answer{&stolen, &zero} {
		var body [answerSize]byte
		s.toServer(b.addr, b.seal(nil, kindResponse, forged.encode(body[:])))
	}
	assert.Equal(t, 0, s.server.Clients())
	assert.Equal(t, uint64(2), s.server.Stats().Drops[DropBody])
	s.run(200 * time.Millisecond)
	assert.Equal(t, 2, s.server.Clients(), "both connect with their own")

	claims := s.claims(3)
	claims.UserData = []byte("another")
	other, err := token.Mint(serverKey, claims)
	require.NoError(t, err)
	c, d := s.join(s.mint(3)), s.join(other)
	s.deliverToServer(c)
	s.deliverToServer(d)
	s.deliverToClients()
	var body [answerSize]byte
	s.toServer(d.addr, d.seal(nil, kindResponse, c.answer.encode(body[:])))
	assert.Equal(t, 2, s.server.Clients(), "nor one to another token of the same client")
}

func TestContradictionsOfAServerAreIgnored(t *testing.T) {
	s := newSim(t, 4)
	p := s.join(s.mint(1))
	s.deliverToServer(p)
	s.deliverToClients()
	s.deliverToServer(p)
	for i, assigned := range []keepAlive{{0, 0}, {4, 4}, {1, 1 << 31}} {
		var body [keepAliveSize]byte
		s.toClient(p.addr, s.server.slots[0].seal(nil, kindKeepAlive, assigned.encode(body[:]), s.now))
		assert.Equal(t, StateResponding, p.State(), fmt.Sprint(assigned))
		assert.Equal(t, uint64(i+1), p.Stats().Drops[DropBody])
	}
}
