package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
)

// unheard returns the columns of which nobody is told that values changed: while there is no
// peer but the players who live here. Who comes gets all values as they are by then. Still
// heard are the columns of which the publisher itself keeps something: who owns what, what
// refers to entities, the past that differences start from, and what the events of those
// players are about.
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

// localPlayers returns how many players play in this world.
func (p *Publisher) localPlayers() (n int) {
	for i := range p.Sight.Clients {
		if p.Sight.Clients[i].local != nil {
			n++
		}
	}
	return n
}

// followed reports whether a player who lives here gets an event when a component changes.
func (p *Publisher) followed(comp int) bool {
	for i := range p.Sight.Clients {
		if v := p.Sight.Clients[i].local; v != nil && v.ReadsUpdates(comp) {
			return true
		}
	}
	return false
}
