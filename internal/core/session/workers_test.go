package session

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// Run with -race, this test checks that slots share nothing while they seal.
func TestSlotsCanBeSealedByDifferentGoroutines(t *testing.T) {
	const clients, packets = 8, 100
	s := newSim(t, clients)
	config := s.config
	server, err := NewServer(config) // the recorder is for one goroutine only
	require.NoError(t, err)
	s.server = server
	for id := range entangle.ClientID(clients) {
		s.connect(id + 1)
	}
	var workers sync.WaitGroup
	sealed := make([][][]byte, clients)
	for slot := range clients {
		workers.Go(func() {
			for i := range packets {
				if server.KeepAliveFirst(slot) {
					b, _ := server.AppendKeepAlive(nil, slot, s.now)
					sealed[slot] = append(sealed[slot], b)
				}
				b, _ := server.AppendPayload(nil, slot, fmt.Append(nil, slot, i), s.now)
				sealed[slot] = append(sealed[slot], b)
			}
		})
	}
	workers.Wait()
	for _, p := range s.peers {
		for _, b := range sealed[p.Index()] {
			s.toClient(p.addr, b)
		}
		require.Len(t, p.received, packets)
		assert.Equal(t, fmt.Sprint(p.Index(), 99), p.received[99])
	}
	assert.GreaterOrEqual(t, server.Stats().Sealed, uint64(clients*packets))
	s.run(time.Second)
	assert.Equal(t, clients, server.Clients())
}
