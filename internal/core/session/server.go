package session

import "github.com/entangle-ecs/entangle/internal/ring"

// Server accepts clients and maintains their connections. The package documentation has the order
// of calls.
type Server struct {
	slotTable
	config     ServerConfig
	clock      serverClock
	stopped    bool
	handshakes handshakes
	outgoing   outgoing
	events     ring.Ring[Event]
	stats      Stats
}

// NewServer returns a server without clients. The error names the invalid field of the config, or
// reports that reading Entropy failed.
func NewServer(config ServerConfig) (*Server, error) { return newServer(config, newAEAD) }

func newServer(config ServerConfig, maker aeadMaker) (*Server, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	handshakes, err := newHandshakes(&config, maker)
	if err != nil {
		return nil, err
	}
	return &Server{
		slotTable:  newSlotTable(config.MaxClients),
		config:     config,
		clock:      newServerClock(config.Start),
		handshakes: handshakes,
		outgoing:   newOutgoing(config.MaxClients),
		events:     ring.New[Event](2 * config.MaxClients), // a slot is reused only after its Disconnected event was polled
	}, nil
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	stats := s.stats
	for i := range s.slots {
		stats.Sealed += s.slots[i].sealed
	}
	stats.Pending, stats.Tokens = len(s.handshakes.pending.byAddr), len(s.handshakes.history.used)
	return stats
}

func (s *Server) countDrop(d Drop) { s.stats.Drops[d]++ }
