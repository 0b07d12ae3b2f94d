package plugin_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/mlange-42/arche-model/model"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// Proves: R2
func TestTaggingLaterSpawnsThen(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	m := generic.NewMap2[spot, name](g.world)
	e := m.NewWith(&spot{3, 4}, &name{9})
	g.run(30)
	require.Empty(t, spots(c.world))
	tag := generic.NewMap1[components.Replicate](g.world)
	tag.Add(e)
	g.run(5)
	assert.Equal(t, map[uint32]spot{9: {3, 4}}, spots(c.world))
}

// A component that is not registered is not sent, and its developer gets one warning in the log.
//
// Proves: R8
func TestAnUnregisteredComponentIsNotSent(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	c := g.join(1)
	for id := range uint32(3) {
		e := g.spawn(spot{}, name{id})
		secrets := generic.NewMap1[private](g.world)
		secrets.Add(e)
	}
	g.run(30)
	assert.Len(t, spots(c.world), 3)
	assert.Zero(t, count[private](c.world))
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("private")), log.String())
}

// A component that stays on the server on purpose gives no warning. Clients need not know it: one
// side registers it, the other does not.
//
// Proves: R8
func TestAComponentThatIsUnsentOnPurposeIsNoWarning(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		protocol.Unsent[private](c.Protocol)
		protocol.Local[gauge](c.Protocol)
	})
	c := g.join(1)
	for id := range uint32(3) {
		e := g.spawn(spot{}, name{id})
		secrets := generic.NewMap2[private, gauge](g.world)
		secrets.Add(e)
	}
	g.run(30)
	assert.Len(t, spots(c.world), 3)
	assert.Zero(t, count[private](c.world))
	for _, component := range []string{"private", "gauge"} {
		assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte(component)), log.String())
	}
	assert.NotContains(t, log.String(), "WARN")
	assert.Equal(t, 2, bytes.Count(log.Bytes(), []byte("level=DEBUG msg=\"a component on a replicated entity is not sent")), log.String())
}

// A written value that equals the previous one is no change: nothing is sent.
//
// Proves: R16
func TestWritingAnEqualValueSendsNothing(t *testing.T) {
	g := newGame(t)
	g.join(1)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(60)
	before := g.server.Stats().Replication
	for range 60 {
		*at[spot](g.world, e) = spot{1, 2}
		g.run(1)
	}
	assert.Equal(t, before, g.server.Stats().Replication)
	at[spot](g.world, e).X = 9
	g.run(1)
	assert.Equal(t, before.Updates+1, g.server.Stats().Replication.Updates)
}

// watcher records replication events as text.
type watcher struct{ seen []string }

func (o *watcher) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		spawned, despawned := plugin.NewReader[plugin.EntitySpawned](w), plugin.NewReader[plugin.EntityDespawned](w)
		inserted, removed := plugin.NewReader[plugin.ComponentInserted[flag]](w), plugin.NewReader[plugin.ComponentRemoved[flag]](w)
		updated := plugin.NewReader[plugin.ComponentUpdated[spot]](w)
		whole := generic.NewFilter3[spot, name, components.Remote]()
		return func() {
			for range spawned.Read() {
				query := whole.Query(w)
				o.seen = append(o.seen, map[bool]string{true: "spawned whole", false: "spawned in part"}[query.Count() == 1])
				query.Close()
			}
			for _, e := range despawned.Read() {
				o.seen = append(o.seen, map[bool]string{true: "despawned alive", false: "despawned"}[w.Alive(e.Entity)])
			}
			for range inserted.Read() {
				o.seen = append(o.seen, "inserted")
			}
			for range updated.Read() {
				o.seen = append(o.seen, "updated")
			}
			for range removed.Read() {
				o.seen = append(o.seen, "removed")
			}
		}
	})
}

func (o *watcher) take() []string {
	seen := o.seen
	o.seen = nil
	return seen
}

