package input

import (
	"log/slog"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	trigger struct{ Pull uint8 } // an input
	pellet  struct {             // the blueprint of what it fires
		components.At
		Pull uint8
	}
	slug struct { // the blueprint of what some inputs fire as well
		components.At
		Pull uint8
	}
	shard struct{ Size int32 }
)

// bothPull is the Pull that fires a pellet and a slug.
const bothPull = 100

func triggerProtocol(t *testing.T) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "trigger"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.Prespawned](p)
	protocol.Blueprint(p, func(*ecs.World, ecs.Entity, pellet) struct{ shard } { return struct{ shard }{} })
	protocol.Blueprint(p, func(*ecs.World, ecs.Entity, slug) struct{ shard } { return struct{ shard }{} })
	protocol.Input[trigger](p)
	protocol.Intent(p, func(_ ecs.Entity, in trigger) (pellet, bool) { return pellet{Pull: in.Pull}, true }, components.Replicate{})
	protocol.Intent(p, func(_ ecs.Entity, in trigger) (slug, bool) { return slug{Pull: in.Pull}, in.Pull == bothPull }, components.Replicate{})
	require.NoError(t, registry.Seal(p))
	return p
}

// pellets returns the ticks in which a world's pellets are assembled, and by what inputs they were fired.
func pellets(w *ecs.World) map[entangle.Tick]uint8 {
	all := map[entangle.Tick]uint8{}
	id := ecs.ComponentID[pellet](w)
	for q := w.Query(ecs.All(id)); q.Next(); {
		b := (*pellet)(q.Get(id))
		all[b.Tick] = b.Pull
	}
	return all
}

// battery is a server's world with the entity of one client.
type battery struct {
	t       *testing.T
	world   ecs.World
	inputs  *Inputs
	player  *InputPlayer
	shooter ecs.Entity
	tick    entangle.Tick
}

