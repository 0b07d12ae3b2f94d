package netsim

import (
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// since returns all values of a component up to a tick, from the latest tick at which it was
// inserted or appeared to the client.
func (p *past) since(e ecs.Entity, client entangle.ClientID, component int, tick entangle.Tick) (values []inspect.MirroredValue) {
	list := p.versions[e]
	for i := after(list, tick, func(v *version) entangle.Tick { return v.from }) - 1; i >= 0; i-- {
		value, there := list[i].value(client, component)
		switch {
		case there:
			values = append(values, value)
		case !list[i].state.Paused:
			return values
		}
	}
	return values
}

// value returns the value of a component if the client may see it.
func (v *version) value(client entangle.ClientID, component int) (value inspect.MirroredValue, ok bool) {
	seen := v.seen[client]
	if v.gone || !seen.sees || seen.hides(component) {
		return value, false
	}
	i := slices.IndexFunc(v.state.Values, func(value inspect.MirroredValue) bool { return value.Component == component })
	if i < 0 {
		return value, false
	}
	return v.state.Values[i], true
}
