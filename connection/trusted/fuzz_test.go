package trusted

import (
	"encoding/binary"
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

// FuzzServer is an attacker that knows the number of a connection, if there is one. It sends
// arbitrary datagrams, with that number or without, from the address of the connection or another
// one.
//
// Proves: C13
func FuzzServer(f *testing.F) {
	f.Add([]byte{0, 20, 0, 4, 1, 1, 9, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{3, 0, 0, 4, 0, 0, 1, 3, 0, 2, 0, 1, 7, 0, 0, 1, 1, 0, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSim(t, 2)
		c := s.client(7, 99)
		var sequence uint64
		steps(b, func(op byte, body []byte) {
			from := home
			if op >= 128 {
				from = away
			}
			var events []connection.Event
			switch op & 7 {
			case 0:
				events, _ = s.serve(from, body)
			case 1, 2: // of a connection
				if sequence++; len(body) > 0 {
					events, _ = s.serve(from, appendDatagram(nil, kind(body[0]), s.slots[0].client, s.slots[0].number, sequence, body[1:]))
				}
			case 3: // an honest client connects
				c = s.client(7, uint64(op))
				_, hello := c.run()
				events, _ = s.serve(from, hello...)
			case 4: // any client
				events, _ = s.serve(from, helloOf(entangle.ClientID(op>>3)))
			case 5:
				s.Disconnect(int(op>>3)&1, string(body), s.now)
			case 6:
				s.now = s.now.Add(time.Duration(op) * time.Second / 8)
				events, _ = s.serve(from)
			case 7:
				c.Send([]byte{1}, s.now)
				_, sent := c.run()
				events, _ = s.serve(from, sent...)
			}
			for _, e := range events {
				require.True(t, e.Kind != connection.Payload || len(e.Payload) >= 1 && len(e.Payload) <= entangle.MaxPayload)
				require.True(t, e.Kind != connection.Connected || len(e.UserData) == connection.MaxUserData)
				require.True(t, e.Kind != connection.Disconnected || e.Err != nil)
			}
		})
	})
}

// FuzzClient is a server that sends arbitrary datagrams.
//
// Proves: C13
func FuzzClient(f *testing.F) {
	f.Add([]byte{0, 9, 0, 2, 99, 0, 0, 0, 0, 0, 0, 0, 1, 17, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{1, 1, 0, 1, 1, 5, 0, 2, 1, 0, 0, 0, 1, 3, 0, 3, 65, 10})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSim(t, 1)
		c := s.client(7, 99)
		var sequence uint64
		last := connection.Kind(0) // the last event that is no payload
		steps(b, func(op byte, body []byte) {
			if sequence++; op&1 == 1 && len(body) > 0 { // of the connection
				body = appendDatagram(nil, kind(body[0]), 7, 99, sequence, body[1:])
			}
			s.now = s.now.Add(time.Duration(op) * time.Millisecond)
			events, sent := c.run(body)
			require.LessOrEqual(t, len(sent), goodbyes)
			for _, e := range events {
				require.NotEqual(t, connection.Disconnected, last, "an event after the end")
				require.Equal(t, e.Kind == connection.Payload, len(e.Payload) > 0)
				require.Equal(t, e.Kind == connection.Payload, last == connection.Connected && e.Kind != connection.Disconnected)
				require.LessOrEqual(t, len(e.Payload), entangle.MaxPayload)
				if e.Kind != connection.Payload {
					last = e.Kind
				}
			}
		})
	})
}
