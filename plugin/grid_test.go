package plugin_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
)

// field is a game with a grid by spots, in which viewers see entities up to 100 away, and keep
// visible ones up to 120.
type field struct {
	*game
	grid *plugin.Grid[spot]
	a, b *player
}

func newField(t *testing.T, adjust ...func(*plugin.GridConfig)) *field {
	config := plugin.GridConfig{Radius: 100, Hysteresis: 0.2}
	for _, f := range adjust {
		f(&config)
	}
	f := &field{grid: plugin.NewGrid(config, spotOf)}
	f.game = newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.BeforeSend, f.grid) })
	f.a, f.b = f.join(1), f.join(2)
	f.run(30)
	return f
}

func spotOf(s *spot) (x, y float32) { return s.X, s.Y }

// viewer spawns a viewer for a client at 0, 0.
func (f *field) viewer(v components.Viewer, client entangle.ClientID) ecs.Entity {
	m := generic.NewMap3[spot, components.Viewer, components.ControlledBy](f.world)
	return m.NewWith(&spot{}, &v, &components.ControlledBy{Client: client})
}

// thing spawns an entity with relevance ByInterest.
func (f *field) thing(id uint32, x float32) ecs.Entity {
	m := generic.NewMap3[spot, name, components.Replicate](f.world)
	return m.NewWith(&spot{X: x}, &name{id}, &components.Replicate{Relevance: components.ByInterest})
}

func (f *field) move(e ecs.Entity, x float32) {
	at[spot](f.world, e).X = x
	f.run(10)
}

// An entity within the radius of a client's viewer spawns on the client, and despawns when its
// distance exceeds the radius plus the hysteresis. Between the two distances an entity stays
// visible or invisible, as it was.
//
// Proves: V12
func TestWhatComesNearAppears(t *testing.T) {
	f := newField(t)
	f.viewer(components.Viewer{}, 1)
	f.viewer(components.Viewer{Radius: 10}, 2)
	f.spawn(spot{X: 1e6}, name{1}) // relevance Always: the grid does not decide its visibility
	e := f.thing(7, 101)
	f.run(10)
	assert.Equal(t, []uint32{1}, f.a.ids())
	f.move(e, 99)
	assert.Equal(t, []uint32{1, 7}, f.a.ids())
	assert.Equal(t, spot{X: 99}, spots(f.a.world)[7])
	assert.Equal(t, []uint32{1}, f.b.ids(), "its viewer does not see as far")
	kept := f.a.copies()[7]
	for _, x := range []float32{110, 90, 119, -119} {
		f.move(e, x)
		assert.Equal(t, kept, f.a.copies()[7])
		assert.Equal(t, spot{X: x}, spots(f.a.world)[7])
	}
	f.move(e, 121)
	assert.Equal(t, []uint32{1}, f.a.ids())
	f.move(e, 119)
	assert.Equal(t, []uint32{1}, f.a.ids(), "it is not near enough to come")
	f.move(e, 5)
	assert.Equal(t, []uint32{1, 7}, f.a.ids())
	assert.Equal(t, []uint32{1, 7}, f.b.ids())
}

// An entity spawned within the radius is sent with the tick of its spawn.
func TestWhatIsSpawnedInSightIsSentAtOnce(t *testing.T) {
	f := newField(t)
	f.viewer(components.Viewer{}, 1)
	f.run(10)
	sent := f.server.Stats().Replication
	f.thing(7, 1)
	f.run(1)
	assert.NotEqual(t, sent, f.server.Stats().Replication)
	f.run(5)
	assert.Equal(t, []uint32{7}, f.a.ids())
}

// Passes run in the ticks that are multiples of Every, and find all changes in between.
//
// Proves: V12
func TestPassesAreAsOftenAsIsSaid(t *testing.T) {
	f := newField(t, func(c *plugin.GridConfig) { c.Every = 50 })
	untilPass := func(ticks entangle.Tick) {
		for f.server.Tick()%50 != 50-ticks {
			f.run(1)
		}
	}
	untilPass(40)
	f.viewer(components.Viewer{}, 1)
	e := f.thing(7, 1)
	f.run(30)
	assert.Empty(t, f.a.ids())
	f.run(20)
	assert.Equal(t, []uint32{7}, f.a.ids())
	untilPass(40)
	at[spot](f.world, e).X = 1000
	f.run(30)
	assert.Equal(t, []uint32{7}, f.a.ids())
	f.run(20)
	assert.Empty(t, f.a.ids())
}

