package plain

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// steps splits fuzzed bytes into datagrams: one byte of operation, two of length.
func steps(b []byte, do func(op byte, body []byte)) {
	for len(b) >= 3 {
		op, n := b[0], int(binary.LittleEndian.Uint16(b[1:]))
		b = b[3:]
		n = min(n, len(b))
		do(op, b[:n])
		b = b[n:]
	}
}

// FuzzServer is an attacker that has the number of a connection, if there is one. It sends
// arbitrary datagrams, with that number or without, from the address of the connection or another
// one.
//
// Proves: C13
func FuzzServer(f *testing.F) {
	f.Add([]byte{0, 20, 0, 4, 1, 1, 9, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{3, 0, 0, 4, 0, 0, 1, 3, 0, 5, 0, 1, 7, 0, 0, 2, 1, 0, 6})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSim(t, 2)
		c := s.client(7, 99)
		away := netip.MustParseAddrPort("[fd00::2]:9")
		steps(b, func(op byte, body []byte) {
			from := []netip.AddrPort{home, away}[op>>7]
			switch op & 7 {
			case 0:
				s.toServer(from, body)
			case 1, 2: // with the number of the connection
				if len(body) > 0 {
					s.toServer(from, append(appendID(nil, kind(body[0]), s.server.slots[0].ours), body[1:]...))
				}
			case 3: // an honest client connects
				c = s.client(7, uint64(op))
				s.toServer(from, s.answer(c, from))
			case 4: // with a valid first part
				s.toServer(from, append(append(c.hello(kindHello), 0)[:min(len(body), helloSize)], body...))
			case 5:
				s.server.End(int(op>>3) & 1)
			case 6:
				s.now = s.now.Add(time.Duration(op) * time.Second)
				for e, ok := s.server.Expire(s.now); ok; e, ok = s.server.Expire(s.now) {
					s.server.End(e.Slot)
				}
			case 7:
				s.toServer(from, c.AppendPayload(nil, []byte{1}, s.now))
			}
			s.consistent()
		})
	})
}

// consistent checks the invariants of a server.
func (s *sim) consistent() {
	n := 0
	for i := range s.server.slots {
		if c := &s.server.slots[i]; c.connected {
			n++
			require.EqualValues(s.t, i, s.server.byAddr[c.addr])
			require.EqualValues(s.t, i, s.server.byClient[c.client])
			require.NotEqual(s.t, entangle.Nobody, c.client)
		}
	}
	require.Len(s.t, s.server.byAddr, n)
	require.Len(s.t, s.server.byClient, n)
	require.Len(s.t, s.server.free, len(s.server.slots)-n)
	for _, e := range s.events {
		require.True(s.t, e.Kind != connection.Payload || len(e.Payload) >= 1 && len(e.Payload) <= entangle.MaxPayload)
	}
	s.events = s.events[:0]
}

// FuzzClient is a server that sends arbitrary datagrams.
//
// Proves: C13
func FuzzClient(f *testing.F) {
	f.Add([]byte{0, 9, 0, 2, 99, 0, 0, 0, 0, 0, 0, 0, 1, 17, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{1, 9, 0, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 3, 0, 6, 65, 10})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSim(t, 1)
		c := s.client(7, 99)
		over := false
		steps(b, func(op byte, body []byte) {
			if op&1 == 1 && len(body) > 0 { // with the number of the connection
				body = append(appendID(nil, kind(body[0]), 99), body[1:]...)
			}
			e, reply := s.toClient(c, body)
			require.False(t, over && e.Kind != 0, "an event after the end")
			require.LessOrEqual(t, len(reply), MaxReply)
			require.True(t, e.Kind != connection.Payload || len(e.Payload) >= 1 && len(e.Payload) <= entangle.MaxPayload)
			over = over || e.Kind == connection.Disconnected
			require.LessOrEqual(t, len(c.AppendDue(nil, s.now)), MaxReply)
		})
	})
}

// FuzzHello checks that a parsed hello encodes to the same bytes.
func FuzzHello(f *testing.F) {
	f.Add(make([]byte, helloSize))
	f.Add(newSim(f, 1).client(7, 9).hello(kindHello))
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, ok := readHello(b); ok {
			require.Equal(t, b[:helloSize], h.appendTo(nil, kind(b[0])))
		}
	})
}
