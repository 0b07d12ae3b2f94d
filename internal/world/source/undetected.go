package source

import "github.com/entangle-ecs/entangle/internal/set"

// undetected returns the columns without detection of value changes: while the only players are
// local ones, nothing is sent, and a new client gets all values as they are then. Excluded are the
// columns from which the collector itself keeps state: owners, components with references,
// components sent as differences, and those with update events for local players.
func (c *Collector) undetected() (cols set.Mask) {
	if c.World.Peers() > c.Visibility.localPlayers() {
		return cols
	}
	for comp := range c.Sent.Plans {
		if comp != c.Sent.Owners && !c.Sent.withRefs.Has(comp) && !c.history.Deltas.Has(comp) && !c.Visibility.readsUpdates(comp) {
			cols.Set(comp)
		}
	}
	return cols
}
