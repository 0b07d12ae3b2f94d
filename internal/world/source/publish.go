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

// Publisher is the way from an Arche world to the sender: what changed in the
// columns of replicated components becomes due for every peer.
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
	Once   repl.Mask      // those of which values are not sent when they change

	control  ecs.ID // components.ControlledBy
	Owners   int    // its column
	Unsent   bool   // which is not sent: it is the last one, and has no number
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
	clamps      repl.Mask // the components of which one was logged

	stride       int
	unregistered unregistered
	onRefused    func(ecs.Entity)
}

// NewPublisher follows the entities of w that have components.Replicate, with the
// registered components that direction lets this side send.
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

// listen has the table and what goes by it hear of structure.
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

// World returns the sender's shared half, for peers to be made of it.
func (p *Publisher) World() *sender.World { return p.Sender }

// Clamped returns how many numbers lay outside their range and were sent as the
// nearest that is inside.
func (p *Publisher) Clamped() uint64 { return p.clamped + p.rounding.clamped }

// Hold stops all replication until the next Observe: in a frame without a tick the
// world is not what it was at any tick.
func (p *Publisher) Hold() { p.Sender.Hold() }

// SetStride says how many ticks lie between two that are observed, as a rule. It is to be
// called before the first.
func (p *Publisher) SetStride(ticks int) {
	p.stride = ticks
	p.Sender.SetStride(ticks)
}

// Stride returns how many ticks lie between two that are observed, as a rule.
func (p *Publisher) Stride() int { return max(p.stride, 1) }

// Observe finds what changed since the last call, as the state at tick. It is ObserveEntities
// and then ObserveValues.
func (p *Publisher) Observe(tick entangle.Tick) error {
	if err := p.ObserveEntities(tick); err != nil {
		return err
	}
	p.ObserveValues(tick)
	return nil
}

// ObserveEntities finds which entities appeared and vanished since the last call, which
// components they gained and lost, and which clients see them. ObserveValues must follow,
// with the same tick, before anything in the world changes. The error says that the world is
// locked, or that its listener was replaced.
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

// ObserveValues finds which values changed since the last call, and makes everything that
// changed due for the clients that see it.
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

// OnRefused has f told of groups that are too large to be sent, by one of the
// entities in each, once for each change of their structure.
func (p *Publisher) OnRefused(f func(ecs.Entity)) { p.onRefused = f }

// report tells of groups that are too large to be sent.
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

// leave takes out who is gone. The end of an entity that had no Replicate by then is not told:
// it was paused, be it in the same tick. But children are paused with their parent at the end of
// a tick: where those despawn, because it ended before that, it does too.
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
			continue // nothing that a peer could know of
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

// Numbers turns a set of columns into one of component numbers. They differ only
// where some components are not sent.
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

// valueOf returns the value of a component, of a paused entity as it was.
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
