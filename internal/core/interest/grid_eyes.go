package interest

import "github.com/entangle-ecs/entangle/internal/core/repl"

// spot is an entity in its place.
type spot struct {
	x, y   float32
	entity int32
}

// look is one viewer. Its eye is a row of a client, or ^ the index of a room.
type look struct {
	x, y, radius float32
	eye          int32
}

// eye is what a client's own viewers see, or those of a room.
type eye struct {
	was, now repl.Bitset // after the pass before, and in this one
	number   uint32      // of the room
	looks    bool        // in this pass
	used     bool        // there may be something in was
}

// sum is what a client sees in all.
type sum struct {
	seen   repl.Bitset // its own and its rooms', where there are such
	shared bool        // in this pass, there are
	shown  bool        // it saw something in the pass before
}

// open makes the eyes that look in this pass see nothing yet.
func open(eyes []eye, rows int) {
	for i := range eyes {
		if e := &eyes[i]; e.looks {
			e.now.Reset()
			e.now.Grow(rows)
			e.was.Grow(rows)
		}
	}
}

// shut takes what was seen as seen before.
func shut(eyes []eye) {
	for i := range eyes {
		e := &eyes[i]
		switch {
		case e.looks:
			e.was, e.now = e.now, e.was
		case e.used:
			e.was.Reset()
		}
		e.used, e.looks = e.looks, false
	}
}

// show tells the Relevance what each client sees.
func (g *Grid) show() {
	g.reach(len(g.relevance.clients))
	for _, at := range g.rolls {
		g.share(at)
	}
	for row := range g.sums {
		s, e := &g.sums[row], &g.clients[row]
		switch {
		case s.shared:
			g.relevance.See(g.source, row, s.seen)
		case e.looks:
			g.relevance.See(g.source, row, e.now)
		case s.shown:
			g.relevance.See(g.source, row, nil)
		}
		s.shared, s.shown = false, s.shared || e.looks
	}
}

// reach makes room for the first rows of clients.
func (g *Grid) reach(rows int) {
	for len(g.clients) < rows {
		g.clients = append(g.clients, eye{})
	}
	for len(g.sums) < rows {
		g.sums = append(g.sums, sum{})
	}
}

// share shows what a room sees to all who are in it.
func (g *Grid) share(at int32) {
	in := g.relevance.rooms.all[at].clients
	for row := in.Next(0); row >= 0; row = in.Next(row + 1) {
		s := &g.sums[row]
		if !s.shared {
			s.shared = true
			s.seen.Reset()
			s.seen.Grow(g.rows)
			if e := &g.clients[row]; e.looks {
				s.join(e.now)
			}
		}
		s.join(g.rooms[at].now)
	}
}

func (s *sum) join(seen repl.Bitset) {
	s.seen.Grow(len(seen) * 64)
	s.seen.Join(seen)
}

// leave forgets a client.
func (g *Grid) leave(row int) {
	if row < len(g.clients) {
		g.clients[row].was.Reset()
	}
	if row < len(g.sums) {
		g.sums[row].shown = false
	}
}

// end forgets an entity.
func (g *Grid) end(entity int) {
	for i := range g.clients {
		drop(g.clients[i].was, entity)
	}
	for i := range g.rooms {
		drop(g.rooms[i].was, entity)
	}
}

// endAll forgets entities.
func (g *Grid) endAll(ended repl.Bitset) {
	for i := range g.clients {
		g.clients[i].was.Drop(ended)
	}
	for i := range g.rooms {
		g.rooms[i].was.Drop(ended)
	}
}
