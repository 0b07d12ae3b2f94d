package sink

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Component types with different modes of prediction.
type (
	aheadPlace struct { // Full
		X, Y float32 `net:"range=-100..100,step=1"`
	}
	aheadPath  struct{ N uint32 }      // Full, sent as differences
	aheadAim   struct{ At ecs.Entity } // Full
	aheadFlag  struct{}                // Full
	aheadKnows struct{ ecs.Relation }  // Full
	aheadScore struct {                // Simple
		N uint8 `net:"range=0..99"`
	}
	aheadOwner struct{ Of ecs.Entity }    // Simple
	aheadLikes struct{ ecs.Relation }     // Simple
	aheadSkin  struct{ N uint16 }         // Once
	aheadGrip  struct{ Of ecs.Entity }    // Once
	aheadLook  struct{ Of [2]ecs.Entity } // None
	aheadDrive struct{ Left, Right bool } // an input
)

func aheadProtocol(t testing.TB) []*registry.Component {
	p := protocol.New(protocol.Config{Name: "ahead"})
	protocol.Component[aheadPlace](p).Predict(protocol.Full)
	protocol.Component[aheadPath](p).Predict(protocol.Full).Delta()
	protocol.Component[aheadAim](p).Predict(protocol.Full)
	protocol.Component[aheadFlag](p).Predict(protocol.Full)
	protocol.Component[aheadKnows](p).Predict(protocol.Full)
	protocol.Component[aheadScore](p)
	protocol.Component[aheadOwner](p)
	protocol.Component[aheadLikes](p)
	protocol.Component[aheadSkin](p).Predict(protocol.Once)
	protocol.Component[aheadGrip](p).Predict(protocol.Once)
	protocol.Component[aheadLook](p).Predict(protocol.None)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[aheadDrive](p)
	require.NoError(t, registry.Seal(p))
	return registry.Of(p).Components
}

// rollbackMark stands for the marker of entities that are rolled back.
type rollbackMark struct{ B byte }

// prophet is a prediction that records the calls of its methods.
type prophet struct {
	world    *ecs.World
	memory   *rollback.Store
	on       []ecs.ID
	slots    map[ecs.Entity]rollback.Slot
	last     rollback.Slot
	disabled map[rollback.Slot]bool // despawned ahead of the server
	news     map[rollback.Slot]int
	departed []ecs.Entity
	at       []entangle.Tick // ticks of those
	ended    []ecs.Entity    // untracked
	cleared  int
	inserted []string // into disabled entities, or removed from them
}

func newProphet(w *ecs.World, infos []*registry.Component) *prophet {
	p := &prophet{
		world: w, on: []ecs.ID{ecs.ComponentID[components.Predicted](w), ecs.ComponentID[rollbackMark](w)},
		slots: map[ecs.Entity]rollback.Slot{}, disabled: map[rollback.Slot]bool{}, news: map[rollback.Slot]int{},
	}
	cfg := rollback.Config{Ticks: 4}
	for _, info := range infos {
		cfg.Sizes = append(cfg.Sizes, int(info.Type.Size()))
	}
	p.memory = rollback.New(cfg)
	return p
}

func (p *prophet) Marks() []ecs.ID { return p.on }

func (p *prophet) Store() *rollback.Store { return p.memory }

func (p *prophet) Track(e ecs.Entity) rollback.Slot {
	for _, id := range p.on {
		if !p.world.Has(e, id) {
			panic("tracked without marks")
		}
	}
	s, ok := p.slots[e]
	if !ok {
		p.last++
		s, p.slots[e] = p.last, p.last
		p.memory.Grow(int(s) + 1)
	}
	return s
}

func (p *prophet) Confirmed(s rollback.Slot) {
	p.news[s]++
	p.memory.Note(s)
}

func (p *prophet) Updated(s rollback.Slot, tick entangle.Tick) {
	p.news[s]++
	p.memory.NoteValues(s, tick)
}

