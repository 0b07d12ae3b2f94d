package source

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Publisher passes an Arche world to the sender: changes in the columns of replicated components
// become due for every peer.
type Publisher struct {
	Arche  *ecs.World
	marker ecs.ID // components.Replicate
	Table  *columns.Table
	Sender *sender.World
	Types  []reflect.Type // by component number
	Plans  []*wire.Plan   // by component number; nil: this side does not send it
	cols   []int          // by component number, its column; -1: not sent
	Comps  []int          // by column, its component number
	linked repl.Mask      // the components that can refer to entities
	Once   repl.Mask      // components whose value changes are not sent

	control  ecs.ID // components.ControlledBy
	Owners   int    // its column
	Unsent   bool   // Owners is not sent: it is the last column and has no component number
	Sight    sight
	rounding Rounding

	interest *Interest

	relations columns.Mask
	computed  columns.Mask // of components with Predict(protocol.Full)
	Family    family

	refs    refWriter
	awaits  await
	past    refs.Past
	Lessons lessons
	slots   []repl.Slot
	Paused  repl.Bitset
	clamped uint64

	oddPriority bool // one was logged
	oddTarget   bool
	oddPredict  bool
	oddOwner    bool
	clamps      repl.Mask // components of which one was logged

	stride       int
	unregistered unregistered
	onRefused    func(ecs.Entity)
}

// NewPublisher observes the entities of w that have components.Replicate, with the registered
// components that this side may send according to sends.
func NewPublisher(w *ecs.World, infos []*registry.Component, sends func(registry.Direction) bool, log *slog.Logger) (*Publisher, error) {
	p := &Publisher{
		Arche: w, marker: ecs.ComponentID[components.Replicate](w), unregistered: newUnregistered(w, infos, log),
		Plans: make([]*wire.Plan, len(infos)), cols: make([]int, len(infos)), awaits: newAwait(), past: NewPast(infos),
		control: ecs.ComponentID[components.ControlledBy](w), interest: NewInterest(),
	}
	var described []columns.Column
	for i, info := range infos {
		p.Types = append(p.Types, info.Type)
		p.cols[i] = -1
		if !sends(info.Direction) {
			continue
		}
		p.Plans[i], p.cols[i] = info.Plan, len(described)
		p.Comps = append(p.Comps, i)
		if info.Plan.HasRefs() || info.Relation {
			p.linked.Set(i)
		}
		if info.Once {
			p.Once.Set(i)
		}
		if info.Relation {
			p.relations.Set(len(described))
		}
		if info.Predict == registry.Full {
			p.computed.Set(len(described))
		}
		described = append(described, column(w, info))
	}
	described = p.followOwners(described)
	table, err := columns.New(w, p.marker, described)
	if err != nil {
		return nil, err
	}
	p.Table, p.Sender = table, sender.NewWorld(p, len(infos))
	p.Lessons = newLessons(&p.past)
	p.refs.publisher = p
	p.rounding = NewRounding(infos, func(number int) int { return p.cols[number] })
	p.Sight = newSight(p, w)
	p.Family = newFamily(p, infos, log)
	return p, p.listen(w)
}

func column(w *ecs.World, info *registry.Component) columns.Column {
	col := columns.Column{ID: ecs.TypeID(w, info.Type), Size: info.Plan.Size(), Tag: info.Input}
	if !info.Plan.Exact() {
		col.Equal = info.Plan.Equal
	}
	return col
}

// listen subscribes the table and the other listeners to structural changes.
func (p *Publisher) listen(w *ecs.World) error {
	err := tick.ShareListener(w, p.Table.Listener(), kinListener{&p.Family.Kindred}, endListener{w, p.interest})
	if err != nil {
		return err
	}
	if err := p.Table.Sync(); err != nil {
		return fmt.Errorf("%w (%w)", tick.ErrListener, err)
	}
	return nil
}

// Component returns the number of a component type that this side sends.
func (p *Publisher) Component(t reflect.Type) (comp int, ok bool) {
	comp = slices.Index(p.Types, t)
	return comp, comp >= 0 && p.Plans[comp] != nil
}

// Len returns the number of entities that are replicated.
func (p *Publisher) Len() int { return p.Table.Len() }

