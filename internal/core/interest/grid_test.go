package interest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/interest"
)

const (
	gridClients  = 4
	gridRooms    = 3
	gridEntities = 120
	hysteresis   = 0.25
)

type place struct{ x, y float32 }

// viewer is a viewer at a position. It belongs to a client, or to a room if its number is
// gridClients or more.
type viewer struct {
	place
	radius float32
	eye    int
}

// plainGrid is a simple model of a grid, which compares all pairs.
type plainGrid struct {
	seen     [gridClients + gridRooms]map[int]bool
	in       map[pair]bool // pairs of client and room
	entities map[int]place
	viewers  []viewer
}

func (p *plainGrid) pass() {
	var seen [gridClients + gridRooms]map[int]bool
	for eye := range seen {
		seen[eye] = map[int]bool{}
	}
	for _, v := range p.viewers {
		if v.eye >= gridClients && !p.anyoneIn(v.eye-gridClients) {
			continue
		}
		for e, at := range p.entities {
			if sees(v, at, p.seen[v.eye][e]) {
				seen[v.eye][e] = true
			}
		}
	}
	p.seen = seen
}

func sees(v viewer, at place, before bool) bool {
	radius := v.radius
	if !isNear(v.place) || !isNear(at) || !(radius > 0) {
		return false
	}
	dx, dy := at.x-v.x, at.y-v.y
	d := float32(dx*dx) + float32(dy*dy)
	far := radius * float32(1+hysteresis)
	return d <= radius*radius || before && d <= far*far
}

func isNear(at place) bool {
	return math.Abs(float64(at.x)) <= interest.MaxCoordinate && math.Abs(float64(at.y)) <= interest.MaxCoordinate
}

func (p *plainGrid) anyoneIn(room int) bool {
	for client := range gridClients {
		if p.in[pair{client, room}] {
			return true
		}
	}
	return false
}

// shows reports whether an entity was visible to a client in the last pass.
func (p *plainGrid) shows(client, entity int) bool {
	shown := p.seen[client][entity]
	for room := range gridRooms {
		shown = shown || p.in[pair{client, room}] && p.seen[gridClients+room][entity]
	}
	return shown
}

// The grid shows the same entities as a comparison of all pairs, in worlds and with cells of any
// size, with entities and clients that are added and removed, and with invalid positions.
//
// Proves: V12
func TestTheGridEqualsItsPlainTwin(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		scale := float32(math.Pow(10, 22*rng.Float64()-3))
		cell := scale * float32(math.Pow(10, 4*rng.Float64()-3))
		if rng.IntN(5) == 0 {
			cell /= 1e12 // more cells than numbers
		}
		middle := scale * float32(math.Pow(10, 8*rng.Float64()-1)) // far from 0, distances have fewer bits
		r := interest.New()
		w := &gridWorld{
			T: t, rng: rng, scale: scale, middle: middle, real: r,
			grid:  interest.NewGrid(r, interest.GridConfig{Cell: cell, Hysteresis: hysteresis}),
			plain: plainGrid{in: map[pair]bool{}, entities: map[int]place{}},
		}
		for client := range gridClients {
			r.Join(client)
		}
		for range 30 {
			w.change()
			w.pass()
			w.check()
		}
	})
}

type gridWorld struct {
	*testing.T
	rng    *rand.Rand
	scale  float32 // size of the world
	middle float32
	real   *interest.Relevance
	grid   *interest.Grid
	plain  plainGrid
}

// change moves all entities a little, and adds, removes and relocates some.
func (w *gridWorld) change() {
	for e := range gridEntities {
		at, ok := w.plain.entities[e]
		switch {
		case w.rng.IntN(20) == 0 && ok:
			delete(w.plain.entities, e)
			w.real.End(e)
			w.forget(e)
		case w.rng.IntN(40) == 0 && ok:
			delete(w.plain.entities, e) // it has no position any more, but still exists
		case w.rng.IntN(10) == 0:
			w.plain.entities[e] = w.anywhere()
		case ok:
			w.plain.entities[e] = place{at.x + w.scale*w.rng.Float32()/20, at.y - w.scale*w.rng.Float32()/20}
		}
	}
	w.plain.viewers = w.plain.viewers[:0]
	for range w.rng.IntN(12) {
		w.plain.viewers = append(w.plain.viewers, w.viewer())
	}
	for client := range gridClients {
		w.wander(client, w.rng.IntN(gridRooms))
	}
}

func (w *gridWorld) forget(entity int) {
	for _, seen := range w.plain.seen {
		delete(seen, entity)
	}
}

func (w *gridWorld) anywhere() place {
	switch w.rng.IntN(30) {
	case 0:
		return place{float32(math.NaN()), 0}
	case 1:
		return place{0, float32(math.Inf(1 - 2*w.rng.IntN(2)))}
	case 2:
		return place{3 * interest.MaxCoordinate, 0}
	case 3:
		return place{-interest.MaxCoordinate, interest.MaxCoordinate}
	case 4:
		return place{}
	}
	return place{w.middle + w.scale*(w.rng.Float32()-0.5), w.scale*(w.rng.Float32()-0.5) - w.middle}
}

