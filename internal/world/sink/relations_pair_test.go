package sink

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
)

type (
	relativeBody  struct{ N uint32 }
	relativeKnows struct {
		ecs.Relation
		Since uint8
	}
	relativeFears struct{ ecs.Relation }
	relativePart  struct{ ecs.Relation } // a relation type of the game that makes hierarchies
	relativeNotes struct{ Of ecs.Entity }
)

func relativesProtocol(t testing.TB) []*registry.Component {
	p := protocol.New(protocol.Config{Name: "relatives"})
	protocol.Component[relativeBody](p)
	protocol.Component[relativeKnows](p)
	protocol.Component[relativeFears](p)
	protocol.Component[relativePart](p).Hierarchy()
	protocol.Component[components.ChildOf](p)
	protocol.Component[relativeNotes](p)
	require.NoError(t, registry.Seal(p))
	return registry.Of(p).Components
}

// relatives is a world of relations, one peer to which it is sent over a perfect line, and the copy
// of the world there.
type relatives struct {
	t         testing.TB
	infos     []*registry.Component
	world     *ecs.World
	collector *source.Collector
	peer      *sender.Peer
	tick      entangle.Tick
	packet    uint16
	far       *ecs.World
	applier   *Applier
	receiver  *receiver.Receiver
	events    []string
	despawned []ecs.Entity

	marker, body, childOf, part, knows, fears, excludes ecs.ID
}

func newRelatives(t testing.TB) *relatives {
	w, far := ecs.NewWorld(1024, 4), ecs.NewWorld(1024, 4)
	k := &relatives{t: t, infos: relativesProtocol(t), world: &w, far: &far}
	k.marker, k.body = ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[relativeBody](&w)
	k.childOf, k.part = ecs.ComponentID[components.ChildOf](&w), ecs.ComponentID[relativePart](&w)
	k.knows, k.fears = ecs.ComponentID[relativeKnows](&w), ecs.ComponentID[relativeFears](&w)
	k.excludes = ecs.ComponentID[components.NoReplicateChildren](&w)
	collector, err := source.NewCollector(&w, k.infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	k.collector, k.peer = collector, collector.World.NewPeer()
	hub := event.NewHub()
	k.applier = NewApplier(&far, hub, k.infos, func(ecs.Entity) {}, func(e ecs.Entity) { k.despawned = append(k.despawned, e) })
	for _, info := range k.infos {
		events := hub.Component(info.Type)
		for what, on := range map[string]*func(ecs.Entity){"inserted": &events.OnInserted, "updated": &events.OnUpdated, "removed": &events.OnRemoved} {
			event := info.Type.Name() + " " + what
			*on = func(ecs.Entity) { k.events = append(k.events, event) }
		}
	}
	k.receiver = receiver.New(k.applier, len(k.infos))
	return k
}

// spawn makes a replicated entity.
func (k *relatives) spawn() ecs.Entity { return k.world.NewEntity(k.marker, k.body) }

// relate gives an entity a relation.
func (k *relatives) relate(e ecs.Entity, relation ecs.ID, to ecs.Entity) {
	k.world.Relations().Exchange(e, []ecs.ID{relation}, nil, relation, to)
}

// child makes an entity without a Replicate of its own.
func (k *relatives) child(parent ecs.Entity) ecs.Entity {
	e := k.world.NewEntity(k.body)
	k.relate(e, k.childOf, parent)
	return e
}

func (k *relatives) observe() {
	k.tick++
	require.NoError(k.t, k.collector.Observe(k.tick))
}

// send sends a tick to the copy.
func (k *relatives) send() {
	k.observe()
	k.deliver()
}

func (k *relatives) deliver() {
	k.peer.Prepare()
	for k.peer.ActionsDue() {
		b := k.peer.AppendActions(nil, 5000)
		if len(b) == 0 {
			break
		}
		k.peer.ActionsSent(k.packet)
		require.NoError(k.t, k.receiver.HandleActions(b))
		k.peer.HandleDelivered(k.packet)
		k.packet++
	}
	for b := k.peer.AppendUpdates(nil, 1000, k.packet); len(b) > 0; b = k.peer.AppendUpdates(nil, 1000, k.packet) {
		require.NoError(k.t, k.receiver.HandleUpdates(k.tick, b))
		k.peer.HandleAcked(k.packet)
		k.packet++
	}
}

// slot returns the slot of an entity of the world.
func (k *relatives) slot(e ecs.Entity) repl.Slot {
	s, ok := k.collector.Slot(e)
	require.True(k.t, ok, "it has no slot")
	return s
}

// there returns the replica of an entity, or the zero entity if there is none.
func (k *relatives) there(e ecs.Entity) ecs.Entity {
	s, ok := k.collector.Slot(e)
	if !ok {
		return ecs.Entity{}
	}
	id, ok := k.peer.ID(s)
	if !ok {
		return ecs.Entity{}
	}
	for i := range k.applier.Replicas.entities {
		if k.applier.Replicas.entities[i].used && k.applier.Replicas.Info[i].ID == id {
			return k.applier.Replicas.entities[i].entity
		}
	}
	return ecs.Entity{}
}

// target returns the relation target of a replica.
func (k *relatives) target(e ecs.Entity, relation ecs.ID) ecs.Entity {
	info, _ := ecs.ComponentInfo(k.world, relation)
	return k.far.Relations().Get(k.there(e), ecs.TypeID(k.far, info.Type))
}

// took returns the events raised since the last call.
func (k *relatives) took() []string {
	events := k.events
	k.events = nil
	return events
}

// requireEqual compares the copy with all replicated entities that are neither paused nor among those
// that are shown to no client.
func (k *relatives) requireEqual(hidden ...ecs.Entity) {
	k.t.Helper()
	m, err := k.collector.Mirror(k.infos)
	require.NoError(k.t, err)
	for _, e := range m.Entities {
		if e.Paused {
			continue
		}
		far := k.there(e.Entity)
		if slices.Contains(hidden, e.Entity) {
			require.True(k.t, far.IsZero(), "entity %v is visible", e.Entity)
			continue
		}
		require.False(k.t, far.IsZero(), "entity %v is missing", e.Entity)
		got := k.applier.mirrorReplica(slotOf(k.applier, far), k.infos, &inspect.MirrorRefs{Known: k.far.Alive})
		require.Len(k.t, got.Values, len(e.Values))
		for i, v := range e.Values {
			k.requireValue(v, got.Values[i])
		}
	}
}

// requireValue compares a value with its replica. References to entities that the copy does not
// have, orphaned ones included, must be zero.
func (k *relatives) requireValue(want, got inspect.MirroredValue) {
	k.t.Helper()
	theirs, ours := []ecs.Entity{}, []ecs.Entity{}
	for _, ref := range want.Refs {
		if far := k.there(ref); !far.IsZero() {
			theirs = append(theirs, far)
		}
	}
	for _, ref := range got.Refs {
		if _, copied := k.applier.Replicas.ID(ref); copied {
			ours = append(ours, ref)
		}
	}
	require.Equal(k.t, theirs, ours, k.infos[want.Component].Name)
	if len(theirs) == len(want.Refs) && len(ours) == len(got.Refs) {
		require.Equal(k.t, want.Wire, got.Wire, k.infos[want.Component].Name)
	}
}
