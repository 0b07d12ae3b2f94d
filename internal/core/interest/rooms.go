package interest

import "github.com/entangle-ecs/entangle/internal/set"

// MaxRooms is the most rooms that can be in use at a time, which are rooms with a member. It bounds
// the memory that arbitrary room numbers of a game can take: 80 bytes for each room, and a bit for
// each of its clients.
const MaxRooms = 1 << 16

// MaxMemberships is the most memberships of entities at a time, and the most of clients. A
// membership takes 24 bytes.
const MaxMemberships = 1 << 22

// rooms holds the members of rooms. A room has an index while it is in use: while it has a member,
// or if a client has left it since ClearChanges.
type rooms struct {
	all      []room
	free     []int32
	index    index
	clients  roster
	entities roster
	moves    []Move
	refused  uint64
}

type room struct {
	number  uint32
	clients set.Bitset // in the room
	moved   set.Bitset // the clients in moves
}

func newRooms() rooms { return rooms{clients: newRoster(), entities: newRoster()} }

// Refused counts the memberships that were refused because of MaxRooms or MaxMemberships.
func (r *Relevance) Refused() uint64 { return r.rooms.refused }

// AddClient adds a client to a room. It returns false if nothing has changed, because the client is
// in the room already, has not joined, or would exceed a limit (see Refused).
func (r *Relevance) AddClient(number uint32, row int) bool {
	if !r.hasClient(row) {
		return false
	}
	at, ok := r.rooms.addMember(&r.rooms.clients, number, row)
	if !ok {
		return false
	}
	room := &r.rooms.all[at]
	room.clients.Grow(row + 1)
	room.clients.Set(row)
	r.moved(at, row)
	return true
}

// RemoveClient removes a client from a room. It returns false if the client was not in it.
func (r *Relevance) RemoveClient(number uint32, row int) bool {
	at, ok := r.rooms.quit(&r.rooms.clients, number, row)
	if ok {
		r.rooms.all[at].clients.Clear(row)
		r.moved(at, row)
	}
	return ok
}

// AddEntity adds an entity to a room. It returns false if nothing has changed, because the entity
// is in the room already or would exceed a limit (see Refused).
func (r *Relevance) AddEntity(number uint32, entity int) bool {
	r.revive(entity)
	at, ok := r.rooms.addMember(&r.rooms.entities, number, entity)
	if ok {
		r.markAll(r.rooms.all[at].clients, entity)
	}
	return ok
}

// RemoveEntity removes an entity from a room. It returns false if the entity was not in it.
func (r *Relevance) RemoveEntity(number uint32, entity int) bool {
	at, ok := r.rooms.quit(&r.rooms.entities, number, entity)
	if ok {
		r.markAll(r.rooms.all[at].clients, entity)
		r.rooms.freeRoom(at)
	}
	return ok
}

// InRoom reports whether a client is in a room.
func (r *Relevance) InRoom(number uint32, row int) bool {
	at := r.rooms.lookup(number)
	return at >= 0 && r.rooms.all[at].clients.Has(row)
}

// moved records that a client entered or left a room.
func (r *Relevance) moved(at int32, row int) {
	members := &r.rooms.entities
	for l := members.ofRoom(at); l != 0; l = members.links[l].nextMember {
		r.mark(row, int(members.links[l].member))
	}
	r.rooms.recordMove(at, row)
}

func (r *Relevance) markAll(rows set.Bitset, entity int) {
	for row := rows.Next(0); row >= 0; row = rows.Next(row + 1) {
		r.mark(row, entity)
	}
}

// addMember adds a client or an entity, depending on side, to a room. It returns the room's index,
// and false if nothing has changed.
func (r *rooms) addMember(side *roster, number uint32, member int) (int32, bool) {
	at := r.lookup(number)
	if at >= 0 && side.findLink(member, at) != 0 {
		return at, false
	}
	if at < 0 && len(r.free) == 0 && len(r.all) == MaxRooms || side.used == MaxMemberships {
		r.refused++
		return at, false
	}
	if at < 0 {
		at = r.newRoom(number)
	}
	side.link(member, at)
	return at, true
}

// quit removes a client or an entity, depending on side, from a room. It returns the room's index,
// and false if nothing has changed.
func (r *rooms) quit(side *roster, number uint32, member int) (int32, bool) {
	at := r.lookup(number)
	if at < 0 {
		return at, false
	}
	l := side.findLink(member, at)
	if l == 0 {
		return at, false
	}
	side.unlink(l)
	return at, true
}

// lookup returns the index of a room that is in use, or -1.
func (r *rooms) lookup(number uint32) int32 { return r.index.lookup(r.all, number) }

func (r *rooms) newRoom(number uint32) int32 {
	var at int32
	if n := len(r.free); n > 0 {
		at, r.free = r.free[n-1], r.free[:n-1]
	} else {
		at = int32(len(r.all))
		r.all = append(r.all, room{})
	}
	r.all[at].number = number
	r.index.addRoom(r.all, at)
	return at
}

// freeRoom frees the index of a room, unless the room has members or is in moves.
func (r *rooms) freeRoom(at int32) {
	room := &r.all[at]
	if r.clients.ofRoom(at) != 0 || r.entities.ofRoom(at) != 0 || !room.moved.Empty() {
		return
	}
	r.index.removeRoom(r.all, at)
	r.free = append(r.free, at)
}

func (r *rooms) recordMove(at int32, row int) {
	room := &r.all[at]
	room.moved.Grow(row + 1)
	if !room.moved.Has(row) {
		room.moved.Set(row)
		r.moves = append(r.moves, Move{Room: room.number, Client: row})
	}
}

func (r *rooms) clearMoves() {
	for _, m := range r.moves {
		at := r.lookup(m.Room)
		r.all[at].moved.Clear(m.Client)
		r.freeRoom(at)
	}
	r.moves = r.moves[:0]
}

// shared reports whether a client and an entity are in the same room.
func (r *rooms) shared(row, entity int) bool {
	for l := r.entities.ofMember(entity); l != 0; l = r.entities.links[l].nextRoom {
		if r.all[r.entities.links[l].room].clients.Has(row) {
			return true
		}
	}
	return false
}

func (r *rooms) forgetClient(row int) {
	for l := r.clients.ofMember(row); l != 0; l = r.clients.ofMember(row) {
		at := r.clients.links[l].room
		r.clients.unlink(l)
		r.all[at].clients.Clear(row)
		r.freeRoom(at)
	}
}

func (r *rooms) forgetEntity(entity int) {
	for l := r.entities.ofMember(entity); l != 0; l = r.entities.ofMember(entity) {
		at := r.entities.links[l].room
		r.entities.unlink(l)
		r.freeRoom(at)
	}
}
