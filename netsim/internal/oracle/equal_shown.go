package oracle

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// checkInterpolated checks that a client interpolates a replica if and only if the server's world says so, with the
// interval of its group. For a replica that it predicts it does not matter.
func (v *visibility) checkInterpolated(pair *pair, versions map[ecs.Entity]*version, c Client) error {
	of := versions[pair.server.Entity]
	if pair.client == nil || !of.views[c.ID].sees || !c.world().Alive(pair.client.Entity) || v.predictedBy(pair.server.Entity, c.ID) {
		return nil
	}
	newest := plugin.NewConfirmed[components.Interpolated](c.world())
	value, _, is := newest.Get(pair.client.Entity)
	if should := v.interpolatedBy(pair.server.Entity, c.ID); is != should {
		return fmt.Errorf("its %v, a copy of the server's %v: that it interpolates it is %v, and should be %v", pair.client.Entity, pair.server.Entity, is, should)
	}
	packets := apps.Of(c.world()).Client.PacketInterval()
	if every := (intervalOf(of, versions) + packets - 1) / packets * packets; is && int(value.SendEvery) != every {
		return fmt.Errorf("its %v, a copy of the server's %v, has the interval %d, and should have %d", pair.client.Entity, pair.server.Entity, value.SendEvery, every)
	}
	return nil
}

// intervalOf returns the interval of an entity's group: the least of those of its members.
func intervalOf(of *version, versions map[ecs.Entity]*version) int {
	every := of.rate.interval
	for _, other := range versions {
		if other.group == of.group && other.private == of.private && !other.state.Paused {
			every = min(every, other.rate.interval)
		}
	}
	return every
}

// ShownRests returns nil if a client shows the newest state of all entities, as of the last CheckShown, or an error
// that names one that is on its way.
func (w *Watch) ShownRests(client *ecs.World) error {
	s := w.shown[client]
	if s == nil {
		return nil
	}
	for _, e := range s.entities {
		switch m := &e.motion; {
		case e.predicted:
		case e.leaving, len(e.waiting) > 0, !e.any, len(m.samples) > 1:
			return fmt.Errorf("what it shows of its %v, a copy of the server's %v, is on its way", e.entity, e.original)
		}
	}
	return nil
}
