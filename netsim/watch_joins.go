package netsim

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// recordConnected takes note of who is connected to the server, before the tick of the
// frame is recorded: what there was at the tick before is what a new client joins.
func (p *past) recordConnected(clients []entangle.ClientID) {
	came := map[entangle.ClientID]entangle.Tick{}
	for _, client := range clients {
		tick, before := p.came[client]
		if !before {
			tick = p.tick
		}
		came[client] = tick
	}
	p.came = came
}

// lasted reports whether an entity was there from a tick until now, for a client, and
// never paused.
func (p *past) lasted(e ecs.Entity, client entangle.ClientID, from entangle.Tick) bool {
	list := p.versions[e]
	first := after(list, from, func(v *version) entangle.Tick { return v.from }) - 1
	if first < 0 {
		return false
	}
	for _, v := range list[first:] {
		if v.gone || v.state.Paused || !v.seen[client].sees {
			return false
		}
	}
	return true
}

// joined holds that a client that says it has joined has all that was there when it
// connected, and is there yet.
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
