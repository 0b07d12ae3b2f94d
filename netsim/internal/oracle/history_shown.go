package oracle

import (
	"maps"
	"reflect"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// shownHistory is what the history keeps for interpolated entities.
type shownHistory struct {
	second    float64 // in ticks
	origin    entangle.Tick
	teleports map[ecs.Entity][]teleportCount
	followers map[ecs.Entity][]followers
}

// followers are the clients that interpolate an entity from a tick on, unless they predict it.
type followers struct {
	from    entangle.Tick
	clients map[entangle.ClientID]bool
}

// teleportCount is how often an entity was teleported, from a tick on.
type teleportCount struct {
	from  entangle.Tick
	count uint8
}

// recordShown records how all entities are interpolated at the present tick.
func (h *history) recordShown(server *ecs.World, m *inspect.Mirror, clients []entangle.ClientID) {
	app := apps.Of(server)
	if !interpolates(m.Components) {
		return
	}
	if h.teleports == nil {
		h.teleports, h.followers, h.origin, h.second = map[ecs.Entity][]teleportCount{}, map[ecs.Entity][]followers{}, m.Tick, float64(app.Protocol.TickRate())
	}
	for i := range m.Entities {
		e := m.Entities[i].Entity
		list, n := h.teleports[e], app.Collector.Teleports(e)
		if len(list) == 0 || list[len(list)-1].count != n {
			h.teleports[e] = append(list, teleportCount{m.Tick, n})
		}
		if !m.Entities[i].Paused {
			h.recordFollowers(e, m.Tick, clients)
		}
	}
}

// interpolates reports whether entities can be interpolated at all.
func interpolates(infos []*registry.Component) bool {
	return slices.ContainsFunc(infos, func(info *registry.Component) bool { return info.Type == interpolatedType })
}

var interpolatedType = reflect.TypeFor[components.Interpolated]()

func (h *history) recordFollowers(e ecs.Entity, tick entangle.Tick, clients []entangle.ClientID) {
	now := followers{tick, map[entangle.ClientID]bool{}}
	for _, client := range clients {
		now.clients[client] = h.visibility.interpolatedBy(e, client)
	}
	if list := h.followers[e]; len(list) == 0 || !maps.Equal(list[len(list)-1].clients, now.clients) {
		h.followers[e] = append(list, now)
	}
}

// followedSince reports whether a client interpolated an entity at all ticks from one to another.
func (h *history) followedSince(e ecs.Entity, client entangle.ClientID, from, to entangle.Tick) bool {
	list := h.followers[e]
	first := max(0, firstAfter(list, from, func(f *followers) entangle.Tick { return f.from })-1)
	for _, f := range list[first:] {
		if !to.Before(f.from) && !f.clients[client] {
			return false
		}
	}
	return true
}

// interpolatedBy reports whether a client should interpolate an entity of the server's world, unless it predicts
// it. Entities without an Interpolate of their own inherit it from their ancestors.
func (v *visibility) interpolatedBy(e ecs.Entity, client entangle.ClientID) bool {
	return v.inherits(e, client, func(m *components.Replicate) components.Target { return m.Interpolate })
}

// teleportsAt returns the number of teleports of an entity up to a tick.
func (h *history) teleportsAt(e ecs.Entity, tick entangle.Tick) uint8 {
	list := h.teleports[e]
	if n := firstAfter(list, tick, func(c *teleportCount) entangle.Tick { return c.from }); n > 0 {
		return list[n-1].count
	}
	return 0
}

// at returns a tick as a time.
func (h *history) at(tick entangle.Tick) float64 { return float64(tick.Sub(h.origin)) }

// visibleBeforePause returns the values that a client could see of an entity when it was paused, which it is at a tick.
func (h *history) visibleBeforePause(e ecs.Entity, client entangle.ClientID, tick entangle.Tick) []inspect.MirroredValue {
	for v := h.versionAt(e, tick); v != nil; v = h.versionAt(e, v.from-1) {
		if !v.state.Paused {
			return v.views[client].visibleValues(v.state.Values)
		}
	}
	return nil
}

// visibleAt returns the values that a client could see of an entity at a tick.
func (h *history) visibleAt(e ecs.Entity, client entangle.ClientID, tick entangle.Tick) []inspect.MirroredValue {
	v := h.versionAt(e, tick)
	if v == nil {
		return nil
	}
	return v.views[client].visibleValues(v.state.Values)
}
