package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// grid returns the system that finds things near viewers.
func grid() plugin.System {
	return plugin.NewGrid(plugin.GridConfig{Radius: radius, Hysteresis: hysteresis},
		func(p *Place) (x, y float32) { return p.X, p.Y })
}

// addViewers makes players and lanterns viewers, if distance matters. A player sees for its own
// client, a lantern for the clients of its team.
func (g *serverGame) addViewers(w *ecs.World) func() {
	things := generic.NewFilter2[Thing, Place]()
	blind, seeing := things.Without(generic.T[components.Viewer]()), generic.NewFilter1[components.Viewer]()
	viewers := generic.NewMap1[components.Viewer](w)
	var found []ecs.Entity
	var eyes []components.Viewer
	return func() {
		found, eyes = found[:0], eyes[:0]
		if !g.Grid {
			for query := seeing.Query(w); query.Next(); {
				found = append(found, query.Entity())
			}
			for _, e := range found {
				viewers.Remove(e)
			}
			return
		}
		for query := blind.Query(w); query.Next(); {
			if thing, _ := query.Get(); thing.Kind != dot {
				found, eyes = append(found, query.Entity()), append(eyes, thing.viewer())
			}
		}
		for i, e := range found {
			viewers.Assign(e, &eyes[i])
		}
	}
}

// viewer returns the Viewer of a player or a lantern.
func (t *Thing) viewer() components.Viewer {
	if t.Kind == lantern {
		return components.Viewer{Room: teamRoom(t.Team)}
	}
	return components.Viewer{}
}

// assignRooms keeps all things in the rooms of their chambers, and the clients of players in the
// rooms of their players, if chambers matter.
func (g *serverGame) assignRooms(w *ecs.World) func() {
	rooms := plugin.NewRooms(w)
	things := generic.NewFilter2[Thing, Place]()
	at := map[ecs.Entity]components.Room{}
	return func() {
		for query := things.Query(w); query.Next(); {
			thing, place := query.Get()
			room := components.Room(0)
			if g.Rooms {
				room = chamberAt(*place).room()
			}
			if e := query.Entity(); at[e] != room {
				move(&rooms, e, thing, at[e], room)
				at[e] = room
			}
		}
	}
}

// move moves a thing from one room to another, and with a player also its client. Room zero stands
// for no room.
func move(rooms *plugin.Rooms, e ecs.Entity, thing *Thing, from, to components.Room) {
	client := entangle.ClientID(thing.Number)
	if from != 0 {
		rooms.RemoveEntity(from, e)
	}
	if to != 0 {
		rooms.AddEntity(to, e)
	}
	if thing.Kind != player {
		return
	}
	if from != 0 {
		rooms.RemoveClient(from, client)
	}
	if to != 0 {
		rooms.AddClient(to, client)
	}
}
