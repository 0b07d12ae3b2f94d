package systems

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Publisher is the way from an Arche world to the sender: what changed in the
// columns of replicated components becomes due for every peer.
type Publisher struct {
	arche  *ecs.World
	marker ecs.ID // components.Replicate
	table  *columns.Table
	world  *sender.World
	types  []reflect.Type   // by component number
	plans  []*protocol.Plan // by component number; nil: this side does not send it
	cols   []int            // by component number, its column; -1: not sent
	comps  []int            // by column, its component number
	linked repl.Mask        // the components that can refer to entities
	once   repl.Mask        // those of which values are not sent when they change

	control  ecs.ID // components.ControlledBy
	owners   int    // its column
	unsent   bool   // which is not sent: it is the last one, and has no number
	sight    sight
	rounding rounding

	interest *Interest

	relations columns.Mask
	computed  columns.Mask // of components with Predict(protocol.Full)
	family    family

	refs    refWriter
	awaits  await
	past    past
	lessons lessons
	slots   []repl.Slot
	paused  repl.Bitset
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
func NewPublisher(w *ecs.World, infos []*protocol.ComponentInfo, sends func(protocol.Direction) bool, log *slog.Logger) (*Publisher, error) {
	p := &Publisher{
		arche: w, marker: ecs.ComponentID[components.Replicate](w), unregistered: newUnregistered(w, infos, log),
		plans: make([]*protocol.Plan, len(infos)), cols: make([]int, len(infos)), awaits: newAwait(), past: newPast(infos),
		control: ecs.ComponentID[components.ControlledBy](w), interest: newInterest(),
	}
	var described []columns.Column
	for i, info := range infos {
		p.types = append(p.types, info.Type)
		p.cols[i] = -1
		if !sends(info.Direction) {
			continue
		}
		p.plans[i], p.cols[i] = info.Plan, len(described)
		p.comps = append(p.comps, i)
		if info.Plan.HasRefs() || info.Relation {
			p.linked.Set(i)
		}
		if info.Once {
			p.once.Set(i)
		}
		if info.Relation {
			p.relations.Set(len(described))
		}
		if info.Predict == protocol.Full {
			p.computed.Set(len(described))
		}
		described = append(described, column(w, info))
	}
	described = p.followOwners(described)
	table, err := columns.New(w, p.marker, described)
	if err != nil {
		return nil, err
	}
	p.table, p.world = table, sender.NewWorld(p, len(infos))
	p.lessons = newLessons(&p.past)
	p.refs.publisher = p
	p.rounding = newRounding(infos, func(number int) int { return p.cols[number] })
	p.sight = newSight(p, w)
	p.family = newFamily(p, infos, log)
	return p, p.listen(w)
}

func column(w *ecs.World, info *protocol.ComponentInfo) columns.Column {
	col := columns.Column{ID: ecs.TypeID(w, info.Type), Size: info.Plan.Size(), Tag: info.Input}
	if !info.Plan.Exact() {
		col.Equal = info.Plan.Equal
	}
	return col
}

// listen has the table and what goes by it hear of structure.
func (p *Publisher) listen(w *ecs.World) error {
	err := shareListener(w, p.table.Listener(), kinListener{&p.family.kindred}, endListener{w, p.interest})
	if err != nil {
		return err
	}
	if err := p.table.Sync(); err != nil {
		return fmt.Errorf("%w (%w)", errListener, err)
	}
	return nil
}

// Component returns the number of a component type that this side sends.
func (p *Publisher) Component(t reflect.Type) (comp int, ok bool) {
	comp = slices.Index(p.types, t)
	return comp, comp >= 0 && p.plans[comp] != nil
}

// Len returns the number of entities that are replicated.
func (p *Publisher) Len() int { return p.table.Len() }

// World returns the sender's shared half, for peers to be made of it.
func (p *Publisher) World() *sender.World { return p.world }

// Clamped returns how many numbers lay outside their range and were sent as the
// nearest that is inside.
func (p *Publisher) Clamped() uint64 { return p.clamped + p.rounding.clamped }

// Hold stops all replication until the next Observe: in a frame without a tick the
// world is not what it was at any tick.
func (p *Publisher) Hold() { p.world.Hold() }

// SetStride says how many ticks lie between two that are observed, as a rule. It is to be
// called before the first.
func (p *Publisher) SetStride(ticks int) {
	p.stride = ticks
	p.world.SetStride(ticks)
}

// Stride returns how many ticks lie between two that are observed, as a rule.
func (p *Publisher) Stride() int { return max(p.stride, 1) }

// Observe takes in what changed since the last call, as the state at tick.
func (p *Publisher) Observe(tick entangle.Tick) error {
	p.family.kindred.act()
	p.table.Overlook(p.unheard())
	if err := p.table.Observe(tick); err != nil {
		p.family.kindred.anew = true
		return err
	}
	p.paused.Grow(p.table.Slots())
	p.family.kindred.grow(p.table.Slots())
	p.world.Begin(tick)
	p.report()
	p.leave()
	p.sight.grow(p.table.Slots())
	p.family.follow()
	p.sight.notice()
	p.enter()
	p.reshape()
	p.sight.settle()
	p.pace()
	p.change()
	p.remember(tick)
	p.awaits.tidy(p.arche)
	p.sight.tidy()
	p.world.Commit()
	p.study(tick)
	for i := range p.sight.clients {
		if local := p.sight.clients[i].local; local != nil {
			local.Observe()
		}
	}
	return nil
}

// OnRefused has f told of groups that are too large to be sent, by one of the
// entities in each, once for each change of their structure.
func (p *Publisher) OnRefused(f func(ecs.Entity)) { p.onRefused = f }

// report tells of groups that are too large to be sent.
func (p *Publisher) report() {
	for s, ok := p.world.PollRefused(); ok; s, ok = p.world.PollRefused() {
		e := p.table.Entity(columns.Slot(s))
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
	p.sight.rest(p.table.Paused())
	for _, s := range p.table.Despawned() {
		p.sight.lose(repl.Slot(s))
		p.forgetAwaited(s, &p.linked)
		told := p.family.kindred.withheld.Has(int(s)) || !p.paused.Has(int(s)) && p.family.hasBelow(repl.Slot(s))
		if p.table.Bare(s) && !told {
			p.world.Abandon(repl.Slot(s))
		} else {
			p.world.Despawn(repl.Slot(s))
		}
		p.paused.Clear(int(s))
	}
	for _, s := range p.table.Paused() {
		p.forgetAwaited(s, &p.linked) // it is sent whole when it resumes
		if p.family.kindred.withheld.Has(int(s)) {
			p.sight.withhold(repl.Slot(s))
			continue
		}
		p.paused.Set(int(s))
		p.world.Pause(repl.Slot(s))
	}
	for _, s := range p.table.Resumed() {
		p.paused.Clear(int(s))
		delete(p.sight.resting, repl.Slot(s))
		p.family.kindred.withheld.Clear(int(s))
		p.world.Resume(repl.Slot(s))
	}
}

func (p *Publisher) enter() {
	for _, s := range p.table.Spawned() {
		p.unregistered.look(p.arche, p.table.Entity(s))
		mask := p.numbers(p.table.Mask(s)).Without(p.sight.overrides.offOf(repl.Slot(s)))
		p.world.SpawnAt(repl.Slot(s), mask, p.sight.place(repl.Slot(s)))
		p.sight.settled(repl.Slot(s))
		p.arrived(p.table.Entity(s))
	}
}

// replicate returns the Replicate of an entity that has one.
func (p *Publisher) replicate(s repl.Slot) *components.Replicate {
	return (*components.Replicate)(p.arche.Get(p.table.Entity(columns.Slot(s)), p.marker))
}

func (p *Publisher) reshape() {
	for _, change := range p.table.Structure() {
		off := p.sight.overrides.offOf(repl.Slot(change.Slot))
		inserted, removed := p.numbers(change.Inserted).Without(off), p.numbers(change.Removed).Without(off)
		if inserted.IsZero() && removed.IsZero() {
			continue // nothing that a peer could know of
		}
		p.forgetAwaited(change.Slot, &removed)
		p.world.Reshape(repl.Slot(change.Slot), inserted, removed)
	}
}

func (p *Publisher) change() {
	for col, comp := range p.comps {
		changed := p.table.Changed(col)
		if len(changed) == 0 || p.once.Has(comp) {
			continue
		}
		p.slots = p.slots[:0]
		for _, s := range changed {
			p.slots = append(p.slots, repl.Slot(s))
		}
		p.slots = p.sight.overrides.without(p.slots, comp)
		p.overwritten(comp)
		p.world.Change(comp, p.slots)
	}
	p.retarget()
}

// numbers turns a set of columns into one of component numbers. They differ only
// where some components are not sent.
func (p *Publisher) numbers(cols columns.Mask) repl.Mask {
	if p.unsent {
		cols.Clear(p.owners)
	}
	if len(p.comps) == len(p.cols) {
		return repl.Mask(cols)
	}
	var m repl.Mask
	for c := cols.Next(0); c >= 0; c = cols.Next(c + 1) {
		m.Set(p.comps[c])
	}
	return m
}

// Encode implements sender.Source.
func (p *Publisher) Encode(w *bits.Writer, slot repl.Slot, comp int, table *repl.RefTable) {
	if p.refs.refs = table; p.linked.Has(comp) {
		p.refs.begin(lateHolder{slot, comp})
	}
	p.clamp(slot, comp, p.plans[comp].Encode(w, p.valueOf(slot, comp), &p.refs))
	if p.relations.Has(p.cols[comp]) {
		p.encodeTarget(w, columns.Slot(slot))
	}
}

// valueOf returns the value of a component, of a paused entity as it was.
func (p *Publisher) valueOf(slot repl.Slot, comp int) []byte {
	if value := p.table.Value(columns.Slot(slot), p.cols[comp]); value != nil {
		return value
	}
	return p.table.Known(columns.Slot(slot), p.cols[comp])
}

// Slot returns the slot of a replicated entity.
func (p *Publisher) Slot(e ecs.Entity) (repl.Slot, bool) {
	s, ok := p.table.SlotOf(e)
	return repl.Slot(s), ok
}

// Entity returns the entity of one of this side's own wire ids.
func (p *Publisher) Entity(id repl.ID) (ecs.Entity, bool) {
	s, ok := p.world.Slot(id)
	if !ok {
		return ecs.Entity{}, false
	}
	return p.table.Entity(columns.Slot(s)), true
}
