package sink

import (
	"cmp"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	copiedPlace struct {
		X, Y float32 `net:"range=-100..100,step=1"`
	}
	copiedName struct {
		Text [3]byte
		Of   ecs.Entity
	}
	copiedFlag struct{}
)

func copiedProtocol(t testing.TB) []*registry.Component {
	p := protocol.New(protocol.Config{Name: "copy test"})
	protocol.Component[copiedPlace](p)
	protocol.Component[copiedName](p)
	protocol.Component[copiedFlag](p)
	require.NoError(t, registry.Seal(p))
	return registry.Of(p).Components
}

// plainSink hides that an Applier is a receiver.Updater: every update goes step by step through the
// stage.
type plainSink struct{ receiver.Sink }

// copyOf is a world with an applier, and the events that the applier raised.
type copyOf struct {
	world    *ecs.World
	applier  *Applier
	receiver *receiver.Receiver
	events   []string
}

func newCopyOf(infos []*registry.Component, plain bool) *copyOf {
	w, hub := ecs.NewWorld(), event.NewHub()
	c := &copyOf{world: &w}
	note := func(what string) func(ecs.Entity) {
		return func(e ecs.Entity) {
			c.events = append(c.events, fmt.Sprint(what, e))
		}
	}
	c.applier = NewApplier(&w, hub, infos, note("spawned"), note("despawned"))
	for _, info := range infos {
		events := hub.Component(info.Type)
		events.OnInserted = note(info.Name + " inserted")
		events.OnUpdated = note(info.Name + " updated")
		events.OnRemoved = note(info.Name + " removed")
	}
	var sink receiver.Sink = c.applier
	if plain {
		sink = plainSink{c.applier}
	}
	c.receive(sink, len(infos))
	return c
}

func (c *copyOf) receive(sink receiver.Sink, comps int) { c.receiver = receiver.New(sink, comps) }

// shows returns all entities with their values. Both copies create the same entities in the same
// order.
func (c *copyOf) shows() []string {
	place, name, flag := ecs.ComponentID[copiedPlace](c.world), ecs.ComponentID[copiedName](c.world), ecs.ComponentID[copiedFlag](c.world)
	var all []string
	filter := ecs.All()
	for q := c.world.Query(&filter); q.Next(); {
		tick, known := c.applier.Replicas.Tick(q.Entity())
		line := fmt.Sprint(q.Entity(), tick, known, q.Has(flag))
		if q.Has(place) {
			line += fmt.Sprint(*(*copiedPlace)(q.Get(place)))
		}
		if q.Has(name) {
			line += fmt.Sprint(*(*copiedName)(q.Get(name)))
		}
		all = append(all, line)
	}
	return all
}

// copyGame is a world that is sent, over a perfect line, to two copies: one that applies updates in
// one call, and a reference copy that applies them step by step.
type copyGame struct {
	t         *testing.T
	rng       *rand.Rand
	world     *ecs.World
	entities  []ecs.Entity
	collector *source.Collector
	peer      *sender.Peer
	tick      entangle.Tick
	packet    uint16
	room      int // the size of a frame in bytes; 0: 100
	copies    [2]*copyOf
}

