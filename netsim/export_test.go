package netsim

// Narrowed returns how often a client was found to keep an entity that it cannot see, without a
// component that the entity had.
func (s *Sim) Narrowed() int { return s.watch.Narrowed() }
