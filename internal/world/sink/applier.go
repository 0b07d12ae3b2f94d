package sink

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Applier applies the records of the receiver to the Arche world of a client. Structure, and updates of
// several members of a group, are decoded into a buffer first and then written at once, so that no system
// or listener sees a partial group: an entity gets all its components in one step, and their values are
// in place before any listener is called.
//
// An orphaned entity stays in the world as it is. It then belongs to the game: Replicas and Mirror
// leave it out. It is still removed when the connection that created it ends, unless it is marked
// components.Persistent.
type Applier struct {
	world  *ecs.World
	writer *columns.Writer
	comps  []component // by number
	remote ecs.ID

	Replicas    replicas
	archetypes  archetypes
	persistence persistence

	stage     stage
	sets      componentSets
	block     updateBlock
	spawning  spawnRun
	refs      references
	relations relations
	diffs     differences
	owned     ownership
	prespawns *prespawns

	prediction    prediction
	twins         twins
	interpolation interpolation

	on lifecycle
}

// lifecycle is the functions that are called when an entity spawns or despawns.
type lifecycle struct{ spawned, despawned func(ecs.Entity) }

// component is one registered component in this world.
type component struct {
	number int
	id     ecs.ID
	cells  columns.Cells
	plan   *wire.Plan
	events *event.ComponentEvents
	value  []byte // scratch: the value before an update, which is restored if the update fails

	relation bool
	input    bool              // only its presence is sent
	mode     registry.SyncMode // the mode on predicted entities

	interpolate registry.SyncMode // the mode on interpolated entities
}

// followsServer reports whether a component of predicted entities is added to and removed from the
// world as the server does.
func (c *component) followsServer() bool { return c.mode == registry.Simple || c.mode == registry.Once }

// recordsOnce reports whether a component of predicted entities has a history but is not compared
// with the confirmed state.
func (c *component) recordsOnce() bool { return c.mode == registry.Once && !c.input }

// NewApplier returns an applier without replicas in w. Its events go to the hub. The two functions
// are called for each entity that spawns or despawns.
func NewApplier(w *ecs.World, hub *event.Hub, infos []*registry.Component, onSpawned, onDespawned func(ecs.Entity)) *Applier {
	writer, remote := columns.NewWriter(w), ecs.ComponentID[components.Remote](w)
	a := &Applier{
		world: w, writer: writer, remote: remote, block: updateBlock{remote: writer.Cells(remote)},
		archetypes: archetypes{world: w, known: map[archetype]struct{}{}},
		refs:       references{late: refs.NewLate(), departed: newDepartures()}, persistence: newPersistence(w, remote),
		diffs: newDifferences(infos), owned: newOwnership(w, infos), prespawns: newPrespawns(infos), interpolation: interpolation{comp: -1},

		on: lifecycle{spawned: onSpawned, despawned: onDespawned},
	}
	a.relations.holdersOf = refs.NewChains[ecs.Entity]()
	a.Limit(DefaultMaxEntities)
	for _, info := range infos {
		id := ecs.TypeID(w, info.Type)
		a.comps = append(a.comps, component{
			number: len(a.comps), id: id, cells: a.writer.Cells(id), plan: info.Plan, events: hub.AddComponent(info.Type),
			value: make([]byte, info.Plan.Size()), relation: info.Relation, input: info.Input, mode: a.modeOf(info),
			interpolate: interpolatedModeOf(info),
		})
		if info.Relation {
			a.relations.comps.Set(info.Number)
		}
		if info.Plan.HasRefs() {
			a.refs.departed.comps.Set(info.Number)
		}
	}
	a.refs.replicas = &a.Replicas
	a.stage.fill = a.fillValues
	return a
}

// addReplica creates a replica in the world.
func (a *Applier) addReplica(id repl.ID) repl.Slot {
	return a.Replicas.addEntity(a.world.NewEntity(), id)
}

// removeReplica removes an entity from the replicas and frees its slot.
func (a *Applier) removeReplica(s repl.Slot) ecs.Entity {
	if a.Replicas.entities[s].waits > 0 {
		a.refs.late.ForgetAll(s, &a.Replicas.Info[s].mask)
	}
	a.diffs.history.Forget(s)
	a.releasePrediction(s)
	a.releaseInterpolation(s)
	return a.Replicas.removeSlot(s, a.stage.tick)
}

// Forget removes a replica from the world.
func (a *Applier) Forget(s repl.Slot) { a.despawnEntity(a.removeReplica(s)) }

// despawnEntity removes an entity from the world, unless the game did that already.
func (a *Applier) despawnEntity(e ecs.Entity) {
	if a.world.Alive(e) {
		a.writer.Remove(e)
	}
	a.on.despawned(e)
}

// orphanReplica orphans an entity: it belongs to the game until the connection ends.
func (a *Applier) orphanReplica(s repl.Slot) {
	if a.isPredicted(s) {
		a.endPrediction(s)
	}
	if a.isInterpolated(s) {
		a.endInterpolation(s)
	}
	a.Replicas.orphans.addOrphan(a.world, a.removeReplica(s))
}

// Skip implements receiver.Sink.
func (a *Applier) Skip(r *bits.Reader, comp int) error {
	if a.diffs.differs(comp) {
		return a.diffs.skipFrom(a.comps[comp].plan, r, comp)
	}
	if err := a.comps[comp].plan.Decode(r, a.comps[comp].value, NoRefs{}); err != nil || !a.comps[comp].relation {
		return err
	}
	wire.DecodeTarget(r, NoRefs{})
	return r.Err()
}

// NoRefs resolves every index to the zero entity.
type NoRefs struct{}

// At implements wire.RefReader.
func (NoRefs) At(uint32) (ecs.Entity, bool) { return ecs.Entity{}, true }

var _ receiver.Sink = (*Applier)(nil)
