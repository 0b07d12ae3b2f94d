package interest

import "math"

// MaxCoordinate bounds where a grid knows its way: farther out, as at coordinates that are
// no numbers, nothing is seen and nothing sees. The squares of all distances within are
// finite.
const MaxCoordinate = 1e18

// GridConfig says how a Grid looks. It is not checked.
type GridConfig struct {
	// Cell is the edge of a cell, finite and above 0. It changes what a pass costs and
	// nothing else; a quarter of the usual radius is good.
	Cell float32

	// Hysteresis is by how much, as a part of the radius, one that was seen may be beyond
	// it and stay in sight. 0: none.
	Hysteresis float32
}

// Grid finds out which entities are near which viewers, and is a Source of a Relevance. A
// client sees what its viewers see, and those of the rooms that it is in.
//
// A pass looks at all of it anew: Begin, then Place for each entity and Look or LookFor for
// each viewer, in any order, then Finish. An entity within a viewer's radius is in sight of
// it. One that was in sight after the pass before, of any viewer of that client or room,
// stays so within the radius and its Hysteresis: who goes to and fro at the edge does not
// flicker. Who is not placed is not seen. Distances are those of float32 arithmetic, of
// each candidate, so they are the same on any machine.
//
// What a pass takes follows the entities, and for each viewer those in the cells around it.
// Cells are those of a plane rolled up in both directions, with as many cells as entities:
// memory does not follow how far apart the entities are. It is that of the most entities
// there were, and three bits for each client, or room with viewers, and row of an entity.
type Grid struct {
	relevance *Relevance
	source    Source
	stay      float32 // radius, as part of the radius, for those in sight
	cells     cells
	placed    []spot
	looks     []look
	rows      int     // above the largest placed
	clients   []eye   // by row
	sums      []sum   // by row
	rooms     []eye   // by index of the room
	rolls     []int32 // the rooms with viewers in this pass
	astray    uint64
}

// NewGrid returns a grid that shows what it finds to the clients of a Relevance.
func NewGrid(r *Relevance, config GridConfig) *Grid {
	g := &Grid{relevance: r, source: r.Add(), stay: 1 + config.Hysteresis, cells: newCells(config.Cell)}
	r.grids = append(r.grids, g)
	return g
}

// Astray counts the places and looks that were not finite or beyond MaxCoordinate, once in
// each pass.
func (g *Grid) Astray() uint64 { return g.astray }

// Begin begins a pass.
func (g *Grid) Begin() {
	g.placed, g.looks, g.rolls = g.placed[:0], g.looks[:0], g.rolls[:0]
}

// Place says where an entity is.
func (g *Grid) Place(entity int, x, y float32) {
	if !within(x) || !within(y) {
		g.astray++
		return
	}
	g.placed = append(g.placed, spot{x: x, y: y, entity: int32(entity)})
}

// Look says where a viewer of a client is, and how far it sees. With a radius that is not
// above 0 it sees nothing.
func (g *Grid) Look(client int, x, y, radius float32) {
	if !g.relevance.has(client) || !g.looksOut(x, y, radius) {
		return
	}
	for len(g.clients) <= client {
		g.clients = append(g.clients, eye{})
	}
	g.clients[client].looks = true
	g.looks = append(g.looks, look{x, y, radius, int32(client)})
}

// LookFor is Look of a viewer of a room.
func (g *Grid) LookFor(number uint32, x, y, radius float32) {
	at := g.relevance.rooms.find(number)
	if at < 0 || g.relevance.rooms.all[at].clients.Empty() || !g.looksOut(x, y, radius) {
		return
	}
	for len(g.rooms) <= int(at) {
		g.rooms = append(g.rooms, eye{})
	}
	if e := &g.rooms[at]; !e.looks {
		if e.number != number { // the index was another room's
			e.was.Reset()
			e.number = number
		}
		e.looks = true
		g.rolls = append(g.rolls, at)
	}
	g.looks = append(g.looks, look{x, y, radius, ^at})
}

func (g *Grid) looksOut(x, y, radius float32) bool {
	if !within(x) || !within(y) || math.IsNaN(float64(radius)) {
		g.astray++
		return false
	}
	return radius > 0
}

// Looks reports whether any viewer looks in this pass. Without any, who is placed makes no
// difference.
func (g *Grid) Looks() bool { return len(g.looks) > 0 }

// within reports whether a coordinate is a number up to MaxCoordinate: larger ones, and what
// is no number, have larger bits, not counting the sign.
func within(v float32) bool { return math.Float32bits(v)<<1 <= maxBits<<1 }

// maxBits is MaxCoordinate as it lies in memory.
const maxBits = 0x5d5e0b6b

// Finish ends a pass: each client sees what it saw in it.
func (g *Grid) Finish() {
	g.relevance.clearEnded()
	g.rows = g.cells.sort(g.placed)
	open(g.clients, g.rows)
	open(g.rooms, g.rows)
	for _, l := range g.looks {
		g.look(l)
	}
	g.show()
	shut(g.clients)
	shut(g.rooms)
}

// look finds what one viewer has in sight.
func (g *Grid) look(l look) {
	e := g.eye(l.eye)
	stay := l.radius * g.stay
	s := sight{x: l.x, y: l.y, near: l.radius * l.radius, far: stay * stay, was: e.was, now: e.now}
	c := g.cells.around(l.x, l.y, stay)
	for row := c.row; row <= c.last; row++ {
		run, rest := c.run(row)
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
