package interest

import "github.com/entangle-ecs/entangle/internal/core/repl"

// Relevance is what matters to whom. See the package documentation.
type Relevance struct {
	clients []client
	changed repl.Bitset // those with something in client.changed
	rooms   rooms
	sources int
	grids   []*Grid

	// Ended entities of which bits may be left. To look for them at each client takes a
	// microsecond and more, so all are taken out at once when sight is told anew, and one
	// alone when something is said of its row before.
	ended    repl.Bitset
	anyEnded bool
}

// client is what is known of one client, by row of entity.
type client struct {
	joined        bool
	shown, hidden repl.Bitset   // what the game says
	seen          []repl.Bitset // by Source
	changed       marks         // since Settle
}

// New returns a Relevance without any client.
func New() *Relevance { return &Relevance{rooms: newRooms()} }

// Join takes in a client, to which nothing matters. Its row must be free. Of a client
// that has not joined nothing is kept: what is said of it does nothing.
func (r *Relevance) Join(row int) {
	for len(r.clients) <= row {
		r.clients = append(r.clients, client{})
	}
	r.changed.Grow(row + 1)
	r.clients[row].joined = true
}

// Leave forgets all of a client and frees its row.
func (r *Relevance) Leave(row int) {
	if !r.has(row) {
		return
	}
	r.rooms.forgetClient(row)
	c := &r.clients[row]
	c.joined = false
	c.shown.Reset()
	c.hidden.Reset()
	for i := range c.seen {
		c.seen[i].Reset()
	}
	for _, g := range r.grids {
		g.leave(row)
	}
	r.settle(row)
}

// End forgets all of an entity and frees its row. It changes nothing for anyone: an
// entity that is gone is not told about here, though Changed may name it.
func (r *Relevance) End(entity int) {
	r.rooms.forgetEntity(entity)
	r.ended.Grow(entity + 1)
	r.ended.Set(entity)
	r.anyEnded = true
}

// revive makes a row fit to be said something of.
func (r *Relevance) revive(entity int) {
	if !r.ended.Has(entity) {
		return
	}
	for row := range r.clients {
		r.clients[row].forget(entity)
	}
	for _, g := range r.grids {
		g.end(entity)
	}
	r.ended.Clear(entity)
}

func (c *client) forget(entity int) {
	drop(c.shown, entity)
	drop(c.hidden, entity)
	for _, seen := range c.seen {
		drop(seen, entity)
	}
}

// clearEnded is revive of all rows.
func (r *Relevance) clearEnded() {
	if !r.anyEnded {
		return
	}
	for row := range r.clients {
		r.clients[row].forgetAll(r.ended)
	}
	for _, g := range r.grids {
		g.endAll(r.ended)
	}
	r.ended.Reset()
	r.anyEnded = false
}

func (c *client) forgetAll(ended repl.Bitset) {
	c.shown.Drop(ended)
	c.hidden.Drop(ended)
	for _, seen := range c.seen {
		seen.Drop(ended)
	}
}

func drop(b repl.Bitset, i int) {
	if b.Has(i) {
		b.Clear(i)
	}
}

// Matters reports whether an entity matters to a client, which may own it.
func (r *Relevance) Matters(row, entity int, owned bool) bool {
	if !r.has(row) {
		return false
	}
	c := &r.clients[row]
	if r.ended.Has(entity) {
		return owned // nothing was said of who has the row now
	}
	if c.hidden.Has(entity) {
		return false
	}
	return owned || c.shown.Has(entity) || c.sees(entity) || r.rooms.shared(row, entity)
}

func (r *Relevance) has(row int) bool { return row < len(r.clients) && r.clients[row].joined }
