package endpoint

import (
	"iter"
	"slices"

	"github.com/entangle-ecs/entangle"
)

// peerIndexes assigns peer indexes to the server's clients, across all layers: the smallest free
// index first. A client id belongs to one client.
type peerIndexes struct {
	free []int // in descending order
	of   map[entangle.ClientID]*client
}

func newPeerIndexes(n int) peerIndexes {
	s := peerIndexes{free: make([]int, 0, n), of: make(map[entangle.ClientID]*client, n)}
	for i := n - 1; i >= 0; i-- {
		s.free = append(s.free, i)
	}
	return s
}

// numberOf returns a client's peer index plus 1. It is 0 for local players and disconnected
// clients.
func (s *peerIndexes) numberOf(id entangle.ClientID) int {
	if c := s.of[id]; c != nil {
		return c.index + 1
	}
	return 0
}

// assignIndex gives a client a peer index. One must be free.
func (s *Server) assignIndex(c *client) {
	last := len(s.indexes.free) - 1
	c.index = s.indexes.free[last]
	s.indexes.free = s.indexes.free[:last]
	s.indexes.of[c.id] = c
	s.clients[c.index], c.layer.clients[c.slot] = c, c
	c.quota = s.departed.quotas.takeQuota(c.id, &s.intake)
	s.spend(c, connectWork)
	s.setTap(c)
}

// hasIndex reports whether a client has a peer index. A client loses its index when its connection ends.
func (s *Server) hasIndex(c *client) bool {
	return c != nil && s.clients != nil && s.clients[c.index] == c
}

func (s *Server) releaseIndex(c *client) {
	at, _ := slices.BinarySearchFunc(s.indexes.free, c.index, func(a, b int) int { return b - a })
	s.indexes.free = slices.Insert(s.indexes.free, at, c.index)
	delete(s.indexes.of, c.id)
	s.clients[c.index], c.layer.clients[c.slot] = nil, nil
}

// everyClient iterates over the clients that have a peer index, in its order.
func (s *Server) everyClient() iter.Seq[*client] {
	return func(yield func(*client) bool) {
		for _, c := range s.clients {
			if c != nil && !yield(c) {
				return
			}
		}
	}
}
