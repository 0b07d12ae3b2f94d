package endpoint

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

// seats assigns peer indexes to the server's clients, across all layers: the smallest free index
// first. A client id belongs to one client.
type seats struct {
	free []int // smallest last
	of   map[entangle.ClientID]*client
}

func newSeats(n int) seats {
	s := seats{free: make([]int, 0, n), of: make(map[entangle.ClientID]*client, n)}
	for i := n - 1; i >= 0; i-- {
		s.free = append(s.free, i)
	}
	return s
}

// numberOf returns a client's peer index plus 1. It is 0 for local players and disconnected
// clients.
func (s *seats) numberOf(id entangle.ClientID) int {
	if c := s.of[id]; c != nil {
		return c.seat + 1
	}
	return 0
}

// seat gives a client a peer index. One must be free.
func (s *Server) seat(c *client) {
	last := len(s.seats.free) - 1
	c.seat = s.seats.free[last]
	s.seats.free = s.seats.free[:last]
	s.seats.of[c.id] = c
	s.clients[c.seat], c.layer.clients[c.slot] = c, c
	c.quota = s.left.take(c.id, &s.intake)
	s.spend(c, connectWork)
	s.tap(c)
}

// seated reports whether a client has a peer index. It loses it when its connection ends.
func (s *Server) seated(c *client) bool {
	return c != nil && s.clients != nil && s.clients[c.seat] == c
}

func (s *Server) unseat(c *client) {
	at, _ := slices.BinarySearchFunc(s.seats.free, c.seat, func(a, b int) int { return b - a })
	s.seats.free = slices.Insert(s.seats.free, at, c.seat)
	delete(s.seats.of, c.id)
	s.clients[c.seat], c.layer.clients[c.slot] = nil, nil
}