func (p *prophet) Gone(e ecs.Entity, _ rollback.Slot, tick entangle.Tick) {
	p.departed, p.at = append(p.departed, e), append(p.at, tick)
}

func (p *prophet) Untrack(e ecs.Entity, s rollback.Slot) {
	p.ended = append(p.ended, e)
	*p.memory.Confirmed(s) = rollback.Confirmed{} // a prediction uses the slot again
}

func (p *prophet) IsDisabled(s rollback.Slot) bool { return p.disabled[s] }

func (p *prophet) InsertOnce(s rollback.Slot, comp int, value []byte, _ ecs.Entity) {
	p.inserted = append(p.inserted, fmt.Sprint(s, " ", comp, " ", value))
}

func (p *prophet) MatchPrespawned(uint32, entangle.Tick) (e ecs.Entity, ok bool) { return e, false }

func (p *prophet) PrespawnedArrived(ecs.Entity, rollback.Slot, uint32, entangle.Tick) {}

func (p *prophet) RemoveOnce(s rollback.Slot, comp int) {
	p.inserted = append(p.inserted, fmt.Sprint(s, " ", comp, " gone"))
}

func (p *prophet) Clear() { p.cleared++ }

// foretelling is an Applier for which the test sets which entities are predicted when they spawn.
type foretelling struct {
	*Applier
	wants func(repl.ID) bool
}

// Spawn implements receiver.Sink.
func (f *foretelling) Spawn(id repl.ID) repl.Slot {
	s := f.Applier.Spawn(id)
	if f.wants != nil && f.wants(id) {
		f.Predict(s, true)
	}
	return s
}

// pair is a world that is sent, over a perfect line, to an applier with a prediction.
type pair struct {
	t         testing.TB
	infos     []*registry.Component
	world     *ecs.World
	collector *source.Collector
	peer      *sender.Peer
	tick      entangle.Tick
	packet    uint16

	far      *ecs.World
	applier  *Applier
	by       *prophet
	sink     *foretelling
	receiver *receiver.Receiver
	also     func(func(*receiver.Receiver) error) error // another receiver of the same records
	events   []string
	marker   ecs.ID
}

// newPair returns a pair that predicts all entities from the start.
func newPair(t testing.TB) *pair { return newPairOf(t, aheadProtocol(t)) }

