package netsim

// Narrowed returns how often a client was found to keep an entity that it cannot see, without a
// component that the entity had.
func (s *Sim) Narrowed() int { return s.watch.Narrowed() }

// LeftPaused returns how often a client lost a group that it saw, except for a paused member.
func (s *Sim) LeftPaused() int { return s.watch.LeftPaused() }

// Regrouped returns how often a client was found to keep an entity that it cannot see, and that is
// in another group since.
func (s *Sim) Regrouped() int { return s.watch.Regrouped() }

// InFlight returns the number of datagrams in flight that may still arrive: sent, not received yet,
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
