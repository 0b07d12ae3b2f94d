package oracle

import (
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// onceValues returns all values of a component up to a tick, from the latest tick at which it was
// inserted or appeared to the client.
func (h *history) onceValues(e ecs.Entity, client entangle.ClientID, component int, tick entangle.Tick) (values []inspect.MirroredValue) {
	list := h.versions[e]
	for i := firstAfter(list, tick, func(v *version) entangle.Tick { return v.from }) - 1; i >= 0; i-- {
		value, there := list[i].visibleValue(client, component)
		switch {
		case there:
			values = append(values, value)
		case !list[i].state.Paused:
			return values
		}
	}
	return values
}

// visibleValue returns the value of a component if the client may see it.
func (v *version) visibleValue(client entangle.ClientID, component int) (value inspect.MirroredValue, ok bool) {
	view := v.views[client]
	if v.removed || !view.sees || view.hides(component) {
		return value, false
	}
	i := slices.IndexFunc(v.state.Values, func(value inspect.MirroredValue) bool { return value.Component == component })
	if i < 0 {
		return value, false
	}
	return v.state.Values[i], true
}

// allValues returns all values that a component of an entity ever had.
func (h *history) allValues(e ecs.Entity, component int) (values []inspect.MirroredValue) {
	for i := range h.versions[e] {
		if value := valueOf(h.versions[e][i].state.Values, component); value != nil {
			values = append(values, *value)
		}
	}
	return values
}
