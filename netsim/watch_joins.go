package netsim

import (
	"fmt"
	"maps"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// recordConnected records the connected clients after a tick. A new client joins the state of that
// tick.
func (p *past) recordConnected(clients []entangle.ClientID) {
	came := map[entangle.ClientID]entangle.Tick{}
	for _, client := range clients {
		tick, before := p.came[client]
		if !before || p.ended[client] {
			tick = p.tick
		}
		came[client] = tick
	}
	p.came = came
	clear(p.ended)
}

// lasted reports whether an entity existed for a client from a tick until now, as the only member
// of its group, and was never paused. If an entity changes its group, or another member joins its
// group, there is no guarantee when it arrives.
func (p *past) lasted(e ecs.Entity, client entangle.ClientID, from entangle.Tick) bool {
	list := p.versions[e]
	first := after(list, from, func(v *version) entangle.Tick { return v.from }) - 1
	if first < 0 || len(p.groups[from][list[first].group]) != 1 {
		return false
	}
	for _, v := range list[first:] {
		if v.gone || v.state.Paused || v.group != list[first].group || !maps.Equal(v.seen, list[first].seen) || !v.seen[client].sees {
			return false
		}
	}
	return len(p.groups[p.tick][list[first].group]) == 1
}

// joined checks that a client that reports having joined has every entity that existed when it
// connected and has not changed its visibility since.
func (l *look) joined() error {
	from, connected := l.past.came[l.client]
	if l.now.joined = l.joins; !l.joins || l.before.joined || !connected {
		return nil
	}
	for e := range l.past.versions {
		if l.local[e].IsZero() && l.past.lasted(e, l.client, from) {
			return fmt.Errorf("it has joined without the server's %v, which was there since tick %d", e, from)
		}
	}
	return nil
}
