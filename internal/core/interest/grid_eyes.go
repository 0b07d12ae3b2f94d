package interest

import "github.com/entangle-ecs/entangle/internal/set"

// spot is an entity and its position.
type spot struct {
	x, y   float32
	entity int32
}

// viewer is a viewer. Its eye is the row of a client, or the complement of the index of a room.
type viewer struct {
	x, y, radius float32
	eye          int32
}

// eye holds the entities that the viewers of one client, or of one room, see.
type eye struct {
	was, now set.Bitset // in the previous pass, and in this one
	number   uint32     // the number of the room, for a room
	active   bool       // it has a viewer in this pass
	used     bool       // was may contain entities
}

// sum holds all entities that a client sees.
type sum struct {
	seen   set.Bitset // by its own viewers and those of its rooms
	shared bool       // a room of the client has viewers in this pass
	shown  bool       // the client saw an entity in the previous pass
}

// beginEyes clears the eyes that have viewers in this pass.
func beginEyes(eyes []eye, rows int) {
	for i := range eyes {
		if e := &eyes[i]; e.active {
			e.now.Reset()
			e.now.Grow(rows)
			e.was.Grow(rows)
		}
	}
}

// endEyes makes the entities seen in this pass those of the previous one.
func endEyes(eyes []eye) {
	for i := range eyes {
		e := &eyes[i]
		switch {
		case e.active:
			e.was, e.now = e.now, e.was
		case e.used:
			e.was.Reset()
		}
		e.used, e.active = e.active, false
	}
}

// passVisible passes the visible entities of each client to the Relevance.
func (g *Grid) passVisible() {
	g.growTables(len(g.relevance.clients))
	for _, at := range g.viewerRooms {
		g.share(at)
	}
	for row := range g.sums {
		s, e := &g.sums[row], &g.clients[row]
		switch {
		case s.shared:
			g.relevance.See(g.source, row, s.seen)
		case e.active:
			g.relevance.See(g.source, row, e.now)
		case s.shown:
			g.relevance.See(g.source, row, nil)
		}
		s.shared, s.shown = false, s.shared || e.active
	}
}

// growTables grows the tables to the given number of clients.
func (g *Grid) growTables(rows int) {
	for len(g.clients) < rows {
		g.clients = append(g.clients, eye{})
	}
	for len(g.sums) < rows {
		g.sums = append(g.sums, sum{})
	}
}

// share adds the entities that the viewers of a room see to all clients in it.
func (g *Grid) share(at int32) {
	in := g.relevance.rooms.all[at].clients
	for row := in.Next(0); row >= 0; row = in.Next(row + 1) {
		s := &g.sums[row]
		if !s.shared {
			s.shared = true
			s.seen.Reset()
			s.seen.Grow(g.rows)
			if e := &g.clients[row]; e.active {
				s.addSeen(e.now)
			}
		}
		s.addSeen(g.rooms[at].now)
	}
}

func (s *sum) addSeen(seen set.Bitset) {
	s.seen.Grow(len(seen) * 64)
	s.seen.Join(seen)
}

// removeClient removes what was seen by a client that has left.
func (g *Grid) removeClient(row int) {
	if row < len(g.clients) {
		g.clients[row].was.Reset()
	}
	if row < len(g.sums) {
		g.sums[row].shown = false
	}
}

// removeEntity removes an entity that has ended from what was seen.
func (g *Grid) removeEntity(entity int) {
	for i := range g.clients {
		drop(g.clients[i].was, entity)
	}
	for i := range g.rooms {
		drop(g.rooms[i].was, entity)
	}
}

// endAll removes entities that have ended from what was seen.
func (g *Grid) endAll(ended set.Bitset) {
	for i := range g.clients {
		g.clients[i].was.Drop(ended)
	}
	for i := range g.rooms {
		g.rooms[i].was.Drop(ended)
	}
}
