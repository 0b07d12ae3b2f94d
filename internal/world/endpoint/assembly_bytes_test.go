package endpoint

import (
	"testing"
	"time"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byteCounter is a layer that counts the packets and bytes it is given to send, by slot.
type byteCounter struct {
	connection.Server
	packets, bytes []int
}

func (b *byteCounter) Send(slot int, payload []byte, _ time.Time) {
	b.packets[slot]++
	b.bytes[slot] += len(payload)
}

// openPeer returns the server's end of an open connection.
func openPeer(t testing.TB, now time.Time) *peer.Peer {
	p := protocol.New(protocol.Config{Name: "assembly"})
	require.NoError(t, registry.Seal(p))
	ours, err := peer.New(peer.Config{Registry: message.NewRegistry(p, true)})
	require.NoError(t, err)
	theirs, err := peer.New(peer.Config{Registry: message.NewRegistry(p, false)})
	require.NoError(t, err)
	for i := 0; i < 10 && !ours.Open(); i++ {
		for _, way := range [][2]*peer.Peer{{ours, theirs}, {theirs, ours}} {
			require.NoError(t, way[0].Begin(now))
			for b := way[0].AppendPacket(nil, 1, now); len(b) > 0; b = way[0].AppendPacket(nil, 1, now) {
				require.NoError(t, way[1].HandlePayload(b, now))
			}
		}
	}
	require.True(t, ours.Open())
	return ours
}

// The number of workers follows the bytes of the last frame: of all packets to all clients,
// written by any worker, in that frame alone.
func TestAFrameCountsTheBytesOfAllItsPackets(t *testing.T) {
	const clients = 7
	now := time.Unix(100, 0)
	for _, workers := range []int{1, 3} {
		line := &byteCounter{packets: make([]int, clients), bytes: make([]int, clients)}
		s := &Server{}
		for i := range clients {
			c := &client{layer: &layer{Server: line}, slot: i, peer: openPeer(t, now)}
			s.clients, s.open = append(s.clients, c), append(s.open, c)
		}
		s.assembly.start(workers, false)
		for range 2 {
			clear(line.packets)
			clear(line.bytes)
			for i, c := range s.clients {
				_, err := c.peer.SendResource(make([]byte, 3000+100*i), now)
				require.NoError(t, err)
				require.NoError(t, c.peer.Begin(now))
			}
			s.assembly.assembleFrame(job{server: s, tick: 2, now: now})
			sum := 0
			for i := range clients {
				require.Greater(t, line.packets[i], 2)
				sum += line.bytes[i]
			}
			assert.Equal(t, sum, s.assembly.bytes(), "%d workers", workers)
		}
	}
}