// World returns the part of the sender that all peers share.
func (p *Publisher) World() *sender.World { return p.Sender }

// Clamped returns how many numbers were outside their range and sent as the nearest number inside
// it.
func (p *Publisher) Clamped() uint64 { return p.clamped + p.rounding.clamped }

// Hold stops all replication until the next Observe: in a frame without a tick the world is not in
// the state of any tick.
func (p *Publisher) Hold() { p.Sender.Hold() }

// SetStride sets the usual number of ticks between two observed ticks. Call it before the first
// Observe.
func (p *Publisher) SetStride(ticks int) {
	p.stride = ticks
	p.Sender.SetStride(ticks)
}

// Stride returns the usual number of ticks between two observed ticks.
func (p *Publisher) Stride() int { return max(p.stride, 1) }

// Observe finds all changes since the last call and records them as the state at tick. It calls
// ObserveEntities and then ObserveValues.
func (p *Publisher) Observe(tick entangle.Tick) error {
	if err := p.ObserveEntities(tick); err != nil {
		return err
	}
	p.ObserveValues(tick)
	return nil
}

// ObserveEntities finds which entities appeared and vanished since the last call, which components
// they gained and lost, and which clients see them. ObserveValues must follow, with the same tick,
// before anything in the world changes. It returns an error if the world is locked or its listener
// was replaced.
func (p *Publisher) ObserveEntities(tick entangle.Tick) error {
	p.Family.Kindred.act()
	p.Table.Overlook(p.unheard())
	if err := p.Table.Observe(tick); err != nil {
		p.Family.Kindred.Anew = true
		return err
	}
	p.Paused.Grow(p.Table.Slots())
	p.Family.Kindred.grow(p.Table.Slots())
	p.Sender.Begin(tick)
	p.report()
	p.leave()
	p.Sight.grow(p.Table.Slots())
	p.Family.follow()
	p.Sight.notice()
	p.enter()
	p.reshape()
	p.Sight.settle()
	return nil
}

// ObserveValues finds which values changed since the last call, and makes all changes due for the
// clients that see them.
func (p *Publisher) ObserveValues(tick entangle.Tick) {
	p.pace()
	p.change()
	p.remember(tick)
	p.awaits.tidy(p.Arche)
	p.Sight.tidy()
	p.Sender.Commit()
	p.study(tick)
	for i := range p.Sight.Clients {
		if local := p.Sight.Clients[i].local; local != nil {
			local.Observe()
		}
	}
}

// OnRefused sets a function that is called for each group that is too large to be sent, with one
// of its entities, once per change of its structure.
func (p *Publisher) OnRefused(f func(ecs.Entity)) { p.onRefused = f }

// report logs groups that are too large to be sent and calls onRefused.
func (p *Publisher) report() {
	for s, ok := p.Sender.PollRefused(); ok; s, ok = p.Sender.PollRefused() {
		e := p.Table.Entity(columns.Slot(s))
		p.unregistered.log.Warn("a group is not sent, because it takes more than 64 KiB; make several of it, or spread an entity's components over several entities",
			"entity", e)
		if p.onRefused != nil {
			p.onRefused(e)
		}
	}
}

// leave handles despawned, paused and resumed entities. The end of an entity that had no Replicate
// at that time is not sent: it was paused, possibly in the same tick. Children are paused with
// their parent only at the end of a tick, so if the parent was removed earlier in the tick its
// children make it despawn too.
func (p *Publisher) leave() {
	p.Sight.rest(p.Table.Paused())
	for _, s := range p.Table.Despawned() {
		p.Sight.lose(repl.Slot(s))
		p.forgetAwaited(s, &p.linked)
		told := p.Family.Kindred.withheld.Has(int(s)) || !p.Paused.Has(int(s)) && p.Family.hasBelow(repl.Slot(s))
		if p.Table.Bare(s) && !told {
			p.Sender.Abandon(repl.Slot(s))
		} else {
			p.Sender.Despawn(repl.Slot(s))
		}
		p.Paused.Clear(int(s))
	}
	for _, s := range p.Table.Paused() {
		p.forgetAwaited(s, &p.linked) // it is sent whole when it resumes
		if p.Family.Kindred.withheld.Has(int(s)) {
			p.Sight.withhold(repl.Slot(s))
			continue
		}
		p.Paused.Set(int(s))
		p.Sender.Pause(repl.Slot(s))
	}
	for _, s := range p.Table.Resumed() {
		p.Paused.Clear(int(s))
		delete(p.Sight.resting, repl.Slot(s))
		p.Family.Kindred.withheld.Clear(int(s))
		p.Sender.Resume(repl.Slot(s))
	}
}

