package netsim

import (
	"fmt"

	"github.com/entangle-ecs/entangle/netsim/internal/oracle"
)

// Narrowed returns how often a client was found to retain an entity without a component that the
// entity had when the client saw it.
func (s *Sim) Narrowed() int { return s.watch.Narrowed() }

// LeftPaused returns how often a client lost a group that it saw, while a paused member stayed.
func (s *Sim) LeftPaused() int { return s.watch.LeftPaused() }

// Detached returns how often things happened to children that lost their parent, by a description.
func (s *Sim) Detached() map[string]int { return s.watch.Detached() }

// Shown returns how often interpolated entities did rare things, by a description.
func (s *Sim) Shown() map[string]int { return s.watch.Shown() }

// ShownRests returns nil if all clients show the newest state of what they interpolate.
func (s *Sim) ShownRests() error {
	for _, p := range s.peers {
		if err := s.watch.ShownRests(p.world); err != nil {
			return fmt.Errorf("client %d: %w", p.id, err)
		}
	}
	return nil
}

// ShownBranches are these descriptions.
var ShownBranches = oracle.ShownBranches

// InFlight returns the number of datagrams in flight that may still arrive: sent, not yet received,
// and not addressed to a closed end.
func (n *Network) InFlight() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	sum := 0
	for _, c := range n.conns {
		sum += c.up.Len()
		if !c.closed {
			sum += c.down.Len()
		}
	}
	return sum
}

// IsCut reports whether the line is cut.
func (l *Line) IsCut() bool {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	return l.cut
}
