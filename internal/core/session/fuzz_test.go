package session

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/token"
)

func FuzzHeader(f *testing.F) {
	f.Add(append([]byte{0x15, 7}, make([]byte, 30)...))
	f.Add(append([]byte{0x84, 1, 2, 3, 4, 5, 6, 7, 8}, make([]byte, 24)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, drop := readHeader(b, setOf(kindDenied, kindChallenge, kindResponse, kindKeepAlive, kindPayload, kindDisconnect))
		if drop != dropNone {
			return
		}
		shortest := appendHeader(nil, h.kind, h.sequence)
		require.LessOrEqual(t, len(shortest), h.size)
		if len(shortest) == h.size {
			require.Equal(t, b[:h.size], shortest)
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add(append(append([]byte{0}, token.Version...), make([]byte, requestSize-14)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, ok := readRequest(b); ok {
			require.Equal(t, b, r.appendTo(nil))
		}
	})
}

func FuzzBodies(f *testing.F) {
	f.Add(make([]byte, answerSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if kindResponse.sizeFits(len(b)) {
			var a answer
			decodeAnswer(b, &a)
			var out [answerSize]byte
			require.Equal(t, b, a.encode(out[:]))
			c, err := newChallenger(token.Key{}, newAEAD)
			require.NoError(t, err)
			require.False(t, c.decrypt(&a, new(challenge)))
		}
		if kindKeepAlive.sizeFits(len(b)) {
			var out [keepAliveSize]byte
			require.Equal(t, b, decodeKeepAlive(b).encode(out[:]))
		}
	})
}

// steps splits fuzzed bytes into datagrams: one byte for the operation, two for the length.
func steps(b []byte, do func(op byte, body []byte)) {
	for len(b) >= 3 {
		op, n := b[0], int(binary.LittleEndian.Uint16(b[1:]))
		b = b[3:]
		n = min(n, len(b))
		do(op, b[:n])
		b = b[n:]
	}
}

func addSteps(f *testing.F) {
	f.Add([]byte{0, 20, 0, 0x15, 1})
	f.Add([]byte{5, 1, 0, 'x', 4, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 5, 1, 0, 'x'})
	f.Add(append([]byte{3, 52, 1}, make([]byte, answerSize)...))
	f.Add([]byte{9, 0, 0, 9, 0, 0, 12, 0, 0, 5, 0, 0})
}

// FuzzServer is a client with real keys and a real token that sends arbitrary datagrams, sealed or
// not, from its address or another one, connected or not.
//
// Proves: Z6, C13
func FuzzServer(f *testing.F) {
	addSteps(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSim(t, 2)
		victim := s.connect(1)
		p := s.join(s.mint(2))
		if len(b) > 0 && b[0]&1 != 0 {
			s.run(200 * time.Millisecond)
		}
		steps(b, func(op byte, body []byte) {
			switch op {
			case 7, 8:
				s.toServer(s.addr(), body)
			case 9:
				s.run(frame)
			case 10:
				s.toServer(p.addr, requestOf(t, s.mint(3)))
			default:
				b := append([]byte(nil), body...)
				if op >= 1 && op <= 6 {
					b = p.seal(nil, kind(op), body)
				}
				s.toServer(p.addr, b)
			}
			require.LessOrEqual(t, s.server.Clients(), 2)
		})
		s.clientSends(victim, "unharmed")
		require.Equal(t, []string{"unharmed"}, s.received[victim.Index()][len(s.received[victim.Index()])-1:])
	})
}

// FuzzClient is a server with the client's keys that sends arbitrary datagrams.
//
// Proves: Z6, C13
func FuzzClient(f *testing.F) {
	addSteps(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSim(t, 1)
		p := s.join(s.mint(1))
		if len(b) > 0 && b[0]&1 != 0 {
			s.run(200 * time.Millisecond)
		}
		receiver, err := newSealer(protocolID, p.token.ServerToClient, newAEAD)
		require.NoError(t, err)
		sequence := uint64(1000)
		steps(b, func(op byte, body []byte) {
			b := append([]byte(nil), body...)
			if op >= 1 && op <= 6 {
				b = receiver.seal(nil, kind(op), sequence, body)
				sequence += uint64(op)
			}
			payload, ok := p.HandleDatagram(b, s.now)
			require.Equal(t, ok, len(payload) > 0)
			p.Advance(s.now)
			for range 3 * redundantDisconnects {
				if _, _, ok := p.PollDatagram(); !ok {
					break
				}
			}
		})
		require.LessOrEqual(t, p.Index(), max(int(p.assigned.maxClients)-1, 0))
	})
}
