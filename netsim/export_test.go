package netsim

// Narrowed returns how often a client was found to keep an entity that it does not see, less a
// component that it had.
func (s *Sim) Narrowed() int { return s.watch.narrowed }
