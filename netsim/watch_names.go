package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// named is the meaning of a network id on a client from a tick on. entity is zero while the id has
// none.
type named struct {
	from   entangle.Tick
	entity ecs.Entity
}

// recordNames records the network ids on a client at the present tick.
func (p *past) recordNames(client entangle.ClientID, names []inspect.Named) {
	of := p.names[client]
	if of == nil {
		of = map[uint64][]named{}
		p.names[client] = of
	}
	there := map[uint64]bool{}
	for _, n := range names {
		there[n.ID] = true
		of[n.ID] = p.appendName(of[n.ID], n.Entity)
	}
	for id := range of {
		if !there[id] {
			of[id] = p.appendName(of[id], ecs.Entity{})
		}
	}
}

func (p *past) appendName(list []named, e ecs.Entity) []named {
	if n := len(list); n > 0 && list[n-1].entity == e {
		return list
	}
	return append(list, named{p.tick, e})
}

// who returns the entity of a client's network id at a tick, and its version at that tick, which is
// nil if the entity did not exist.
func (p *past) who(client entangle.ClientID, id uint64, tick entangle.Tick) (ecs.Entity, *version) {
	list := p.names[client][id]
	n := after(list, tick, func(n *named) entangle.Tick { return n.from })
	if n == 0 || list[n-1].entity.IsZero() {
		return ecs.Entity{}, nil
	}
	return list[n-1].entity, p.at(list[n-1].entity, tick)
}