func (w *gridWorld) viewer() viewer {
	v := viewer{place: w.anywhere(), radius: w.scale * w.rng.Float32() / 3, eye: w.rng.IntN(gridClients + gridRooms)}
	if len(w.plain.entities) > 0 && w.rng.IntN(3) == 0 { // at the position of an entity
		v.place = w.plain.entities[w.rng.IntN(gridEntities)]
	}
	switch w.rng.IntN(20) {
	case 0:
		v.radius = float32(math.Inf(1))
	case 1:
		v.radius = float32(math.NaN())
	case 2:
		v.radius = -v.radius
	case 3:
		v.radius *= 100
	case 4:
		v.radius = 0
	}
	return v
}

// wander makes a client enter or leave a room, or disconnect.
func (w *gridWorld) wander(client, room int) {
	in := pair{client, room}
	switch w.rng.IntN(20) {
	case 0, 1:
		w.real.RemoveClient(uint32(room), client)
		delete(w.plain.in, in)
	case 2, 3, 4:
		w.real.AddClient(uint32(room), client)
		w.plain.in[in] = true
	case 5:
		w.real.Leave(client)
		w.real.Join(client)
		w.plain.seen[client] = nil
		dropIf(w.plain.in, func(p pair) bool { return p.member == client })
	}
}

func (w *gridWorld) pass() {
	w.real.ClearChanges() // releases empty rooms
	for room := range gridRooms {
		if !w.plain.anyoneIn(room) {
			w.plain.seen[gridClients+room] = nil
		}
	}
	w.grid.Begin()
	for _, v := range w.plain.viewers {
		if v.eye < gridClients {
			w.grid.AddViewer(v.eye, v.x, v.y, v.radius)
		} else {
			w.grid.AddRoomViewer(uint32(v.eye-gridClients), v.x, v.y, v.radius)
		}
	}
	for e := range gridEntities {
		if at, ok := w.plain.entities[e]; ok {
			w.grid.Place(e, at.x, at.y)
		}
	}
	w.grid.Finish()
	w.plain.pass()
}

func (w *gridWorld) check() {
	for client := range gridClients {
		for e := range gridEntities {
			if w.plain.shows(client, e) != w.real.Matters(client, e, false) {
				w.Fatalf("client %d, entity %d at %v: Matters is %v; viewers %v", client, e, w.plain.entities[e],
					w.real.Matters(client, e, false), w.plain.viewers)
			}
		}
	}
}

// grid returns a grid with cells of 10 and a hysteresis of half the radius, and its Relevance
// with clients.
func grid() (*interest.Relevance, *interest.Grid) {
	r := joined()
	return r, interest.NewGrid(r, interest.GridConfig{Cell: 10, Hysteresis: 0.5})
}

// glance makes a pass with one viewer of alice at 0, 0 with radius 100, and with the tree at x on
// the x axis.
func glance(g *interest.Grid, x float32) {
	g.Begin()
	g.Place(tree, x, 0)
	g.AddViewer(alice, 0, 0, 100)
	g.Finish()
}

// Proves: V12
func TestVisibleEntitiesStayVisibleWithinTheHysteresis(t *testing.T) {
	r, g := grid()
	for _, step := range []struct {
		x    float32
		seen bool
	}{{101, false}, {100, true}, {101, true}, {-150, true}, {151, false}, {149, false}, {-99, true}} {
		glance(g, step.x)
		assert.Equal(t, step.seen, r.Matters(alice, tree, false), "at %v", step.x)
		assert.False(t, r.Matters(bob, tree, false))
	}
	g.Begin()
	g.AddViewer(alice, 0, 0, 100)
	g.Finish()
	assert.False(t, r.Matters(alice, tree, false), "it has no position")
	glance(g, 120)
	assert.False(t, r.Matters(alice, tree, false), "and was not visible")
}

func TestAReusedRowWasNotVisible(t *testing.T) {
	r, g := grid()
	glance(g, 50)
	r.End(tree)
	glance(g, 120)
	assert.False(t, r.Matters(alice, tree, false), "another entity")
	glance(g, 50)
	r.End(tree)
	r.AddEntity(red, tree)
	glance(g, 120)
	assert.False(t, r.Matters(alice, tree, false), "another entity, which had a setting")
	glance(g, 50)
	r.Leave(alice)
	r.Join(alice)
	glance(g, 120)
	assert.False(t, r.Matters(alice, tree, false), "another client")
}

