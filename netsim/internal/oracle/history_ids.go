package oracle

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// idUse is the meaning of a network id on a client from a tick on. entity is zero while the id has
// none.
type idUse struct {
	from   entangle.Tick
	entity ecs.Entity
}

// recordIDs records the network ids on a client at the present tick.
func (h *history) recordIDs(client entangle.ClientID, names []inspect.Named) {
	of := h.ids[client]
	if of == nil {
		of = map[uint64][]idUse{}
		h.ids[client] = of
	}
	there := map[uint64]bool{}
	for _, n := range names {
		there[n.ID] = true
		of[n.ID] = h.appendID(of[n.ID], n.Entity)
	}
	for id := range of {
		if !there[id] {
			of[id] = h.appendID(of[id], ecs.Entity{})
		}
	}
}

func (h *history) appendID(list []idUse, e ecs.Entity) []idUse {
	if n := len(list); n > 0 && list[n-1].entity == e {
		return list
	}
	return append(list, idUse{h.tick, e})
}

// original returns the entity of a client's network id at a tick, and its version at that tick,
// which is nil if the entity did not exist.
func (h *history) original(client entangle.ClientID, id uint64, tick entangle.Tick) (ecs.Entity, *version) {
	list := h.ids[client][id]
	n := firstAfter(list, tick, func(n *idUse) entangle.Tick { return n.from })
	if n == 0 || list[n-1].entity.IsZero() {
		return ecs.Entity{}, nil
	}
	return list[n-1].entity, h.versionAt(list[n-1].entity, tick)
}
