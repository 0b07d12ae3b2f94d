package oracle

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/plugin"
)

// Predictions compare the states that clients predict of ticks with the server's later states.
type Predictions struct {
	server  map[entangle.Tick]*serverTick
	clients map[clientTick]*prediction
}

// NewPredictions returns Predictions without any recorded tick.
func NewPredictions() *Predictions {
	return &Predictions{server: map[entangle.Tick]*serverTick{}, clients: map[clientTick]*prediction{}}
}

// serverTick is the server's state at a tick, with the visibility of entities and their ids for each
// client. The ids are of the same tick, since the server may be ahead of a client, and have despawned
// entities that the client predicts.
type serverTick struct {
	mirror   *inspect.Mirror
	versions map[ecs.Entity]*version
	names    map[entangle.ClientID][]inspect.Named
}

// clientTick is a tick of a client.
type clientTick struct {
	client Client
	tick   entangle.Tick
}

// prediction is a client's predicted state at a tick, with its replicas by their ids.
type prediction struct {
	mirror   *inspect.Mirror
	replicas map[uint64]ecs.Entity
}

// RecordServer records the state of the server at its present tick, which take returns.
func (p *Predictions) RecordServer(tick entangle.Tick, take func() *Snapshot) {
	if p.server[tick] == nil {
		s := take()
		clients, names := s.clients(), map[entangle.ClientID][]inspect.Named{}
		for _, id := range clients {
			names[id] = apps.Of(s.server.World()).Server.Names(id)
		}
		p.server[tick] = &serverTick{s.mirror, s.visibility().compute(s.mirror, s.history, clients).versions, names}
	}
}

// RecordClient records the predicted state of a client at its present tick, if it is connected and
// its clock is synced. A later frame at the same tick replaces it.
func (p *Predictions) RecordClient(c Client) {
	if c.App.State() == plugin.Connected && c.App.Stats().Clock.Synced {
		now := &prediction{mirror: apps.Of(c.world()).Predicted(), replicas: map[uint64]ecs.Entity{}}
		for _, e := range apps.Of(c.world()).ClientMirror().Entities {
			now.replicas[e.ID] = e.Entity
		}
		p.clients[clientTick{c, c.App.Tick()}] = now
	}
}

// Compare compares the predictions with the server, for all ticks that the server has run. It
// returns a difference, or nil if there is none.
func (p *Predictions) Compare() error {
	for at, is := range p.clients {
		server, ran := p.server[at.tick]
		if !ran {
			continue
		}
		if err := is.compare(server, at.client.ID); err != nil {
			return fmt.Errorf("client %d predicted another tick %d: %w", at.client.ID, at.tick, err)
		}
	}
	return nil
}

// compare returns the first difference between a prediction and the server's state.
func (p *prediction) compare(server *serverTick, id entangle.ClientID) error {
	t, predicted := translation{replicas: map[ecs.Entity]ecs.Entity{}}, map[ecs.Entity]*inspect.Mirrored{}
	for _, name := range server.names[id] {
		if e, ok := p.replicas[name.ID]; ok {
			t.replicas[name.Entity] = e
		}
	}
	for i := range p.mirror.Entities {
		predicted[p.mirror.Entities[i].Entity] = &p.mirror.Entities[i]
	}
	infos := server.mirror.Components
	for i := range server.mirror.Entities {
		original := &server.mirror.Entities[i]
		replica := predicted[t.replicas[original.Entity]]
		delete(predicted, t.replicas[original.Entity])
		if replica == nil {
			continue // it is not predicted, which checkPredicted checks
		}
		view := server.versions[original.Entity].views[id]
		if err := t.compareValues(infos, inFull(infos, view.visibleValues(original.Values)), replica.Values); err != nil {
			return fmt.Errorf("its %v, a copy of the server's %v: %w", replica.Entity, original.Entity, err)
		}
	}
	for e, replica := range predicted {
		if len(replica.Values) > 0 { // else the game has despawned it
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

// checkPredicted checks that a client predicts a replica if and only if the server's world says so.
func (v *visibility) checkPredicted(pair *pair, view view, c Client) error {
	if pair.client == nil || !view.sees || !c.world().Alive(pair.client.Entity) {
		return nil
	}
	is := c.world().Has(pair.client.Entity, ecs.ComponentID[components.Predicted](c.world()))
	if should := v.predictedBy(pair.server.Entity, c.ID); is != should {
		return fmt.Errorf("its %v, a copy of the server's %v: that it predicts it is %v, and should be %v", pair.client.Entity, pair.server.Entity, is, should)
	}
	return nil
}

// predictedBy reports whether a client should predict an entity of the server's world. Entities
// without a Predict of their own inherit it from their ancestors.
func (v *visibility) predictedBy(e ecs.Entity, client entangle.ClientID) bool {
	return v.inherits(e, client, func(m *components.Replicate) components.Target { return m.Predict })
}

// inherits reports whether a client is in a target of an entity, which is that of its parent by default.
func (v *visibility) inherits(e ecs.Entity, client entangle.ClientID, targetOf func(*components.Replicate) components.Target) bool {
	for {
		m := v.replicateOf(e)
		if m == nil {
			return false
		}
		if target := targetOf(m); target != components.Default {
			t := v.termsOf(e)
			return v.includes(&t, target, client)
		}
		parent, ok := v.parentOf(e)
		if !ok {
			return false
		}
		e = parent
	}
}
