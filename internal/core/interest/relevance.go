package interest

import "github.com/entangle-ecs/entangle/internal/set"

// Relevance records which entities are relevant to which clients. The package documentation has the
// rules.
type Relevance struct {
	clients []client
	changed set.Bitset // the clients with changes
	rooms   rooms
	sources int
	grids   []*Grid

	// Entities that have ended and may still have bits set. Clearing them at each client takes a
	// microsecond or more, so the next See clears them all together, and the next setting of a row
	// clears those of that row.
	ended    set.Bitset
	anyEnded bool
}

// client is the state of one client. Its sets contain rows of entities.
type client struct {
	joined        bool
	shown, hidden set.Bitset   // the game's settings
	seen          []set.Bitset // by Source
	changed       marks        // since ClearChanges
}

// New returns a Relevance without clients.
func New() *Relevance { return &Relevance{rooms: newRooms()} }

// Join adds a client, to which no entity is relevant at first. Its row must be free. Settings and
// memberships of a client that has not joined are ignored.
func (r *Relevance) Join(row int) {
	for len(r.clients) <= row {
		r.clients = append(r.clients, client{})
	}
	r.changed.Grow(row + 1)
	r.clients[row].joined = true
}

// Leave removes a client and frees its row.
func (r *Relevance) Leave(row int) {
	if !r.hasClient(row) {
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
		g.removeClient(row)
	}
	r.clearChangesOf(row)
}

// End removes an entity and frees its row. It adds nothing to Changed, but Changed may contain the
// entity already.
func (r *Relevance) End(entity int) {
	r.rooms.forgetEntity(entity)
	r.ended.Grow(entity + 1)
	r.ended.Set(entity)
	r.anyEnded = true
}

// revive clears the bits that a row has from an entity that has ended.
func (r *Relevance) revive(entity int) {
	if !r.ended.Has(entity) {
		return
	}
	for row := range r.clients {
		r.clients[row].clearEntity(entity)
	}
	for _, g := range r.grids {
		g.removeEntity(entity)
	}
	r.ended.Clear(entity)
}

func (c *client) clearEntity(entity int) {
	drop(c.shown, entity)
	drop(c.hidden, entity)
	for _, seen := range c.seen {
		drop(seen, entity)
	}
}

// clearEnded clears the bits of all ended entities.
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

func (c *client) forgetAll(ended set.Bitset) {
	c.shown.Drop(ended)
	c.hidden.Drop(ended)
	for _, seen := range c.seen {
		seen.Drop(ended)
	}
}

func drop(b set.Bitset, i int) {
	if b.Has(i) {
		b.Clear(i)
	}
}

// Matters reports whether an entity is relevant to a client. owned is true if the client owns it.
func (r *Relevance) Matters(row, entity int, owned bool) bool {
	if !r.hasClient(row) {
		return false
	}
	c := &r.clients[row]
	if r.ended.Has(entity) {
		return owned // another entity has the row now, and no settings yet
	}
	if c.hidden.Has(entity) {
		return false
	}
	return owned || c.shown.Has(entity) || c.sees(entity) || r.rooms.shared(row, entity)
}

func (r *Relevance) hasClient(row int) bool { return row < len(r.clients) && r.clients[row].joined }
