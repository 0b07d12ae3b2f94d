package netsim

// Narrowed returns how often a client was found to retain an entity without a component that the
// entity had when the client saw it.
func (s *Sim) Narrowed() int { return s.watch.Narrowed() }

// LeftPaused returns how often a client lost a group that it saw, while a paused member stayed.
func (s *Sim) LeftPaused() int { return s.watch.LeftPaused() }

// Detached returns how often things happened to children that lost their parent, by a description.
func (s *Sim) Detached() map[string]int { return s.watch.Detached() }

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