func newCopyGame(t *testing.T, seed uint64) *copyGame {
	infos := copiedProtocol(t)
	w := ecs.NewWorld()
	collector, err := source.NewCollector(&w, infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	g := &copyGame{t: t, rng: rand.New(rand.NewPCG(seed, 3)), world: &w, collector: collector, peer: collector.World.NewPeer()}
	g.copies = [2]*copyOf{newCopyOf(infos, false), newCopyOf(infos, true)}
	marker := ecs.ComponentID[components.Replicate](&w)
	for range 10 {
		ids := []ecs.ID{marker, ecs.ComponentID[copiedPlace](&w), ecs.ComponentID[copiedName](&w)}
		if g.rng.IntN(2) == 0 {
			ids = append(ids, ecs.ComponentID[copiedFlag](&w))
		}
		g.entities = append(g.entities, w.NewEntity(ids...))
	}
	return g
}

// change moves some entities and renames some.
func (g *copyGame) change() {
	for _, e := range g.entities {
		if g.rng.IntN(2) == 0 {
			*(*copiedPlace)(g.world.Get(e, ecs.ComponentID[copiedPlace](g.world))) = copiedPlace{float32(g.rng.IntN(200) - 100), float32(g.rng.IntN(200) - 100)}
		}
		if g.rng.IntN(3) == 0 && g.world.Has(e, ecs.ComponentID[copiedName](g.world)) {
			*(*copiedName)(g.world.Get(e, ecs.ComponentID[copiedName](g.world))) = copiedName{
				Text: [3]byte{byte(g.rng.IntN(256))}, Of: g.entities[g.rng.IntN(len(g.entities))],
			}
		}
	}
}

// meddle changes the structure of the replicas at random, as a game may.
func (g *copyGame) meddle() {
	place := g.rng.IntN(2) == 0
	at := g.rng.IntN(len(g.entities))
	for _, c := range g.copies {
		e := c.applier.Replicas.entities[at].entity
		id := ecs.ComponentID[copiedName](c.world)
		if place {
			id = ecs.ComponentID[copiedPlace](c.world)
		}
		switch {
		case !c.world.Alive(e):
		case at == 0:
			c.world.RemoveEntity(e)
		case c.world.Has(e, id):
			c.world.Remove(e, id)
		}
	}
}

// send sends a tick to both copies.
func (g *copyGame) send() {
	g.tick++
	require.NoError(g.t, g.collector.Observe(g.tick))
	for g.peer.ActionsDue() {
		b := g.peer.AppendActions(nil, 500)
		g.peer.ActionsSent(g.packet)
		g.both(func(r *receiver.Receiver) error { return r.HandleActions(b) })
		g.peer.HandleDelivered(g.packet)
		g.packet++
	}
	for b := g.frame(); len(b) > 0; b = g.frame() {
		g.both(func(r *receiver.Receiver) error { return r.HandleUpdates(g.tick, b) })
		g.peer.HandleAcked(g.packet)
		g.packet++
	}
}

func (g *copyGame) frame() []byte { return g.peer.AppendUpdates(nil, cmp.Or(g.room, 100), g.packet) }

func (g *copyGame) both(do func(*receiver.Receiver) error) {
	for _, c := range g.copies {
		require.NoError(g.t, do(c.receiver))
	}
}

func (g *copyGame) requireSame() {
	require.Equal(g.t, g.copies[1].shows(), g.copies[0].shows())
	require.Equal(g.t, g.copies[1].events, g.copies[0].events)
}

// An update in one call has the same result as one step by step, also for entities with a structure
// that the game has changed.
func TestUpdateInOneCallIsUpdateStepByStep(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestUpdateInOneCallIsUpdateStepByStep/seed=%d$'", seed)
				}
			}()
			g := newCopyGame(t, seed)
			for range 50 {
				if g.change(); g.tick > 10 && g.rng.IntN(5) == 0 {
					g.meddle()
				}
				g.send()
				g.requireSame()
			}
			assert.Greater(t, g.copies[0].receiver.Stats().Updates, uint64(100))
		})
	}
}

// Between two worlds, entities of different groups refer to each other in any order of arrival.
//
// Proves: R27
func TestReferencesAreRightWhateverComesFirst(t *testing.T) {
	g := newCopyGame(t, 1)
	n := len(g.entities)
	for i, e := range g.entities {
		*(*copiedPlace)(g.world.Get(e, ecs.ComponentID[copiedPlace](g.world))) = copiedPlace{X: float32(i)}
		*(*copiedName)(g.world.Get(e, ecs.ComponentID[copiedName](g.world))) = copiedName{Of: g.entities[(i+n/2)%n]}
	}
	g.send()
	g.requireSame()
	for _, c := range g.copies {
		require.Equal(t, n, c.applier.Replicas.Len())
		for slot := range c.applier.Replicas.entities {
			e := c.applier.Replicas.entities[slot].entity
			of := (*copiedName)(c.world.Get(e, ecs.ComponentID[copiedName](c.world))).Of
			require.True(t, c.world.Alive(of))
			from := (*copiedPlace)(c.world.Get(e, ecs.ComponentID[copiedPlace](c.world))).X
			to := (*copiedPlace)(c.world.Get(of, ecs.ComponentID[copiedPlace](c.world))).X
			require.Equal(t, (int(from)+n/2)%n, int(to))
		}
		waiting, _ := c.applier.LateReferences()
		require.Zero(t, waiting)
	}
}

