package source

import (
	"fmt"
	"log/slog"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Collector passes an Arche world to the sender: changes in the columns of replicated components
// become due for every peer.
type Collector struct {
	Arche  *ecs.World
	marker ecs.ID // components.Replicate
	Table  *columns.Table
	World  *sender.World // the part of the sender that all peers share
	Sent   sentComponents

	Visibility visibility
	Hierarchy  hierarchy
	interest   *Interest

	refs      refWriter
	teleports teleports
	history   refs.Past
	rounding  Rounding

	blueprints *Blueprints // nil: there are none
	tick       entangle.Tick

	Paused       set.Bitset
	slots        []repl.Slot // scratch
	stride       int
	warnings     warnings
	unregistered unregistered
	onRefused    func(ecs.Entity)
}

// NewCollector observes the entities of w that have components.Replicate, with the registered
// components that this side may send.
func NewCollector(w *ecs.World, infos []*registry.Component, log *slog.Logger) (*Collector, error) {
	c := &Collector{
		Arche: w, marker: ecs.ComponentID[components.Replicate](w), history: NewHistory(infos), interest: NewInterest(),
		warnings: warnings{log: log}, unregistered: newUnregistered(w, infos, log),
	}
	sent, described := newSentComponents(w, infos)
	table, err := columns.New(w, c.marker, described)
	if err != nil {
		return nil, err
	}
	c.Table, c.World, c.Sent = table, sender.NewWorld(c, len(infos)), sent
	c.refs = refWriter{world: w, table: table, pending: newPendingRefs()}
	c.rounding = NewRounding(infos)
	c.Visibility = newVisibility(c, w)
	if sent.interpolated >= 0 {
		c.World.StateIntervals(sent.interpolated)
	}
	c.Hierarchy = newHierarchy(c, infos, log)
	return c, c.listen(w)
}

// listen subscribes the table and the other listeners to structural changes.
func (c *Collector) listen(w *ecs.World) error {
	err := tick.ShareListener(w, c.Table.Listener(), hierarchyListener{&c.Hierarchy.Propagation}, endListener{w, c.interest})
	if err != nil {
		return err
	}
	if err := c.Table.Sync(); err != nil {
		return fmt.Errorf("%w (%w)", tick.ErrListener, err)
	}
	return nil
}

// UseBlueprints sets the blueprints of the world, which are refreshed when they are sent, and from which clients
// that predict an entity compute the rest of it.
func (c *Collector) UseBlueprints(b *Blueprints) {
	if c.blueprints = b; b != nil {
		for i := range b.kinds {
			c.Sent.predicted.Set(b.kinds[i].number)
		}
	}
}

// Len returns the number of entities that are replicated.
func (c *Collector) Len() int { return c.Table.Len() }

// Clamped returns how many numbers were outside their range and sent as the nearest number inside
// it.
func (c *Collector) Clamped() uint64 { return c.warnings.clamped + c.rounding.clamped }

// Hold stops all replication until the next Observe: in a frame that sends no tick, the values in the
// world are not those of the tick that was observed last.
func (c *Collector) Hold() { c.World.Hold() }

// SetStride sets the usual number of ticks between two observed ticks. Call it before the first
// Observe.
func (c *Collector) SetStride(ticks int) {
	c.stride = ticks
	c.World.SetStride(ticks)
}

// Stride returns the usual number of ticks between two observed ticks.
func (c *Collector) Stride() int { return max(c.stride, 1) }

// Observe finds all changes since the last call and records them as the state at tick. It calls
// ObserveEntities and then ObserveValues.
func (c *Collector) Observe(tick entangle.Tick) error {
	if err := c.ObserveEntities(tick); err != nil {
		return err
	}
	c.ObserveValues(tick)
	return nil
}

// ObserveEntities compares the world with the last call. It reports which entities appeared and
// vanished, which components they gained and lost, and which clients see them. ObserveValues, which
// reports the changed values, must follow, with the same tick, before anything in the world changes. It returns an error if the world is locked or its listener
// was replaced.
func (c *Collector) ObserveEntities(tick entangle.Tick) error {
	c.tick = tick
	c.Hierarchy.Propagation.apply()
	c.Table.Overlook(c.undetected())
	if err := c.Table.Observe(tick); err != nil {
		c.Hierarchy.Propagation.Events.Overflowed = true
		return err
	}
	c.Paused.Grow(c.Table.Slots())
	c.Hierarchy.Propagation.Slots.growSlots(c.Table.Slots())
	c.World.Begin(tick)
	c.reportRefused()
	c.applyRemovals()
	c.Visibility.growSlots(c.Table.Slots())
	c.Hierarchy.update()
	c.Visibility.readChanges()
	c.applySpawns()
	c.applyStructure()
	c.Visibility.applyChanges()
	return nil
}

// ObserveValues tells the sender which values changed, as ObserveEntities has found, and makes all
// changes due for the clients that see them.
func (c *Collector) ObserveValues(tick entangle.Tick) {
	c.updateRates()
	c.applyValues()
	c.applyTeleports()
	c.recordHistory(tick)
	c.refs.pending.sweepDead(c.Arche)
	c.Visibility.sweepOverrides()
	c.World.Commit()
	for i := range c.Visibility.Clients {
		if local := c.Visibility.Clients[i].local; local != nil {
			local.Observe()
		}
	}
}

// OnRefused sets a function that is called for each group that is too large to be sent, with one
// of its entities, once per change of its structure.
func (c *Collector) OnRefused(f func(ecs.Entity)) { c.onRefused = f }

// reportRefused logs groups that are too large to be sent and calls onRefused.
func (c *Collector) reportRefused() {
	for s, ok := c.World.PollRefused(); ok; s, ok = c.World.PollRefused() {
		e := c.Table.Entity(columns.Slot(s))
		c.warnings.log.Warn("a group is not sent, because it takes more than 64 KiB; make several of it, or spread an entity's components over several entities",
			"entity", e)
		if c.onRefused != nil {
			c.onRefused(e)
		}
	}
}

// applyRemovals handles despawned, paused and resumed entities. The end of an entity that had no
// Replicate at that time is not sent: it was paused, possibly in the same tick. It is sent if the plugin
// took the Replicate, because the parent excludes its children, and of a parent that was paused in this
// tick: its children are paused only at the end of a tick, so they despawn, and it with them.
func (c *Collector) applyRemovals() {
	c.Visibility.recordFormer()
	for _, s := range c.Table.Despawned() {
		c.forgetRefs(s, &c.Sent.withRefs)
		endsForPeers := c.Hierarchy.Propagation.Slots.withheld.Has(int(s)) || !c.Paused.Has(int(s)) && c.Hierarchy.hasChildren(repl.Slot(s))
		if c.Table.EndedWithoutMarker(s) && !endsForPeers {
			c.World.Abandon(repl.Slot(s))
		} else {
			c.World.Despawn(repl.Slot(s))
		}
		c.Visibility.removeEntity(repl.Slot(s)) // after the sender asked which components no client gets
		c.Paused.Clear(int(s))
	}
	for _, s := range c.Table.Paused() {
		c.forgetRefs(s, &c.Sent.withRefs) // it is sent whole when it resumes
		if c.Hierarchy.Propagation.Slots.withheld.Has(int(s)) {
			c.Visibility.withholdEntity(repl.Slot(s))
			continue
		}
		c.Paused.Set(int(s))
		c.Visibility.markGroupStale(repl.Slot(s)) // no member that is paused shows it
		c.World.Pause(repl.Slot(s))
	}
	for _, s := range c.Table.Resumed() {
		c.Paused.Clear(int(s))
		c.Visibility.resumeFormer(repl.Slot(s))
		c.Hierarchy.Propagation.Slots.withheld.Clear(int(s))
		c.World.Resume(repl.Slot(s))
	}
}

func (c *Collector) applySpawns() {
	for _, s := range c.Table.Spawned() {
		c.unregistered.checkEntity(c.Arche, c.Table.Entity(s))
		mask := c.Sent.Numbers(c.Table.Mask(s)).Without(c.Visibility.Overrides.WithheldOf(repl.Slot(s)))
		mask = c.Visibility.withInterpolated(repl.Slot(s), mask)
		c.World.SpawnAt(repl.Slot(s), mask, c.Visibility.placeOf(repl.Slot(s)))
		c.resendPending(c.Table.Entity(s))
	}
}

// replicateOf returns the Replicate of an entity that has one.
func (c *Collector) replicateOf(s repl.Slot) *components.Replicate {
	return (*components.Replicate)(c.Arche.Get(c.Table.Entity(columns.Slot(s)), c.marker))
}

func (c *Collector) applyStructure() {
	for _, change := range c.Table.Structure() {
		off := c.Visibility.Overrides.WithheldOf(repl.Slot(change.Slot))
		inserted, removed := c.Sent.Numbers(change.Inserted).Without(off), c.Sent.Numbers(change.Removed).Without(off)
		if inserted.IsZero() && removed.IsZero() {
			continue // nothing that a peer could have
		}
		c.forgetRefs(change.Slot, &removed)
		c.World.Reshape(repl.Slot(change.Slot), inserted, removed)
	}
}

func (c *Collector) applyValues() {
	for comp := range c.Sent.Plans {
		changed := c.Table.Changed(comp)
		if len(changed) == 0 || c.Sent.Once.Has(comp) {
			continue
		}
		c.slots = c.slots[:0]
		for _, s := range changed {
			c.slots = append(c.slots, repl.Slot(s))
		}
		c.slots = c.Visibility.Overrides.without(c.slots, comp)
		c.forgetOverwritten(comp)
		c.World.Change(comp, c.slots)
	}
	c.resendRetargeted()
}

// Encode implements encode.Source: the sender calls it in the stage Packets, when it encodes a record.
func (c *Collector) Encode(w *bits.Writer, slot repl.Slot, comp int, table *repl.RefTable) {
	if comp == c.Visibility.Interpolations.comp {
		c.encodeInterpolated(w, slot)
		return
	}
	if c.refs.indexes = table; c.Sent.withRefs.Has(comp) {
		c.refs.beginComponent(refs.LateHolder{Slot: slot, Comp: comp})
	}
	value := c.blueprints.refresh(c.Table.Entity(columns.Slot(slot)), comp, c.valueOf(slot, comp), c.tick)
	c.countClamped(slot, comp, c.Sent.Plans[comp].Encode(w, value, &c.refs))
	if c.Sent.relations.Has(comp) {
		c.encodeTarget(w, columns.Slot(slot))
	}
}

// valueOf returns the value of a component; for a paused entity, its last observed value.
func (c *Collector) valueOf(slot repl.Slot, comp int) []byte {
	if value := c.Table.Value(columns.Slot(slot), comp); value != nil {
		return value
	}
	return c.Table.Known(columns.Slot(slot), comp)
}

// Slot returns the slot of a replicated entity.
func (c *Collector) Slot(e ecs.Entity) (repl.Slot, bool) {
	s, ok := c.Table.SlotOf(e)
	return repl.Slot(s), ok
}

// EntityOf returns the entity of a slot, dead or alive.
func (c *Collector) EntityOf(s repl.Slot) ecs.Entity { return c.Table.Entity(columns.Slot(s)) }