// A room's viewers see for all clients in it, including those that enter later.
//
// Proves: V12
func TestARoomsViewerSeesForItsClients(t *testing.T) {
	r, g := grid()
	pass := func(x float32) {
		g.Begin()
		g.Place(tree, x, 0)
		g.AddRoomViewer(red, 0, 0, 100)
		g.Finish()
	}
	pass(50)
	r.AddClient(red, alice)
	pass(120)
	assert.False(t, r.Matters(alice, tree, false), "no client was there while it was nearer")
	pass(50)
	r.AddClient(red, bob)
	pass(120)
	assert.True(t, r.Matters(alice, tree, false))
	assert.True(t, r.Matters(bob, tree, false))
	r.RemoveClient(red, alice)
	pass(120)
	assert.False(t, r.Matters(alice, tree, false))
	r.RemoveClient(red, bob)
	r.ClearChanges()
	r.AddClient(blue, bob)
	g.Begin()
	g.Place(tree, 120, 0)
	g.AddRoomViewer(blue, 0, 0, 100)
	g.Finish()
	assert.False(t, r.Matters(bob, tree, false), "another room")
}

// An entity at an invalid position is not visible, and is counted.
func TestInvalidPositionsAreCounted(t *testing.T) {
	r, g := grid()
	farther := math.Nextafter32(interest.MaxCoordinate, math.MaxFloat32)
	nowhere := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -farther}
	g.Begin()
	for i, v := range nowhere {
		g.Place(i, v, 0)
		g.Place(i, 0, v)
		g.AddViewer(alice, v, 0, 10)
		g.AddViewer(alice, 0, v, 10)
	}
	g.AddViewer(alice, 0, 0, float32(math.NaN()))
	g.AddViewer(alice, 0, 0, float32(math.Inf(1)))
	g.Place(tree, 1e18, -1e18)
	g.Finish()
	assert.Equal(t, uint64(17), g.Invalid())
	for i := range nowhere {
		assert.Equal(t, i == tree, r.Matters(alice, i, false))
	}
}

// A distance is rounded to float32, even if that makes it slightly too short and the entity is in a
// cell that the circle does not touch.
func TestRoundingAtTheCircleCounts(t *testing.T) {
	r := joined()
	g := interest.NewGrid(r, interest.GridConfig{Cell: 10})
	g.Begin()
	for e := wolf; e < wolf+1000; e++ { // so that not all cells are searched
		g.Place(e, 1000, 1000)
	}
	g.Place(tree, 100, -1e-5)
	g.AddViewer(alice, 0, 1e-5, 100)
	g.Finish()
	assert.True(t, r.Matters(alice, tree, false))
}

// Memory follows the number of entities, not the distances between them.
func TestDistancesTakeNoMemory(t *testing.T) {
	_, g := grid()
	pass := func(distance float32) {
		g.Begin()
		for e := range 1000 {
			g.Place(e, distance*float32(e), -distance*float32(e%7))
		}
		g.AddViewer(alice, 0, 0, 30)
		g.Finish()
	}
	pass(1)
	for distance := range 15 {
		far := float32(math.Pow(10, float64(distance)))
		require.Zero(t, alloctest.Count(1, func() { pass(far) }))
	}
}

// Proves: V12
func TestAPassAllocatesNothing(t *testing.T) {
	const clients, edge, radius = 200, 1000, 50
	r := interest.New()
	g := interest.NewGrid(r, interest.GridConfig{Cell: radius / 3, Hysteresis: 0.1})
	for client := range clients {
		r.Join(client)
		r.AddClient(red, client)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	at := make([]place, 10_000)
	for e := range at {
		at[e] = place{edge * rng.Float32(), edge * rng.Float32()}
	}
	changes := 0
	pass := func() {
		g.Begin()
		for e := range at {
			at[e] = place{at[e].x + 2*rng.Float32() - 1, at[e].y + 2*rng.Float32() - 1}
			g.Place(e, at[e].x, at[e].y)
		}
		for client := range clients {
			g.AddViewer(client, at[client].x, at[client].y, radius)
		}
		g.AddRoomViewer(red, edge/2, edge/2, radius)
		g.Finish()
		for client := range clients {
			changed := r.Changed(client)
			for e := changed.Next(0); e >= 0; e = changed.Next(e + 1) {
				changes++
			}
		}
		r.ClearChanges()
	}
	pass()
	pass()
	changes = 0
	assert.Zero(t, alloctest.Count(10, pass))
	assert.Greater(t, changes, 1000)
}

// A new entity does not inherit a room's visibility of the previous entity in its row: just
// beyond the radius it is not visible.
//
// Proves: V12, V14
func TestARowInheritsNoVisibility(t *testing.T) {
	for what, setBefore := range map[string]bool{"without a setting": false, "with a setting": true} {
		r := interest.New()
		g := interest.NewGrid(r, interest.GridConfig{Cell: 4, Hysteresis: hysteresis})
		r.Join(0)
		r.AddClient(1, 0)
		pass := func(x float32) bool {
			g.Begin()
			g.AddRoomViewer(1, 0, 0, 10)
			g.Place(3, x, 0)
			g.Finish()
			return r.Matters(0, 3, false)
		}
		assert.True(t, pass(9), what)
		assert.True(t, pass(12), "within the hysteresis")
		r.End(3)
		if setBefore {
			r.AddEntity(2, 3)
		}
		assert.False(t, pass(12), what)
		assert.True(t, pass(10), what)
		assert.True(t, pass(12), what)
	}
}