// A frame that is cut off leaves the entity at the cut unchanged.
func TestUpdateThatBreaksOffChangesNothing(t *testing.T) {
	g := newCopyGame(t, 1)
	g.send()
	for i, e := range g.entities {
		*(*copiedPlace)(g.world.Get(e, ecs.ComponentID[copiedPlace](g.world))) = copiedPlace{float32(i + 1), 7}
		*(*copiedName)(g.world.Get(e, ecs.ComponentID[copiedName](g.world))) = copiedName{Text: [3]byte{'a', 'b', byte(i)}}
	}
	g.tick++
	require.NoError(t, g.collector.Observe(g.tick))
	frame := g.peer.AppendUpdates(nil, repl.MaxUpdateBytes, g.packet)
	for cut := 1; cut < len(frame); cut++ {
		fresh := newCopyGame(t, 1)
		fresh.send()
		for _, c := range fresh.copies {
			require.Error(t, c.receiver.HandleUpdates(g.tick, frame[:cut]))
		}
		fresh.requireSame()
		c := fresh.copies[0]
		for slot := range c.applier.Replicas.entities {
			e := c.applier.Replicas.entities[slot].entity
			place := *(*copiedPlace)(c.world.Get(e, ecs.ComponentID[copiedPlace](c.world)))
			name := *(*copiedName)(c.world.Get(e, ecs.ComponentID[copiedName](c.world)))
			require.Equal(t, place == copiedPlace{}, name == copiedName{}, "%v and %v", place, name)
		}
	}
}

// An update of a component that was never inserted is refused.
func TestUpdateOfWhatIsNotThereIsRefused(t *testing.T) {
	g := newCopyGame(t, 1)
	g.send()
	applier := g.copies[0].applier
	comps := set.MaskOf(0)
	applier.Replicas.Info[0].mask.Clear(0)
	applier.Replicas.entities[0].holds = 0
	before := g.copies[0].shows()
	require.ErrorIs(t, updateEntity(applier, 0, 9, &comps, &bits.Reader{}, nil), errNotThere)
	require.Equal(t, before, g.copies[0].shows())
}

// The same holds for a component that was inserted and removed, although the applier caches the
// sets of an entity.
func TestUpdateOfWhatIsNotThereAnyMoreIsRefused(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(1), h.one(0))
	require.NoError(t, h.update(1, h.links(2), h.one(0)))
	h.record(func() { h.state(1, h.one(0)) })
	h.world.Add(h.entity(1), ecs.ComponentID[heldLinks](h.world)) // by the game, which does not count as inserted
	require.ErrorIs(t, h.update(1, h.links(3), h.one(0)), errNotThere)
	require.NoError(t, h.update(1, h.one(0)))
}

// Updates of more sets than are cached work as well.
func TestUpdatesOfManySets(t *testing.T) {
	h := newHand(t)
	for g := repl.Handle(1); g < 4; g++ {
		h.come(g, h.links(1), h.one(0), heldTag{})
	}
	h.applier.sets.list = make([]componentSet, maxSets)
	for i := range int16(20) {
		for g := repl.Handle(1); g < 4; g++ {
			require.NoError(t, h.update(g, h.links(i), h.one(g)))
			require.NoError(t, h.update(g, h.links(i), heldTag{}))
			assert.Equal(t, i, at[heldLinks](h, g).Count)
			assert.Equal(t, h.entity(g), at[heldOne](h, g).To)
		}
	}
	assert.Len(t, h.applier.sets.list, maxSets)
	h.record(func() { h.state(1, h.one(0)) })
	require.ErrorIs(t, h.update(1, h.links(3), h.one(0)), errNotThere)
}

type (
	copiedLeft struct {
		N uint8 `net:"range=0..99"`
	}
	copiedRight struct {
		N uint8 `net:"range=0..99"`
	}
)