// A viewer with a room works for all clients in the room.
//
// Proves: V12
func TestARoomSeesWhatItsViewersSee(t *testing.T) {
	f := newField(t)
	rooms := plugin.NewRooms(f.world)
	f.viewer(components.Viewer{Room: roomA}, 2)
	f.thing(7, 50)
	f.run(10)
	assert.Empty(t, f.b.ids(), "it sees for the room alone")
	rooms.AddClient(roomA, 1)
	f.run(10)
	assert.Equal(t, []uint32{7}, f.a.ids())
	rooms.AddClient(roomA, 2)
	f.run(10)
	assert.Equal(t, []uint32{7}, f.b.ids())
	rooms.RemoveClient(roomA, 1)
	f.run(10)
	assert.Empty(t, f.a.ids())
	assert.Equal(t, []uint32{7}, f.b.ids())
}

// Visibility ends when its viewer is removed, when the viewer loses the components that make it
// one, and with the connection. A viewer without an owner sees for no client.
//
// Proves: V12, V14
func TestSightEndsWithItsViewer(t *testing.T) {
	ends := map[string]func(f *field, viewer ecs.Entity){
		"despawned":   func(f *field, v ecs.Entity) { f.world.RemoveEntity(v) },
		"blind":       func(f *field, v ecs.Entity) { f.world.Remove(v, ecs.ComponentID[components.Viewer](f.world)) },
		"nowhere":     func(f *field, v ecs.Entity) { f.world.Remove(v, ecs.ComponentID[spot](f.world)) },
		"of nobody":   func(f *field, v ecs.Entity) { f.world.Remove(v, ecs.ComponentID[components.ControlledBy](f.world)) },
		"of another":  func(f *field, v ecs.Entity) { at[components.ControlledBy](f.world, v).Client = 2 },
		"of a room":   func(f *field, v ecs.Entity) { at[components.Viewer](f.world, v).Room = roomA },
		"not looking": func(f *field, v ecs.Entity) { at[components.Viewer](f.world, v).Radius = -1 },
		"astray":      func(f *field, v ecs.Entity) { at[spot](f.world, v).X = float32(math.NaN()) },
	}
	for how, end := range ends {
		t.Run(how, func(t *testing.T) {
			f := newField(t)
			v := f.viewer(components.Viewer{}, 1)
			f.thing(7, 50)
			f.run(10)
			assert.Equal(t, []uint32{7}, f.a.ids())
			assert.Zero(t, f.grid.Invalid())
			end(f, v)
			f.run(10)
			assert.Empty(t, f.a.ids())
			assert.Equal(t, how == "astray", f.grid.Invalid() > 0)
		})
	}
}

// A client that reconnects does not keep entities visible that are between the two distances. Nor
// does an entity inherit the visibility of another one that had its place in the world's memory.
//
// Proves: V14
func TestSightIsNotInherited(t *testing.T) {
	f := newField(t)
	f.viewer(components.Viewer{}, 1)
	e := f.thing(7, 50)
	f.run(10)
	f.world.RemoveEntity(e)
	e = f.thing(8, 110)
	f.run(10)
	assert.Empty(t, f.a.ids())
	f.move(e, 50)
	f.move(e, 110)
	assert.Equal(t, []uint32{8}, f.a.ids())
	f.a.Disconnect()
	f.run(10)
	f.connect(f.a, 1)
	f.viewer(components.Viewer{}, 1) // the first viewer was removed with the client
	f.run(20)
	assert.Equal(t, plugin.Connected, f.a.State())
	assert.Empty(t, f.a.ids())
}

// Several grids work in parallel, each with its own component.
//
// Proves: V12
func TestSeveralGridsSeeSideBySide(t *testing.T) {
	type depth struct{ Metres float32 }
	f := newGame(t, func(s *plugin.Server) {
		s.AddSystem(plugin.BeforeSend, plugin.NewGrid(plugin.GridConfig{Radius: 100}, spotOf))
		s.AddSystem(plugin.BeforeSend, plugin.NewGrid(plugin.GridConfig{Radius: 5, Cell: 50, Hysteresis: -1},
			func(d *depth) (x, y float32) { return d.Metres, 0 }))
	})
	a := f.join(1)
	v := generic.NewMap4[spot, depth, components.Viewer, components.ControlledBy](f.world)
	v.NewWith(&spot{}, &depth{}, &components.Viewer{}, &components.ControlledBy{Client: 1})
	m := generic.NewMap4[spot, depth, name, components.Replicate](f.world)
	of := components.Replicate{Relevance: components.ByInterest}
	m.NewWith(&spot{X: 10}, &depth{10}, &name{1}, &of)
	m.NewWith(&spot{X: 1000}, &depth{4}, &name{2}, &of)
	e := m.NewWith(&spot{X: 1000}, &depth{10}, &name{3}, &of)
	f.run(30)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	at[depth](f.world, e).Metres = -5
	f.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, a.ids())
	at[depth](f.world, e).Metres = -5.1
	f.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids(), "this grid has no hysteresis")
}

