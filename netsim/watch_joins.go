package netsim

import (
	"fmt"
	"maps"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// recordConnected takes note of who is connected to the server, once a tick is recorded:
// what there was at that is what a new client joins.
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

// lasted reports whether an entity was there from a tick until now, for a client, in a
// group of its own, and never paused. Of one that goes over to another group, or whose
// group does for the sake of another member, nobody says when it comes.
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

// joined holds that a client that says it has joined has what was there when it
// connected, and is there yet as it was.
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