func newPairOf(t testing.TB, infos []*registry.Component) *pair {
	w, far := ecs.NewWorld(1024, 4), ecs.NewWorld(1024, 4)
	p := &pair{t: t, infos: infos, world: &w, far: &far, marker: ecs.ComponentID[components.Replicate](&w)}
	collector, err := source.NewCollector(&w, p.infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	p.collector, p.peer = collector, collector.World.NewPeer()
	hub := event.NewHub()
	p.applier = NewApplier(&far, hub, p.infos, p.note("spawned"), p.note("despawned"))
	for _, info := range p.infos {
		events := hub.Component(info.Type)
		events.OnInserted = p.note(info.Type.Name() + " inserted")
		events.OnUpdated = p.note(info.Type.Name() + " updated")
		events.OnRemoved = p.note(info.Type.Name() + " removed")
	}
	p.by = newProphet(&far, p.infos)
	p.applier.PredictBy(p.by)
	p.sink = &foretelling{Applier: p.applier, wants: func(repl.ID) bool { return true }}
	p.receiver = receiver.New(p.sink, len(p.infos))
	return p
}

func (p *pair) note(what string) func(ecs.Entity) {
	return func(ecs.Entity) { p.events = append(p.events, what) }
}

// took returns the events raised since the last call.
func (p *pair) took() []string {
	events := p.events
	p.events = nil
	return events
}

// spawn makes a replicated entity.
func (p *pair) spawn(ids ...ecs.ID) ecs.Entity {
	return p.world.NewEntity(append([]ecs.ID{p.marker}, ids...)...)
}

// send sends a tick to the copy.
func (p *pair) send() {
	p.tick++
	require.NoError(p.t, p.collector.Observe(p.tick))
	p.peer.Prepare()
	for p.peer.ActionsDue() {
		b := p.peer.AppendActions(nil, 5000)
		if len(b) == 0 {
			break
		}
		p.peer.ActionsSent(p.packet)
		p.handle(func(r *receiver.Receiver) error { return r.HandleActions(b) })
		p.peer.HandleDelivered(p.packet)
		p.packet++
	}
	for b := p.peer.AppendUpdates(nil, 1000, p.packet); len(b) > 0; b = p.peer.AppendUpdates(nil, 1000, p.packet) {
		p.handle(func(r *receiver.Receiver) error { return r.HandleUpdates(p.tick, b) })
		p.peer.HandleAcked(p.packet)
		p.packet++
	}
}

func (p *pair) handle(do func(*receiver.Receiver) error) {
	require.NoError(p.t, do(p.receiver))
	if p.also != nil {
		require.NoError(p.t, p.also(do))
	}
}

// there returns the replica of an entity, or the zero entity if there is none.
func (p *pair) there(e ecs.Entity) ecs.Entity {
	s, ok := p.collector.Slot(e)
	if !ok {
		return ecs.Entity{}
	}
	id, ok := p.peer.ID(s)
	if !ok {
		return ecs.Entity{}
	}
	for far, s := range replicasOf(p.applier) {
		if p.applier.Replicas.Info[s].ID == id {
			return far
		}
	}
	return ecs.Entity{}
}

// say sets with a record of its own which entities are predicted.
func (p *pair) say(e ecs.Entity, on ...bool) {
	p.applier.Begin(p.tick, p.tick)
	for _, on := range on {
		p.applier.Predict(slotOf(p.applier, p.there(e)), on)
	}
	p.applier.Commit()
}

func idIn[T any](w *ecs.World) ecs.ID { return ecs.ComponentID[T](w) }

// value returns a component of an entity of a world.
func value[T any](w *ecs.World, e ecs.Entity) *T { return (*T)(w.Get(e, ecs.ComponentID[T](w))) }

// has reports whether an entity of the copy's world has a component.
func has[T any](p *pair, e ecs.Entity) bool { return p.far.Has(e, ecs.ComponentID[T](p.far)) }

// BeginSpawns makes all entities come one by one, and so through Spawn.
func (f *foretelling) BeginSpawns(entangle.Tick, *set.Mask) int { return 0 }

func slotOf(a *Applier, e ecs.Entity) repl.Slot {
	s, _ := a.Replicas.Slot(e)
	return s
}

func replicasOf(a *Applier) map[ecs.Entity]repl.Slot {
	all := map[ecs.Entity]repl.Slot{}
	for s := range a.Replicas.entities {
		if e := &a.Replicas.entities[s]; e.used {
			all[e.entity] = repl.Slot(s)
		}
	}
	return all
}

// An entity that the game has removed stays a replica until the server says more, and is found, while
// another replica has its id in the world.
func TestSlotOfARemovedReplica(t *testing.T) {
	w := ecs.NewWorld()
	var r replicas
	older := w.NewEntity()
	one := r.addEntity(older, repl.ID{Group: 1})
	w.RemoveEntity(older)
	newer := w.NewEntity()
	require.Equal(t, older.ID(), newer.ID())
	_, ok := r.Slot(newer)
	assert.False(t, ok)
	two := r.addEntity(newer, repl.ID{Group: 2})
	s, ok := r.Slot(older)
	assert.True(t, ok)
	assert.Equal(t, one, s)
	s, ok = r.Slot(newer)
	assert.True(t, ok)
	assert.Equal(t, two, s)
	assert.Equal(t, 2, r.Len())
	r.removeSlot(one, 0)
	_, ok = r.Slot(older)
	assert.False(t, ok)
	s, ok = r.Slot(newer)
	assert.True(t, ok)
	assert.Equal(t, two, s)
	r.removeSlot(two, 0)
	_, ok = r.Slot(newer)
	assert.False(t, ok)
	assert.Zero(t, r.Len())
}