func (p *Publisher) enter() {
	for _, s := range p.Table.Spawned() {
		p.unregistered.look(p.Arche, p.Table.Entity(s))
		mask := p.Numbers(p.Table.Mask(s)).Without(p.Sight.Overrides.OffOf(repl.Slot(s)))
		p.Sender.SpawnAt(repl.Slot(s), mask, p.Sight.place(repl.Slot(s)))
		p.Sight.settled(repl.Slot(s))
		p.arrived(p.Table.Entity(s))
	}
}

// replicate returns the Replicate of an entity that has one.
func (p *Publisher) replicate(s repl.Slot) *components.Replicate {
	return (*components.Replicate)(p.Arche.Get(p.Table.Entity(columns.Slot(s)), p.marker))
}

func (p *Publisher) reshape() {
	for _, change := range p.Table.Structure() {
		off := p.Sight.Overrides.OffOf(repl.Slot(change.Slot))
		inserted, removed := p.Numbers(change.Inserted).Without(off), p.Numbers(change.Removed).Without(off)
		if inserted.IsZero() && removed.IsZero() {
			continue // nothing that a peer could have
		}
		p.forgetAwaited(change.Slot, &removed)
		p.Sender.Reshape(repl.Slot(change.Slot), inserted, removed)
	}
}

func (p *Publisher) change() {
	for col, comp := range p.Comps {
		changed := p.Table.Changed(col)
		if len(changed) == 0 || p.Once.Has(comp) {
			continue
		}
		p.slots = p.slots[:0]
		for _, s := range changed {
			p.slots = append(p.slots, repl.Slot(s))
		}
		p.slots = p.Sight.Overrides.without(p.slots, comp)
		p.overwritten(comp)
		p.Sender.Change(comp, p.slots)
	}
	p.retarget()
}

// Numbers turns a set of columns into a set of component numbers. They differ only if some
// components are not sent.
func (p *Publisher) Numbers(cols columns.Mask) repl.Mask {
	if p.Unsent {
		cols.Clear(p.Owners)
	}
	if len(p.Comps) == len(p.cols) {
		return repl.Mask(cols)
	}
	var m repl.Mask
	for c := cols.Next(0); c >= 0; c = cols.Next(c + 1) {
		m.Set(p.Comps[c])
	}
	return m
}

// Encode implements sender.Source.
func (p *Publisher) Encode(w *bits.Writer, slot repl.Slot, comp int, table *repl.RefTable) {
	if p.refs.refs = table; p.linked.Has(comp) {
		p.refs.begin(refs.LateHolder{Slot: slot, Comp: comp})
	}
	p.clamp(slot, comp, p.Plans[comp].Encode(w, p.valueOf(slot, comp), &p.refs))
	if p.relations.Has(p.cols[comp]) {
		p.encodeTarget(w, columns.Slot(slot))
	}
}

// valueOf returns the value of a component; for a paused entity, its last observed value.
func (p *Publisher) valueOf(slot repl.Slot, comp int) []byte {
	if value := p.Table.Value(columns.Slot(slot), p.cols[comp]); value != nil {
		return value
	}
	return p.Table.Known(columns.Slot(slot), p.cols[comp])
}

// Slot returns the slot of a replicated entity.
func (p *Publisher) Slot(e ecs.Entity) (repl.Slot, bool) {
	s, ok := p.Table.SlotOf(e)
	return repl.Slot(s), ok
}

// Entity returns the entity of one of this side's own wire ids.
func (p *Publisher) Entity(id repl.ID) (ecs.Entity, bool) {
	s, ok := p.Sender.Slot(id)
	if !ok {
		return ecs.Entity{}, false
	}
	return p.Table.Entity(columns.Slot(s)), true
}
