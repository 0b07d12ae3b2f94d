package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Rooms relate clients to the entities that matter to them: those of one map, match,
// party or sector. A client gains relevance of the entities of its rooms, if these are
// components.ByInterest or Retained in their Replicate; an entity or a client may be in
// any number of rooms. The clients of a room are a target too, see
// components.Targets.Room.
//
// It is for the server. Rooms need not be made, and are gone when nobody is in them. What
// is done in a frame counts at its end, and only the outcome: where a client and an entity
// go from one room to another together, nothing despawns. A membership ends with
// the client's connection, and with the entity; a client that connects again is in no
// room. An entity may be put into rooms before it is replicated, and stays there through
// pauses.
//
// All methods panic for room 0, which is none, and from 2^31 on.
type Rooms struct {
	world    *ecs.World
	interest *source.Interest
}

// NewRooms returns the rooms of a world. It is made in a system's Initialize and kept; all
// that are made are the same. It panics in a world without a server.
func NewRooms(w *ecs.World) Rooms {
	return Rooms{world: w, interest: serverOf(w, "NewRooms").Interest()}
}

// serverOf returns the publisher of the server in a world.
func serverOf(w *ecs.World, who string) *source.Publisher {
	d, ok := w.Resources().Get(ecs.ResourceID[door](w)).(*door)
	if !ok || d.publisher == nil {
		panic(fmt.Sprintf("plugin: %s in a world without a server; call it from the Initialize of a system "+
			"that was added to the Server, or after that is initialised", who))
	}
	return d.publisher
}

// AddClient puts a client into a room, and reports whether it was not there. For a client
// that is not connected, or not any more, nothing happens.
func (r *Rooms) AddClient(room components.Room, client entangle.ClientID) bool {
	number := roomNumber(room)
	row, ok := r.interest.Row(client)
	return ok && r.interest.Relevance().AddClient(number, row)
}

// RemoveClient takes a client out of a room, and reports whether it was there.
func (r *Rooms) RemoveClient(room components.Room, client entangle.ClientID) bool {
	number := roomNumber(room)
	row, ok := r.interest.Row(client)
	return ok && r.interest.Relevance().RemoveClient(number, row)
}

// AddEntity puts an entity into a room, and reports whether it was not there. It panics if
// the entity is not alive.
func (r *Rooms) AddEntity(room components.Room, e ecs.Entity) bool {
	number := roomNumber(room)
	if !r.world.Alive(e) {
		panic(fmt.Sprintf("plugin: AddEntity of %v to a room, which is not alive; ask World.Alive of entities that are kept", e))
	}
	return r.interest.Relevance().AddEntity(number, r.interest.Number(e))
}

// RemoveEntity takes an entity out of a room, and reports whether it was there.
func (r *Rooms) RemoveEntity(room components.Room, e ecs.Entity) bool {
	number := roomNumber(room)
	return r.world.Alive(e) && r.interest.Relevance().RemoveEntity(number, r.interest.Number(e))
}

// HasClient reports whether a client is in a room.
func (r *Rooms) HasClient(room components.Room, client entangle.ClientID) bool {
	number := roomNumber(room)
	row, ok := r.interest.Row(client)
	return ok && r.interest.Relevance().InRoom(number, row)
}

// HasEntity reports whether an entity is in a room.
func (r *Rooms) HasEntity(room components.Room, e ecs.Entity) bool {
	number := roomNumber(room)
	return r.world.Alive(e) && r.interest.Relevance().Holds(number, r.interest.Number(e))
}

// Clients appends the clients that are in a room, in no order to rely on.
func (r *Rooms) Clients(dst []entangle.ClientID, room components.Room) []entangle.ClientID {
	number := roomNumber(room)
	for row := range r.interest.Rows() {
		if client, _ := r.interest.Tenant(row); r.interest.Relevance().InRoom(number, row) {
			dst = append(dst, client)
		}
	}
	return dst
}

// Entities appends the entities that are in a room, in no order to rely on.
func (r *Rooms) Entities(dst []ecs.Entity, room components.Room) []ecs.Entity {
	roomNumber(room)
	return r.interest.AppendEntities(dst, room)
}

// roomNumber returns the number of a room that is one.
func roomNumber(room components.Room) uint32 {
	if room == 0 || room >= 1<<31 {
		panic(fmt.Sprintf("plugin: %d is no room; number rooms from 1 to %d", room, uint32(1<<31-1)))
	}
	return uint32(room)
}
