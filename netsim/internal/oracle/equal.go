package oracle

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Equal returns the first difference between a client and the state that it should have, or nil.
func (s *Snapshot) Equal(c Client) error {
	list, vis := s.pairs(c), s.visibility()
	t := translation{replicas: map[ecs.Entity]ecs.Entity{}}
	for _, p := range list {
		if p.server != nil && p.client != nil {
			t.replicas[p.server.Entity] = p.client.Entity
		}
	}
	versions := vis.compute(s.mirror, s.history, []entangle.ClientID{c.ID}).versions
	for i := range list {
		if err := t.comparePair(s.mirror.Components, &list[i], versions, c); err != nil {
			return err
		}
		if of := list[i].server; of != nil && !of.Paused {
			if err := vis.checkPredicted(&list[i], versions[of.Entity].views[c.ID], c); err != nil {
				return err
			}
			if interpolates(s.mirror.Components) {
				if err := vis.checkInterpolated(&list[i], versions, c); err != nil {
					return err
				}
			}
		}
	}
	return t.compareResources(s.mirror, apps.Of(c.world()).ClientMirror(), func(r *inspect.MirroredResource) bool { return vis.getsResource(r, c.ID) })
}

func (t *translation) comparePair(comps []*registry.Component, p *pair, versions map[ecs.Entity]*version, c Client) error {
	if p.server == nil {
		return fmt.Errorf("its %v is no entity of the server", p.client.Entity)
	}
	uncertain := versions[p.server.Entity].uncertain
	if p.server.Paused || p.client == nil && uncertain {
		return nil
	}
	view := versions[p.server.Entity].views[c.ID]
	switch {
	case p.client != nil && (view.retained || view.sees && uncertain):
		return t.checkRetained(comps, p, view)
	case p.client == nil && view.sees:
		return fmt.Errorf("it has no copy of the server's %v", p.server.Entity)
	case p.client == nil:
		return nil
	case !view.sees:
		return fmt.Errorf("its %v is a copy of the server's %v, which it may not see", p.client.Entity, p.server.Entity)
	case !c.world().Alive(p.client.Entity):
		return fmt.Errorf("its %v, a copy of the server's %v: the client has removed it", p.client.Entity, p.server.Entity)
	}
	if err := t.compareValues(comps, view.visibleValues(p.server.Values), p.client.Values); err != nil {
		return fmt.Errorf("its %v, a copy of the server's %v: %w", p.client.Entity, p.server.Entity, err)
	}
	return nil
}

// checkRetained checks that a retained replica has no component that is hidden from the client.
func (t *translation) checkRetained(comps []*registry.Component, p *pair, view view) error {
	for _, v := range p.client.Values {
		if view.hides(v.Component) {
			return fmt.Errorf("its %v, which it keeps of the server's %v, has %v, which is not for it", p.client.Entity, p.server.Entity, comps[v.Component].Type)
		}
	}
	return nil
}
