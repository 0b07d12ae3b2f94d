package netsim

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// ExpectEqual fails the test unless Equal returns nil. On failure it first runs some more frames to
// check whether the server's world is still changing. If so, no client can be equal to it, and the
// failure says so and names what changes.
func (s *Sim) ExpectEqual() {
	s.t.Helper()
	if err := s.Equal(); err != nil {
		after := s.clock.Since()
		s.t.Fatalf("netsim: after %v: %v%s", after, err, s.restless())
	}
}

// Equal returns nil if every client is connected and has exactly the entities that the server
// replicates to it, with components that are equal on the wire; otherwise it returns an error that
// names the first difference. Paused entities may be missing on a client and may have any values.
// Of components that are sent once, only their presence is compared. For an entity that a client
// predicts, the confirmed state is compared; see ExpectPredicted.
//
// Changes take some time to arrive: before the call, let the server's systems stop changing
// replicated state, and call Run.
func (s *Sim) Equal() error {
	s.t.Helper()
	for _, p := range s.peers {
		if err := p.Equal(); err != nil {
			return err
		}
	}
	return nil
}

// Equal is Sim.Equal for one client.
func (p *Peer) Equal() error {
	p.sim.t.Helper()
	if !p.Connected() {
		return fmt.Errorf("client %d is %v (%v)", p.id, p.client.State(), p.client.Err())
	}
	if err := p.compare(p.sim.mirror()); err != nil {
		return fmt.Errorf("client %d: %w", p.id, err)
	}
	return nil
}

// mirror returns a copy of the server's replicated state.
func (s *Sim) mirror() *inspect.Mirror {
	s.t.Helper()
	m, err := apps.Of(s.World()).ServerMirror()
	if err != nil {
		s.t.Fatalf("netsim: the server's world: %v", err)
	}
	return m
}

// pair is an entity of the server and its replica. Either may be missing.
type pair struct {
	server *inspect.Mirrored
	client *inspect.Mirrored
}

// pairs matches the server's entities with their replicas, if there are any.
func (p *Peer) pairs(server *inspect.Mirror) (list []pair) {
	client := apps.Of(p.world).ClientMirror()
	byID, byEntity := map[uint64]*inspect.Mirrored{}, map[ecs.Entity]uint64{}
	for i := range client.Entities {
		byID[client.Entities[i].ID] = &client.Entities[i]
	}
	for _, name := range apps.Of(p.sim.World()).Server.Names(p.id) {
		byEntity[name.Entity] = name.ID
	}
	for i := range server.Entities {
		id := byEntity[server.Entities[i].Entity]
		list = append(list, pair{&server.Entities[i], byID[id]})
		delete(byID, id)
	}
	for i := range client.Entities {
		if byID[client.Entities[i].ID] != nil {
			list = append(list, pair{client: &client.Entities[i]})
		}
	}
	return list
}

// compare returns the first difference between a client and the state that it should have.
func (p *Peer) compare(server *inspect.Mirror) error {
	list := p.pairs(server)
	t := translation{local: map[ecs.Entity]ecs.Entity{}}
	for i := range list {
		if pair := &list[i]; pair.server != nil && pair.client != nil {
			t.local[pair.server.Entity] = pair.client.Entity
		}
	}
	s := p.sim.sight(server)
	all := s.look(server, p.sim.before(), []entangle.ClientID{p.id}).members
	for i := range list {
		if err := t.pair(server.Components, &list[i], all, p.id); err != nil {
			return err
		}
		if of := list[i].server; of != nil && !of.Paused {
			if err := p.foresees(s, &list[i], all[of.Entity].seen[p.id]); err != nil {
				return err
			}
		}
	}
	return t.resources(server, apps.Of(p.world).ClientMirror(), func(r *inspect.MirroredResource) bool { return s.getsResource(r, p.id) })
}

func (t *translation) pair(comps []*registry.Component, p *pair, all map[ecs.Entity]*version, client entangle.ClientID) error {
	if p.server == nil {
		return fmt.Errorf("its %v is no entity of the server", p.client.Entity)
	}
	if p.server.Paused {
		return nil
	}
	may := all[p.server.Entity].seen[client]
	switch {
	case may.kept && p.client != nil:
		return t.kept(comps, p, may)
	case p.client == nil && may.sees:
		return fmt.Errorf("it has no copy of the server's %v", p.server.Entity)
	case p.client == nil:
		return nil
	case !may.sees:
		return fmt.Errorf("its %v is a copy of the server's %v, which it may not see", p.client.Entity, p.server.Entity)
	}
	if err := t.values(comps, may.of(p.server.Values), p.client.Values); err != nil {
		return fmt.Errorf("its %v, a copy of the server's %v: %w", p.client.Entity, p.server.Entity, err)
	}
	return nil
}

// kept checks that a retained replica has no component that is hidden from the client.
func (t *translation) kept(comps []*registry.Component, p *pair, may visible) error {
	for _, v := range p.client.Values {
		if may.hides(v.Component) {
			return fmt.Errorf("its %v, which it keeps of the server's %v, has %v, which is not for it", p.client.Entity, p.server.Entity, comps[v.Component].Type)
		}
	}
	return nil
}

// sight returns the present visibility of the server's world.
func (s *Sim) sight(server *inspect.Mirror) *sight {
	return newSight(s.World(), server.Components, s.matters())
}

// before returns the history up to the last recorded tick, or nil without Watch.
func (s *Sim) before() *past {
	if s.watch == nil {
		return nil
	}
	return &s.watch.past
}