// A pass over thousands of moving entities allocates nothing, and neither do the resulting changes
// of visibility.
//
// Proves: V12, R40
func TestAPassAllocatesNothing(t *testing.T) {
	f := newField(t)
	rooms := plugin.NewRooms(f.world)
	rooms.AddClient(roomA, 2)
	f.viewer(components.Viewer{}, 1)
	f.viewer(components.Viewer{Room: roomA}, 0)
	rng := rand.New(rand.NewPCG(1, 1))
	const edge = 1500
	var all []*spot
	for id := range uint32(5000) {
		f.thing(id, 0)
	}
	filter := generic.NewFilter2[spot, name]()
	for q := filter.Query(f.world); q.Next(); {
		s, _ := q.Get()
		*s = spot{edge * (rng.Float32() - 0.5), edge * (rng.Float32() - 0.5)}
		all = append(all, s) // no entity is spawned or despawned from here on
	}
	pass := func() {
		for i, s := range all {
			turn := float64(f.server.Tick())/20 + float64(i)
			s.X += float32(math.Sin(turn))
			s.Y += float32(math.Cos(turn))
		}
		f.run(1)
	}
	for range 600 {
		pass()
	}
	assert.NotEmpty(t, f.a.copies())
	assert.Less(t, len(f.a.copies()), 1000)
	assert.Zero(t, alloctest.Count(200, pass))
}

// Initialize panics for mistakes in a grid's config, with the remedy.
func TestAGridSaysWhatIsWrongWithIt(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for field, configs := range map[string][]plugin.GridConfig{
		"Radius":     {{}, {Radius: -1}, {Radius: inf}, {Radius: nan}},
		"Hysteresis": {{Radius: 1, Hysteresis: inf}, {Radius: 1, Hysteresis: nan}},
		"Cell":       {{Radius: 1, Cell: -1}, {Radius: 1, Cell: inf}, {Radius: 1, Cell: nan}},
		"Every":      {{Radius: 1, Every: -1}},
	} {
		for _, config := range configs {
			g := newGame(t)
			assert.Contains(t, panicText(t, func() { plugin.NewGrid(config, spotOf).Initialize(g.world) }), "GridConfig."+field)
		}
	}
	g := newGame(t)
	config := plugin.GridConfig{Radius: 1}
	assert.Contains(t, panicText(t, func() { plugin.NewGrid[spot](config, nil).Initialize(g.world) }), "give it one that returns where")
	grid := plugin.NewGrid(config, spotOf)
	assert.Zero(t, grid.Invalid())
	grid.Initialize(g.world)
	assert.Contains(t, panicText(t, func() { grid.Initialize(g.world) }), "add it once")
	w := ecs.NewWorld()
	assert.Contains(t, panicText(t, func() { plugin.NewGrid(config, spotOf).Initialize(&w) }), "without a server")
}

// By default a grid runs as often as its server sends: in the ticks that are sent, and never in a
// frame without a tick.
//
// Proves: V12
func TestAGridLooksAsOftenAsItsServerSends(t *testing.T) {
	grid := plugin.NewGrid(plugin.GridConfig{Radius: 1}, spotOf)
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.SendEvery = 10 }, func(s *plugin.Server) { s.AddSystem(plugin.BeforeSend, grid) })
	g.join(1)
	g.run(40)
	m := generic.NewMap3[spot, components.Viewer, components.ControlledBy](g.world)
	m.NewWith(&spot{X: float32(math.NaN())}, &components.Viewer{}, &components.ControlledBy{Client: 1}) // counted in each pass
	for range 30 {
		before, passes := g.server.Tick(), grid.Invalid()
		g.run(1)
		if g.server.Tick()/10 != before/10 {
			passes++
		}
		assert.Equal(t, passes, grid.Invalid(), "at tick %d", g.server.Tick())
		g.server.Step(g.now)
		assert.Equal(t, passes, grid.Invalid(), "in a frame without a tick")
	}
	assert.Equal(t, uint64(3), grid.Invalid())
}

// A grid works for a host's own player as for remote ones: Relevance reports it, and so do the
// events of spawned and despawned entities.
func TestAHostsPlayerSeesByAGrid(t *testing.T) {
	grid := plugin.NewGrid(plugin.GridConfig{Radius: 100}, spotOf)
	h := newUninitialized(t)
	h.host.AddSystem(plugin.BeforeSend, grid)
	h.initialize()
	h.play()
	f := &field{game: h.game, grid: grid, b: h.join(2)}
	sight := plugin.NewRelevance(h.world)
	f.viewer(components.Viewer{}, me)
	f.viewer(components.Viewer{Radius: 300}, 2)
	e := f.thing(7, 200)
	h.run(20)
	assert.False(t, sight.Sees(e, me))
	assert.Equal(t, []uint32{7}, f.b.ids())
	f.move(e, 50)
	assert.True(t, sight.Sees(e, me))
	f.move(e, 500)
	assert.False(t, sight.Sees(e, me))
	assert.Empty(t, f.b.ids())
}
