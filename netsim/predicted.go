package netsim

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// ExpectPredicted runs the simulation for a duration, and fails the test unless the clients'
// predictions match the server. For each tick, it compares a client's last frame at that tick with
// the server's later state of the same tick: the same entities, with the same components that are
// predicted in full, equal on the wire.
//
// Players may act only where that needs no rollback; normally the game runs without input for some
// round trips first. The worlds are encoded at every frame.
func (s *Sim) ExpectPredicted(d time.Duration) {
	s.t.Helper()
	f := foresight{sim: s, truth: map[entangle.Tick]*hindsight{}, shown: map[foreseen]*prediction{}}
	s.RunUntil(d, func() bool {
		f.look()
		return false
	})
	if err := f.compare(); err != nil {
		s.t.Fatalf("netsim: after %v: %v", s.clock.Since(), err)
	}
}

// foresight compares the clients' predictions of ticks with the server's results.
type foresight struct {
	sim   *Sim
	truth map[entangle.Tick]*hindsight
	shown map[foreseen]*prediction
}

// hindsight is the server's state at a tick, with the visibility for each client.
type hindsight struct {
	mirror *inspect.Mirror
	seen   map[ecs.Entity]*version
}

// foreseen is a tick of a client.
type foreseen struct {
	peer *Peer
	tick entangle.Tick
}

// prediction is a client's predicted state at a tick, with its replicas by the server's entities.
type prediction struct {
	mirror *inspect.Mirror
	local  map[ecs.Entity]ecs.Entity
}

// look records the present tick of the server and of all clients.
func (f *foresight) look() {
	f.sim.t.Helper()
	if tick := f.sim.plugin.Tick(); f.truth[tick] == nil {
		m := f.sim.mirror()
		f.truth[tick] = &hindsight{m, f.sim.sight(m).look(m, f.sim.before(), f.sim.connected()).members}
	}
	for _, p := range f.sim.peers {
		if p.Connected() && p.client.Stats().Clock.Synced {
			f.shown[foreseen{p, p.client.Tick()}] = p.prediction()
		}
	}
}

func (p *Peer) prediction() *prediction {
	is := &prediction{mirror: apps.Of(p.world).Predicted(), local: map[ecs.Entity]ecs.Entity{}}
	byID := map[uint64]ecs.Entity{}
	for _, e := range apps.Of(p.world).ClientMirror().Entities {
		byID[e.ID] = e.Entity
	}
	for _, name := range apps.Of(p.sim.World()).Server.Names(p.id) {
		if e, ok := byID[name.ID]; ok {
			is.local[name.Entity] = e
		}
	}
	return is
}

// compare compares the predictions with the server, for all ticks that the server has run.
func (f *foresight) compare() error {
	for at, is := range f.shown {
		truth, ran := f.truth[at.tick]
		if !ran {
			continue
		}
		if err := is.compare(truth, at.peer); err != nil {
			return fmt.Errorf("client %d predicted another tick %d: %w", at.peer.id, at.tick, err)
		}
	}
	return nil
}

// compare returns the first difference between a prediction and the server's state.
func (is *prediction) compare(truth *hindsight, p *Peer) error {
	t, there := translation{local: is.local}, map[ecs.Entity]*inspect.Mirrored{}
	for i := range is.mirror.Entities {
		there[is.mirror.Entities[i].Entity] = &is.mirror.Entities[i]
	}
	infos := truth.mirror.Components
	for i := range truth.mirror.Entities {
		server := &truth.mirror.Entities[i]
		client := there[is.local[server.Entity]]
		delete(there, is.local[server.Entity])
		if client == nil {
			continue // it is not predicted, which foresees checks
		}
		may := truth.seen[server.Entity].seen[p.id]
		if err := t.values(infos, inFull(infos, may.of(server.Values)), client.Values); err != nil {
			return fmt.Errorf("its %v, a copy of the server's %v: %w", client.Entity, server.Entity, err)
		}
	}
	for e, client := range there {
		if len(client.Values) > 0 { // else the game has despawned it
			return fmt.Errorf("its %v is no entity of the server", e)
		}
	}
	return nil
}

// inFull returns the values of components that are predicted in full.
func inFull(infos []*registry.Component, all []inspect.MirroredValue) (full []inspect.MirroredValue) {
	for _, v := range all {
		if infos[v.Component].Predict == registry.Full {
			full = append(full, v)
		}
	}
	return full
}

// foresees checks that a client predicts a replica if and only if the server's world says so.
func (p *Peer) foresees(s *sight, pair *pair, may visible) error {
	if pair.client == nil || !may.sees || !p.world.Alive(pair.client.Entity) {
		return nil
	}
	is := p.world.Has(pair.client.Entity, ecs.ComponentID[components.Predicted](p.world))
	if should := s.predictedBy(pair.server.Entity, p.id); is != should {
		return fmt.Errorf("its %v, a copy of the server's %v: that it predicts it is %v, and should be %v", pair.client.Entity, pair.server.Entity, is, should)
	}
	return nil
}

// predictedBy reports whether a client should predict an entity of the server's world. Entities
// without a Predict of their own inherit it from their ancestors.
func (s *sight) predictedBy(e ecs.Entity, client entangle.ClientID) bool {
	for {
		m := s.marker(e)
		if m == nil {
			return false
		}
		if m.Predict != components.Default {
			t := s.terms(e)
			return s.includes(&t, m.Predict, client)
		}
		parent, ok := s.above(e)
		if !ok {
			return false
		}
		e = parent
	}
}
