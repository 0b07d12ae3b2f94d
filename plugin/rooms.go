package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Rooms connect clients with the entities that matter to them: those of one map, match, party or
// sector. The entities of a client's rooms are relevant to it if their Replicate says
// components.ByInterest or Retained. An entity or a client may be in any number of rooms. The
// clients of a room can also be a target, see components.Targets.Room.
//
// It is for the server. Rooms need no creation, and end when they are empty. Changes take effect at
// the end of the frame, and only the final result counts: if a client and an entity move together
// from one room to another, nothing despawns. A membership ends with the client's connection and
// with the entity; a client that reconnects is in no room. An entity may be added to rooms before
// it is replicated, and stays there through pauses.
//
// All methods panic for room 0, which is invalid, and from 2^31 on.
type Rooms struct {
	world    *ecs.World
	interest *source.Interest
}

// NewRooms returns the rooms of a world. It is made in a system's Initialize and kept; all Rooms
// values of a world share their members. It panics in a world without a server.
func NewRooms(w *ecs.World) Rooms {
	return Rooms{world: w, interest: serverOf(w, "NewRooms").Interest()}
}

// serverOf returns the collector of the server in a world.
func serverOf(w *ecs.World, who string) *source.Collector {
	app := apps.Of(w)
	if app == nil || app.Collector == nil {
		panic(fmt.Sprintf("plugin: %s in a world without a server; call it from the Initialize of a system "+
			"that was added to the Server, or after that is initialised", who))
	}
	return app.Collector
}

// AddClient adds a client to a room, and reports whether it was not a member before. For a client
// that is not connected, nothing happens.
func (r *Rooms) AddClient(room components.Room, client entangle.ClientID) bool {
	number := roomNumber(room)
	row, ok := r.interest.Row(client)
	return ok && r.interest.Relevance().AddClient(number, row)
}

// RemoveClient removes a client from a room, and reports whether it was a member.
func (r *Rooms) RemoveClient(room components.Room, client entangle.ClientID) bool {
	number := roomNumber(room)
	row, ok := r.interest.Row(client)
	return ok && r.interest.Relevance().RemoveClient(number, row)
}

// AddEntity adds an entity to a room, and reports whether it was not in it before. It panics if the
// entity is not alive.
func (r *Rooms) AddEntity(room components.Room, e ecs.Entity) bool {
	number := roomNumber(room)
	if !r.world.Alive(e) {
		panic(fmt.Sprintf("plugin: AddEntity to a room of %v, which is not alive; ask World.Alive of entities that are kept", e))
	}
	return r.interest.Relevance().AddEntity(number, r.interest.Number(e))
}

// RemoveEntity removes an entity from a room, and reports whether it was in it.
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

// Clients appends the clients in a room, in unspecified order.
func (r *Rooms) Clients(dst []entangle.ClientID, room components.Room) []entangle.ClientID {
	number := roomNumber(room)
	for row := range r.interest.Rows() {
		if client, _ := r.interest.ClientOf(row); r.interest.Relevance().InRoom(number, row) {
			dst = append(dst, client)
		}
	}
	return dst
}

// Entities appends the entities in a room, in unspecified order.
func (r *Rooms) Entities(dst []ecs.Entity, room components.Room) []ecs.Entity {
	roomNumber(room)
	return r.interest.AppendEntities(dst, room)
}

// roomNumber returns the number of a room, and panics for an invalid one.
func roomNumber(room components.Room) uint32 {
	if room == 0 || room >= 1<<31 {
		panic(fmt.Sprintf("plugin: %d is no room; number rooms from 1 to %d", room, uint32(1<<31-1)))
	}
	return uint32(room)
}