func newBattery(t *testing.T) *battery {
	b := &battery{t: t, world: ecs.NewWorld(), tick: 1000}
	w, p := &b.world, triggerProtocol(t)
	collector, err := source.NewCollector(w, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	b.inputs = NewServerInputs(w, event.InstallHub(w), p, collector, b.tick)
	b.inputs.FireBy(source.NewIntents(w, registry.Of(p), true))
	b.player = b.join(1)
	b.shooter = w.NewEntity(ecs.ComponentID[trigger](w), ecs.ComponentID[components.ControlledBy](w))
	b.control(1)
	b.run(1)
	return b
}

func (b *battery) join(id entangle.ClientID) *InputPlayer {
	p := b.inputs.Received.NewPlayer(id, timesync.NewMeter(timesync.MeterConfig{TickRate: 60}))
	b.inputs.Received.Admit(p)
	return p
}

func (b *battery) control(by entangle.ClientID) {
	(*components.ControlledBy)(b.world.Get(b.shooter, ecs.ComponentID[components.ControlledBy](&b.world))).Client = by
}

// run runs ticks.
func (b *battery) run(ticks int) {
	for range ticks {
		b.tick++
		b.inputs.SpawnIntents()
		b.inputs.Buffer()
		b.inputs.Write(b.tick)
	}
}

// arrives makes inputs of the shooter arrive, for a number of ticks up to one. A pull of 0 stands for no input.
func (b *battery) arrives(newest entangle.Tick, ticks int, epoch input.Epoch, pull uint8) {
	c := b.inputs.Received
	stream := c.kinds[0].streams[b.shooter]
	w := input.NewWriter(stream.passed.codec, 60, epoch)
	for i := range ticks {
		if pull == 0 {
			w.WriteNone(newest-entangle.Tick(ticks-1-i), 0)
		} else {
			w.Write(newest-entangle.Tick(ticks-1-i), 0, []byte{pull})
		}
	}
	var body input.Body
	var composer input.Composer
	require.True(b.t, body.Encode(w, newest, ticks))
	composer.Begin(nil, entangle.MaxPayload, newest)
	composer.Stream(0)
	require.True(b.t, composer.Put(&body))
	var f input.Frame
	f.OpenDown(composer.Finish(), newest, 1)
	require.True(b.t, f.Next())
	c.intents.addArrived(stream, f.Put(stream.reader), repl.ID{Group: 5})
	require.NoError(b.t, f.Err())
}

// Each input fires once, when it has arrived: none that comes again with another value, none that says that there is
// no input, and none of a tick that has run.
//
// Proves: T11, T13
func TestAnInputFiresOnce(t *testing.T) {
	b := newBattery(t)
	b.arrives(b.tick+6, 3, 0, 7)
	assert.Empty(t, pellets(&b.world))
	b.inputs.SpawnIntents()
	want := map[entangle.Tick]uint8{b.tick + 4: 7, b.tick + 5: 7, b.tick + 6: 7}
	assert.Equal(t, want, pellets(&b.world))
	assert.Empty(t, b.inputs.Received.intents.arrived)
	b.arrives(b.tick+6, 3, 0, 7)
	b.arrives(b.tick+6, 3, 1, 9)
	b.arrives(b.tick+8, 2, 1, 0)
	b.arrives(b.tick-2, 3, 1, 9)
	b.inputs.SpawnIntents()
	assert.Equal(t, want, pellets(&b.world))
	assert.EqualValues(t, 3, b.inputs.Stats().Intents)
	assert.Zero(t, b.inputs.Stats().IntentsCrowded)
}

// After its clock was set back, a client makes inputs of the same ticks again. They fire in the ticks in which no earlier
// one has: a tick that had no input fires now, and one that has fired does not fire again.
//
// Proves: T10, T13
func TestAnInputThatReplacesOthersFires(t *testing.T) {
	b := newBattery(t)
	b.arrives(b.tick+8, 4, 0, 0)
	b.arrives(b.tick+9, 1, 0, 7)
	b.inputs.SpawnIntents()
	b.arrives(b.tick+9, 3, 1, 9)
	b.inputs.SpawnIntents()
	assert.Equal(t, map[entangle.Tick]uint8{b.tick + 7: 9, b.tick + 8: 9, b.tick + 9: 7}, pellets(&b.world))
	assert.EqualValues(t, 3, b.inputs.Stats().Intents)
}

// The inputs of a client fire a bounded number of entities of ticks to come. What was assembled makes room.
//
// Proves: T13
func TestFiredEntitiesThatWaitAreBounded(t *testing.T) {
	b := newBattery(t)
	b.player.waiting = make([]entangle.Tick, MaxWaitingIntents-1)
	for i := range b.player.waiting {
		b.player.waiting[i] = b.tick + 2
	}
	b.arrives(b.tick+4, 2, 0, 7)
	b.inputs.SpawnIntents()
	assert.Len(t, pellets(&b.world), 1)
	assert.EqualValues(t, 1, b.inputs.Stats().IntentsCrowded)
	b.run(1)
	b.arrives(b.tick+4, 1, 0, 7)
	b.inputs.SpawnIntents()
	assert.Len(t, pellets(&b.world), 1)
	b.run(1)
	b.arrives(b.tick+4, 1, 0, 7)
	b.inputs.SpawnIntents()
	assert.Len(t, pellets(&b.world), 2)
	assert.EqualValues(t, 2, b.inputs.Stats().IntentsCrowded)
	assert.Len(t, b.player.waiting, 2)
}

// An input that fires several entities fires as many of them as there is room for.
//
// Proves: T13
func TestAnInputThatFiresTwiceIsBounded(t *testing.T) {
	b := newBattery(t)
	for range MaxWaitingIntents - 3 {
		b.player.waiting = append(b.player.waiting, b.tick+20)
	}
	b.arrives(b.tick+4, 2, 0, bothPull)
	b.inputs.SpawnIntents()
	assert.Len(t, b.player.waiting, MaxWaitingIntents)
	assert.EqualValues(t, 3, b.inputs.Stats().Intents)
	assert.EqualValues(t, 1, b.inputs.Stats().IntentsCrowded)
}

// An input of an entity that has changed hands, or is gone, since the input arrived fires nothing.
//
// Proves: T13
func TestTheInputOfAFormerOwnerFiresNothing(t *testing.T) {
	for name, change := range map[string]func(b *battery){
		"changed hands": func(b *battery) { b.control(2) },
		"and back": func(b *battery) {
			b.control(2)
			b.inputs.Received.applyInputs(b.tick + 1)
			b.control(1)
			b.inputs.Received.applyInputs(b.tick + 2)
		},
		"gone":              func(b *battery) { b.world.RemoveEntity(b.shooter) },
		"without the input": func(b *battery) { b.world.Remove(b.shooter, ecs.ComponentID[trigger](&b.world)) },
		"disconnected":      func(b *battery) { b.inputs.Received.Dismiss(b.player) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBattery(t)
			b.join(2)
			b.arrives(b.tick+6, 1, 0, 7)
			change(b)
			b.inputs.SpawnIntents()
			assert.Empty(t, pellets(&b.world))
		})
	}
}

