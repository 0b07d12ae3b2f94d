package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
)

// unheard returns the columns whose value changes need no detection: while the only players are
// local ones, nothing is sent, and a new client gets all values as they are then. Excluded are the
// columns from which the publisher itself keeps state: owners, components with references,
// components sent as differences, and those with update events for local players.
func (p *Publisher) unheard() (cols columns.Mask) {
	if p.Sender.Peers() > p.localPlayers() {
		return cols
	}
	for col, comp := range p.Comps {
		if col != p.Owners && !p.linked.Has(comp) && !p.past.Deltas.Has(comp) && !p.followed(comp) {
			cols.Set(col)
		}
	}
	return cols
}

// localPlayers returns the number of players in this world.
func (p *Publisher) localPlayers() (n int) {
	for i := range p.Sight.Clients {
		if p.Sight.Clients[i].local != nil {
			n++
		}
	}
	return n
}

// followed reports whether a local player reads the update events of a component.
func (p *Publisher) followed(comp int) bool {
	for i := range p.Sight.Clients {
		if v := p.Sight.Clients[i].local; v != nil && v.ReadsUpdates(comp) {
			return true
		}
	}
	return false
}