// Of several short values, none is written if one is malformed. Components that the game removed
// come back.
func TestShortValuesAreWrittenTogether(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "copy test"})
	protocol.Component[copiedLeft](p)
	protocol.Component[copiedRight](p)
	require.NoError(t, registry.Seal(p))
	c := newCopyOf(registry.Of(p).Components, false)
	wire := func(values ...uint64) *bits.Reader {
		var w bits.Writer
		for _, v := range values {
			w.Bits(v, 7)
		}
		r := &bits.Reader{}
		r.Reset(w.Finish())
		return r
	}
	c.applier.Begin(1, 1)
	s, r := c.applier.Spawn(repl.ID{}), wire(1, 2)
	c.applier.Member(s, true)
	require.NoError(t, c.applier.Insert(r, 0, nil))
	require.NoError(t, c.applier.Insert(r, 1, nil))
	c.applier.Commit()
	e, comps := c.applier.Replicas.Entity(s), set.MaskOf(0, 1)
	left, right := ecs.ComponentID[copiedLeft](c.world), ecs.ComponentID[copiedRight](c.world)
	shows := func(l, r uint8) {
		t.Helper()
		assert.Equal(t, l, (*copiedLeft)(c.world.Get(e, left)).N)
		assert.Equal(t, r, (*copiedRight)(c.world.Get(e, right)).N)
	}
	for _, wrong := range []*bits.Reader{wire(5, 100), wire(100, 5), wire(5), wire()} {
		c.events = nil
		require.Error(t, updateEntity(c.applier, s, 2, &comps, wrong, nil))
		shows(1, 2)
		tick, _ := c.applier.Replicas.Tick(e)
		assert.EqualValues(t, 1, tick)
		assert.Empty(t, c.events)
	}
	require.NoError(t, updateEntity(c.applier, s, 3, &comps, wire(5, 6), nil))
	shows(5, 6)
	c.world.Remove(e, right)
	require.NoError(t, updateEntity(c.applier, s, 4, &comps, wire(7, 8), nil))
	shows(7, 8)
	tick, _ := c.applier.Replicas.Tick(e)
	assert.EqualValues(t, 4, tick)
	c.world.RemoveEntity(e)
	require.NoError(t, updateEntity(c.applier, s, 5, &comps, wire(7, 8), nil))
}

type copiedPart[T any] struct{ V T }

// An update of more components than are decoded in one call is applied as well.
func TestUpdateOfManyComponents(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "copy test"})
	protocol.Component[copiedPart[int8]](p)
	protocol.Component[copiedPart[int16]](p)
	protocol.Component[copiedPart[int32]](p)
	protocol.Component[copiedPart[int64]](p)
	protocol.Component[copiedPart[uint8]](p)
	protocol.Component[copiedPart[uint16]](p)
	protocol.Component[copiedPart[uint32]](p)
	protocol.Component[copiedPart[uint64]](p)
	protocol.Component[copiedPart[bool]](p)
	require.NoError(t, registry.Seal(p))
	infos := registry.Of(p).Components
	require.Greater(t, len(infos), atOnce)
	w := ecs.NewWorld()
	collector, err := source.NewCollector(&w, infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	g := &copyGame{t: t, world: &w, collector: collector, peer: collector.World.NewPeer()}
	g.copies = [2]*copyOf{newCopyOf(infos, false), newCopyOf(infos, true)}
	ids := []ecs.ID{ecs.ComponentID[components.Replicate](&w)}
	for _, info := range infos {
		ids = append(ids, ecs.TypeID(&w, info.Type))
	}
	e := w.NewEntity(ids...)
	g.send()
	for _, id := range ids[1:] {
		*(*byte)(w.Get(e, id)) = 1
	}
	g.send()
	require.Equal(t, g.copies[1].events, g.copies[0].events)
	for _, c := range g.copies {
		require.Equal(t, uint64(1), c.receiver.Stats().Updates)
		for _, info := range infos {
			got := c.world.Get(c.applier.Replicas.entities[0].entity, ecs.TypeID(c.world, info.Type))
			first := *(*byte)(got)
			assert.Equal(t, byte(1), first, info.Name)
		}
	}
}

// newRunGame returns a game of many entities that move all at once, most of them of one archetype.
func newRunGame(t *testing.T, seed uint64) *copyGame {
	g := newCopyGame(t, seed)
	g.room = 400
	marker, place, flag := ecs.ComponentID[components.Replicate](g.world), ecs.ComponentID[copiedPlace](g.world), ecs.ComponentID[copiedFlag](g.world)
	for i := range 80 {
		ids := []ecs.ID{marker, place}
		if i/20 == 2 {
			ids = append(ids, flag)
		}
		g.entities = append(g.entities, g.world.NewEntity(ids...))
	}
	return g
}

// move changes the positions of nearly all entities, and nothing else.
func (g *copyGame) move() {
	place, rest := ecs.ComponentID[copiedPlace](g.world), g.rng.IntN(3)
	for _, e := range g.entities {
		if g.world.Has(e, place) && g.rng.IntN(50) >= rest {
			*(*copiedPlace)(g.world.Get(e, place)) = copiedPlace{float32(g.rng.IntN(200) - 100), float32(g.rng.IntN(200) - 100)}
		}
	}
}

