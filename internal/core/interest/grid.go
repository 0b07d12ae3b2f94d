package interest

import "math"

// MaxCoordinate is the greatest coordinate in a grid. Entities beyond it, or at coordinates that
// are not numbers, are not seen, and viewers there see nothing. The squares of all distances below
// it are finite.
const MaxCoordinate = 1e18

// GridConfig configures a Grid. It is not validated.
type GridConfig struct {
	// Cell is the edge of a cell, finite and above 0. It affects only the time of a pass; a quarter
	// of the usual radius is a good value.
	Cell float32

	// Hysteresis is how far beyond the radius a visible entity remains visible, as a fraction of
	// the radius.
	Hysteresis float32
}

// Grid finds the entities that are near viewers, and is a Source of a Relevance. A client sees what
// its own viewers and the viewers of its rooms see.
//
// A pass computes everything again: Begin, then Place for each entity and AddViewer or
// AddRoomViewer for each viewer, in any order, then Finish. A viewer sees the entities within its
// radius. An entity that a viewer of the same client or room saw in the previous pass remains
// visible within the radius plus Hysteresis, so that an entity that moves to and fro at the edge
// does not flicker. An entity without a call of Place is not seen. Distances are computed in
// float32 for each candidate, so they are the same on all machines.
//
// The time of a pass depends on the number of entities, and for each viewer on the number of
// entities in the cells around it. The plane of cells wraps around in both directions and has as
// many cells as entities, so that memory does not depend on the distances between entities. Memory
// depends on the greatest number of entities, and takes three bits for each row of an entity and
// each client, or room with viewers.
type Grid struct {
	relevance   *Relevance
	source      Source
	stay        float32 // the radius for visible entities, as a multiple of the radius
	cells       cells
	placed      []spot
	viewers     []viewer
	rows        int     // one more than the largest placed entity
	clients     []eye   // by row
	sums        []sum   // by row of a client
	rooms       []eye   // by index of a room
	viewerRooms []int32 // indexes of the rooms with viewers in this pass
	invalid     uint64
}

// NewGrid returns a grid that is a visibility source of a Relevance.
func NewGrid(r *Relevance, config GridConfig) *Grid {
	g := &Grid{relevance: r, source: r.AddSource(), stay: 1 + config.Hysteresis, cells: newCells(config.Cell)}
	r.grids = append(r.grids, g)
	return g
}

// Invalid counts positions of entities and viewers that were not numbers or beyond MaxCoordinate. A
// position counts once in each pass.
func (g *Grid) Invalid() uint64 { return g.invalid }

// Begin begins a pass.
func (g *Grid) Begin() {
	g.placed, g.viewers, g.viewerRooms = g.placed[:0], g.viewers[:0], g.viewerRooms[:0]
}

// Place sets the position of an entity in this pass.
func (g *Grid) Place(entity int, x, y float32) {
	if !within(x) || !within(y) {
		g.invalid++
		return
	}
	g.placed = append(g.placed, spot{x: x, y: y, entity: int32(entity)})
}

// AddViewer adds a viewer of a client to this pass. If its radius is not above 0, it sees nothing.
func (g *Grid) AddViewer(client int, x, y, radius float32) {
	if !g.relevance.hasClient(client) || !g.valid(x, y, radius) {
		return
	}
	for len(g.clients) <= client {
		g.clients = append(g.clients, eye{})
	}
	g.clients[client].active = true
	g.viewers = append(g.viewers, viewer{x, y, radius, int32(client)})
}

// AddRoomViewer adds a viewer for all clients in a room.
func (g *Grid) AddRoomViewer(number uint32, x, y, radius float32) {
	at := g.relevance.rooms.lookup(number)
	if at < 0 || g.relevance.rooms.all[at].clients.Empty() || !g.valid(x, y, radius) {
		return
	}
	for len(g.rooms) <= int(at) {
		g.rooms = append(g.rooms, eye{})
	}
	if e := &g.rooms[at]; !e.active {
		if e.number != number { // the index belonged to another room
			e.was.Reset()
			e.number = number
		}
		e.active = true
		g.viewerRooms = append(g.viewerRooms, at)
	}
	g.viewers = append(g.viewers, viewer{x, y, radius, ^at})
}

func (g *Grid) valid(x, y, radius float32) bool {
	if !within(x) || !within(y) || math.IsNaN(float64(radius)) {
		g.invalid++
		return false
	}
	return radius > 0
}

// HasViewers reports whether this pass has a viewer. If it has none, Place has no effect.
func (g *Grid) HasViewers() bool { return len(g.viewers) > 0 }

// within reports whether a coordinate is a number of at most MaxCoordinate. Without the sign bit,
// the bits of larger numbers, and of values that are not numbers, are greater.
func within(v float32) bool { return math.Float32bits(v)<<1 <= maxBits<<1 }

// maxBits is the bit pattern of MaxCoordinate.
const maxBits = 0x5d5e0b6b

// Finish ends a pass and passes the visible entities of each client to the Relevance.
func (g *Grid) Finish() {
	g.relevance.clearEnded()
	g.rows = g.cells.sort(g.placed)
	beginEyes(g.clients, g.rows)
	beginEyes(g.rooms, g.rows)
	for _, l := range g.viewers {
		g.findVisible(l)
	}
	g.passVisible()
	endEyes(g.clients)
	endEyes(g.rooms)
}

// findVisible finds the entities that one viewer sees.
func (g *Grid) findVisible(l viewer) {
	e := g.eye(l.eye)
	stay := l.radius * g.stay
	s := search{x: l.x, y: l.y, near: l.radius * l.radius, far: stay * stay, was: e.was, now: e.now}
	c := g.cells.around(l.x, l.y, stay)
	for row := c.row; row <= c.last; row++ {
		run, rest := c.rowEntities(row)
		s.scan(run)
		s.scan(rest)
	}
}

func (g *Grid) eye(i int32) *eye {
	if i < 0 {
		return &g.rooms[^i]
	}
	return &g.clients[i]
}
