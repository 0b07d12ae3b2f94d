package netsim

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

var errRoom = errors.New("give a room, then add or remove, then client CLIENTS or entity NAME")

// room NUMBER add|remove client CLIENTS adds clients to a room, or removes them; room NUMBER
// add|remove entity NAME does the same with an entity of the server's world. A client's number is
// its id.
func (g *GameScene) room(c *cast, args *Args) error {
	room, err := args.Room()
	if err != nil {
		return err
	}
	add := args.Take("add")
	if !add && !args.Take("remove") {
		return errRoom
	}
	switch {
	case args.Take("client"):
		return g.roomClients(room, args, add)
	case args.Take("entity"):
		_, e, err := c.entity(args)
		if err == nil {
			g.roomEntity(room, e, add)
		}
		return err
	default:
		return errRoom
	}
}

func (g *GameScene) roomClients(room components.Room, args *Args, add bool) error {
	rooms, said := g.rooms(), g.sim.saying()
	return g.each(args, func(client entangle.ClientID) {
		if add {
			rooms.AddClient(room, client)
		} else {
			rooms.RemoveClient(room, client)
		}
	}, func(client entangle.ClientID) { said.inhabit(room, client, add) })
}

func (g *GameScene) roomEntity(room components.Room, e ecs.Entity, add bool) {
	rooms := g.rooms()
	if add {
		rooms.AddEntity(room, e)
	} else {
		rooms.RemoveEntity(room, e)
	}
	g.sim.saying().furnish(room, e, add)
}

// rooms returns the rooms of the server.
func (g *GameScene) rooms() *plugin.Rooms {
	rooms := plugin.NewRooms(g.sim.World())
	return &rooms
}

// Room takes the number of a room.
func (a *Args) Room() (components.Room, error) {
	n, err := a.Int()
	if err == nil && (n <= 0 || uint64(n) >= 1<<31) {
		err = fmt.Errorf("%d is no room; give a number from 1 to %d", n, 1<<31-1)
	}
	return components.Room(n), err
}