// own is a component that the game adds to its replicas.
type own struct{ N int16 }

// disturb changes the structure of both copies, as a game may.
func (g *copyGame) disturb() {
	at, what := g.rng.IntN(len(g.entities)), g.rng.IntN(8)
	for _, c := range g.copies {
		e := c.applier.Replicas.entities[at].entity
		if !c.world.Alive(e) {
			continue
		}
		id := ecs.ComponentID[own](c.world)
		switch what {
		case 0:
			c.world.RemoveEntity(e)
		case 1:
			id = ecs.ComponentID[components.Remote](c.world)
		case 2:
			id = ecs.ComponentID[copiedPlace](c.world)
		}
		switch {
		case what == 0:
		case c.world.Has(e, id):
			c.world.Remove(e, id)
		default:
			c.world.Add(e, id)
		}
	}
}

// A run in one call has the same result as its records one by one, whatever the game does to the
// replicas between frames, also if a frame changes structure.
func TestARunInOneCallIsItsRecordsOneByOne(t *testing.T) {
	unmatched := 0
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestARunInOneCallIsItsRecordsOneByOne/seed=%d$'", seed)
				}
			}()
			g := newRunGame(t, seed)
			longest, bent := 0, 0
			for range 60 {
				for g.tick > 10 && g.rng.IntN(3) > 0 {
					g.disturb()
				}
				if g.rng.IntN(10) == 0 {
					g.change()
				}
				g.move()
				g.send()
				g.requireSame()
				found := &g.copies[0].applier.block.found
				longest, unmatched = max(longest, len(found.Rows)), unmatched+found.Others
				if !found.Straight {
					bent++
				}
			}
			assert.Greater(t, longest, 10)
			assert.NotZero(t, bent)
		})
	}
	assert.NotZero(t, unmatched)
}

// If a run ends early or has a malformed value, only the records before that point are applied.
func TestARunThatIsWrongChangesWhatStandsBefore(t *testing.T) {
	g := newRunGame(t, 1)
	g.send()
	g.move()
	g.tick++
	require.NoError(t, g.collector.Observe(g.tick))
	frame := g.peer.AppendUpdates(nil, repl.MaxUpdateBytes, g.packet)
	fresh := newRunGame(t, 1)
	fresh.send()
	for bit := range 8 * len(frame) {
		wrong := append([]byte(nil), frame...)
		wrong[bit/8] ^= 1 << (bit % 8)
		fresh.tick++
		var errs [2]error
		for i, c := range fresh.copies {
			errs[i] = c.receiver.HandleUpdates(fresh.tick, wrong[:len(wrong)-bit%3])
		}
		require.Equal(t, errs[1] == nil, errs[0] == nil, "%v and %v", errs[0], errs[1])
		fresh.requireSame()
	}
}

type copiedPath struct {
	X, Y float32 `net:"range=-500..500,step=0.01"`
}

// Several updates in one run, with values that are sent as differences, are records of their own: each
// leads to the value of its entity.
//
// Proves: R30
func TestARunOfDifferencesLeadsToTheValues(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "paths"})
	protocol.Component[copiedPath](p).Delta().Motion()
	require.NoError(t, registry.Seal(p))
	infos := registry.Of(p).Components
	w := ecs.NewWorld()
	collector, err := source.NewCollector(&w, infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	marker, path := ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[copiedPath](&w)
	g := &copyGame{t: t, world: &w, collector: collector, peer: collector.World.NewPeer(), room: 1000}
	for range 5 {
		g.entities = append(g.entities, w.NewEntity(marker, path))
	}
	g.copies = [2]*copyOf{newCopyOf(infos, false), newCopyOf(infos, false)}
	for n := range 30 {
		for i, e := range g.entities {
			*(*copiedPath)(w.Get(e, path)) = copiedPath{X: float32((i + 1) * n), Y: float32(n*n) / 4}
		}
		g.send()
		copied := g.copies[0]
		for i, e := range g.entities {
			at := copied.applier.Replicas.entities[i].entity
			require.Equal(t, *(*copiedPath)(w.Get(e, path)), *(*copiedPath)(copied.world.Get(at, ecs.ComponentID[copiedPath](copied.world))))
		}
	}
}