// Systems get every change once. An entity is complete at its spawn event, and components that
// arrived together are present together.
//
// Proves: R25, R38
func TestChangesAreToldOnceAndWhole(t *testing.T) {
	g := newGame(t)
	var o watcher
	g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.FixedMain, o.system()) })
	g.run(30)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(5)
	assert.Equal(t, []string{"spawned whole"}, o.take())
	at[spot](g.world, e).X++
	g.run(5)
	assert.Equal(t, []string{"updated"}, o.take())
	flags := generic.NewMap1[flag](g.world)
	flags.Add(e)
	g.run(5)
	assert.Equal(t, []string{"inserted"}, o.take())
	flags.Remove(e)
	g.run(5)
	assert.Equal(t, []string{"removed"}, o.take())
	g.world.RemoveEntity(e)
	g.run(5)
	assert.Equal(t, []string{"despawned"}, o.take())
}

// Removing Replicate pauses an entity: clients keep it as it was and late joiners do not see it.
// Adding Replicate again catches up on the same entity.
func TestTakingTheTagOffPauses(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(30)
	tags := generic.NewMap1[components.Replicate](g.world)
	at[spot](g.world, e).X = 5
	g.run(1) // in flight when the pause begins
	tags.Remove(e)
	at[spot](g.world, e).X = 6
	late := g.join(2)
	g.run(60)
	assert.Equal(t, map[uint32]spot{7: {5, 2}}, spots(c.world))
	assert.Empty(t, spots(late.world))
	tags.Add(e)
	g.run(5)
	assert.Equal(t, map[uint32]spot{7: {6, 2}}, spots(c.world))
	assert.Equal(t, spots(c.world), spots(late.world))
	assert.Equal(t, 1, count[components.Remote](c.world))
}

// A value written between ticks is sent only after the next tick, so that a client never shows a
// state that no tick had.
func TestNothingIsSentBetweenTicks(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(30)
	g.now = g.now.Add(time.Millisecond) // past the start of the next tick
	g.server.Step(g.now)
	before := g.server.Stats().Replication
	for range 5 {
		at[spot](g.world, e).X++
		g.now = g.now.Add(time.Millisecond)
		g.server.Step(g.now)
		c.Step(g.now)
	}
	assert.Equal(t, before, g.server.Stats().Replication)
	assert.Equal(t, map[uint32]spot{7: {1, 2}}, spots(c.world))
	g.run(1)
	assert.Equal(t, map[uint32]spot{7: {6, 2}}, spots(c.world))
}

// All packets are read before the first tick of a frame, and all are sent after the last. A
// client's message is available in the tick of the frame in which it arrives, and the result of
// that tick leaves in the same frame.
//
// Proves: O2
func TestAFrameReadsFirstAndSendsLast(t *testing.T) {
	heard := 0
	g := newGame(t, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			read := plugin.NewReader[plugin.MessageReceived[steer]](w)
			m := generic.NewMap3[spot, name, components.Replicate](w)
			return func() {
				for range read.Read() {
					heard++
					m.NewWith(&spot{}, &name{uint32(heard)}, &components.Replicate{})
				}
			}
		}))
	})
	c := g.join(1)
	g.run(30)
	steers := plugin.NewSender[steer](c.world)
	require.NoError(t, steers.Send(components.Server, steer{1, 0}))
	g.run(1) // leaves the client at the end of its frame
	require.Zero(t, heard)
	g.run(1) // read, ticked and answered in one frame of the server
	require.Equal(t, 1, heard)
	assert.Len(t, spots(c.world), 1)
}

// A server is a system of an arche-model app like any other.
func TestAServerRunsInAnArcheModelApp(t *testing.T) {
	g := newGame(t)
	app := model.New()
	app.TPS, app.FPS = 0, 0
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), Key: g.key, Clock: g.clock, TickPerUpdate: true})
	require.NoError(t, err)
	app.AddSystem(server)
	app.Initialize()
	g.place = g.network.Listener()
	require.NoError(t, server.Start(g.place))
	g.server, g.world = server, &app.World
	c := g.join(1)
	g.spawn(spot{1, 2}, name{7})
	for range 30 {
		app.Update()
		g.now = g.now.Add(time.Second / 60)
		c.Step(g.now)
	}
	assert.Equal(t, map[uint32]spot{7: {1, 2}}, spots(c.world))
	assert.EqualValues(t, 30, server.Tick())
	app.Finalize()
	assert.Equal(t, plugin.Stopped, server.State())
}