// gunner is a client's world with an entity of its player.
type gunner struct {
	world   ecs.World
	inputs  *Inputs
	shooter ecs.Entity
	known   bool // the server's
	may     bool // the prediction is ready
	fired   []entangle.Tick
}

func (g *gunner) BeginIntent() bool                                 { return g.may }
func (g *gunner) Intend(_ ecs.Entity, _ uint32, tick entangle.Tick) { g.fired = append(g.fired, tick) }
func (g *gunner) Intends(uint32) bool                               { return false }
func (g *gunner) NetworkID(ecs.Entity) (repl.ID, bool)              { return repl.ID{Group: 5}, g.known }

func (g *gunner) pull() *trigger {
	return (*trigger)(g.world.Get(g.shooter, ecs.ComponentID[trigger](&g.world)))
}

func newGunner(t *testing.T, delay int) *gunner {
	g := &gunner{world: ecs.NewWorld(), known: true, may: true}
	w, p := &g.world, triggerProtocol(t)
	g.inputs = NewClientInputs(w, event.InstallHub(w), p)
	g.inputs.FireBy(source.NewIntents(w, registry.Of(p), false))
	g.inputs.PredictIntentsBy(g)
	g.inputs.own.delay = func() int { return delay }
	g.shooter = w.NewEntity(ecs.ComponentID[trigger](w), ecs.ComponentID[components.Controlled](w))
	return g
}

// write writes the input of a tick. A pull of 0 stands for no input.
func (g *gunner) write(tick entangle.Tick, pull uint8) {
	g.inputs.Buffer()
	if g.pull().Pull = pull; pull == 0 {
		g.inputs.None(0, g.shooter)
	}
	g.inputs.Write(tick)
	g.inputs.Clear()
}

// The player's inputs fire when they are written, for the tick in which they act, each once: from the first on, also in
// the second half of all ticks, and when the clock was set forward or back.
//
// Proves: T7
func TestTheFirstInputFires(t *testing.T) {
	for _, start := range []entangle.Tick{1000, 3_000_000_000} {
		g := newGunner(t, 3)
		for i := range entangle.Tick(3) {
			g.write(start+i, 7)
		}
		assert.Equal(t, []entangle.Tick{start + 3, start + 4, start + 5}, g.fired)
		g.write(start+3, 0)
		assert.Len(t, g.fired, 3, "there is no input in this tick")
		g.fired = nil
		g.inputs.Jump(-20)
		g.write(start-16, 7)
		g.write(start-15, 7)
		assert.Equal(t, []entangle.Tick{start - 13, start - 12}, g.fired)
		g.inputs.Jump(-1)
		g.write(start-15, 7)
		g.write(start-14, 7)
		assert.Equal(t, []entangle.Tick{start - 13, start - 12, start - 12, start - 11}, g.fired)
	}
}

// A player fires nothing before the server knows the entity, and before the clock is set.
//
// Proves: T7
func TestAPlayerFiresWhenTheServerKnowsItsEntity(t *testing.T) {
	g := newGunner(t, 0)
	g.known = false
	g.write(1000, 7)
	g.known, g.may = true, false
	g.write(1001, 7)
	assert.Empty(t, pellets(&g.world))
	g.may = true
	g.write(1002, 7)
	assert.Equal(t, map[entangle.Tick]uint8{1002: 7}, pellets(&g.world))
}

// The entity that a player fires has the hash of the server's, which knows the shooter by the id that the client sends.
//
// Proves: T12
func TestBothSidesGiveAShotOneHash(t *testing.T) {
	b, g := newBattery(t), newGunner(t, 0)
	g.inputs.own.me = func() entangle.ClientID { return 1 }
	tick := b.tick + 6
	b.arrives(tick, 1, 0, 7)
	b.inputs.SpawnIntents()
	g.write(tick, 7)
	hash := func(w *ecs.World) (hash uint32) {
		id := ecs.ComponentID[components.Prespawned](w)
		for q := w.Query(ecs.All(id)); q.Next(); {
			hash = (*components.Prespawned)(q.Get(id)).Hash
		}
		return hash
	}
	assert.NotZero(t, hash(&b.world))
	assert.Equal(t, hash(&b.world), hash(&g.world))
}
