package netsim

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// ExpectEqual fails the test unless Equal returns nil. If it fails, some more frames run, to
// find out whether the server's world is still moving: then no client can be equal to it, and
// what fails the test says so and names what moves.
func (s *Sim) ExpectEqual() {
	s.t.Helper()
	if err := s.Equal(); err != nil {
		after := s.clock.Since()
		s.t.Fatalf("netsim: after %v: %v%s", after, err, s.restless())
	}
}

// Equal returns nil if every client is connected and shows what the server
// replicates to it, no more and no less, with components that are equal on the wire; or
// an error that names the first difference. Entities whose replication is paused may
// be there or not, whatever they look like, and of components that are sent once only
// their being there counts. Of an entity that a client predicts, what the server has
// confirmed counts; see ExpectPredicted.
//
// It takes some time until a change arrives: have the server's systems stop changing what is
// replicated, and call Run before.
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
		return fmt.Errorf("client %d is %v (%s)", p.id, p.client.State(), p.client.Reason())
	}
	if err := p.compare(p.sim.mirror()); err != nil {
		return fmt.Errorf("client %d: %w", p.id, err)
	}
	return nil
}

// mirror returns what the server replicates.
func (s *Sim) mirror() *inspect.Mirror {
	s.t.Helper()
	m, err := s.plugin.Mirror()
	if err != nil {
		s.t.Fatalf("netsim: the server's world: %v", err)
	}
	return m
}

// pair is an entity of the server and its copy; either may be missing.
type pair struct {
	server *inspect.Mirrored
	client *inspect.Mirrored
}

// pairs joins the server's entities with their copies, if it has any at all.
func (p *Peer) pairs(server *inspect.Mirror) (list []pair) {
	client := p.client.Mirror()
	byID, byEntity := map[uint64]*inspect.Mirrored{}, map[ecs.Entity]uint64{}
	for i := range client.Entities {
		byID[client.Entities[i].ID] = &client.Entities[i]
	}
	for _, name := range p.sim.plugin.Names(p.id) {
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

// compare returns the first difference of a client from what it should see.
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
	return t.resources(server, p.client.Mirror(), func(r *inspect.MirroredResource) bool { return s.getsResource(r, p.id) })
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

// kept holds that what a client keeps without seeing it has nothing that is not for it.
func (t *translation) kept(comps []*registry.Component, p *pair, may visible) error {
	for _, v := range p.client.Values {
		if may.hides(v.Component) {
			return fmt.Errorf("its %v, which it keeps of the server's %v, has %v, which is not for it", p.client.Entity, p.server.Entity, comps[v.Component].Type)
		}
	}
	return nil
}

// sight returns who may see what of the server's world now.
func (s *Sim) sight(server *inspect.Mirror) *sight {
	return newSight(s.World(), server.Components, s.matters())
}

// before returns what entities were like at the last look, nil if nobody looked.
func (s *Sim) before() *past {
	if s.watch == nil {
		return nil
	}
	return &s.watch.past
}
