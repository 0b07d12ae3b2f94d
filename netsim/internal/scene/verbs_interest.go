package scene

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

var relevances = map[string]components.Relevance{
	"always": components.Always, "interest": components.ByInterest, "retained": components.Retained,
}

// setRelevance implements "relevance NAME always|interest|retained", which sets the Relevance of an
// entity of the server's world, which has components.Replicate: whether interest decides which
// clients see it.
func (c *commands) setRelevance(args *script.Args, _ *script.Trace) {
	m, word := c.replicateArg(args), args.Word()
	r, ok := relevances[word]
	if !ok {
		args.Fail(fmt.Errorf("%q is no relevance; give always, interest or retained", word))
	}
	if args.Err() == nil {
		m.Relevance = r
	}
}

var errRoom = errors.New("give a room, then add or remove, then client CLIENTS or entity NAME")

// changeRoom implements "room NUMBER add|remove client CLIENTS", which adds clients to a room, or
// removes them, and "room NUMBER add|remove entity NAME", which does the same with an entity of the
// server's world. A client's number is its id.
func (g *Game) changeRoom(c *commands, args *script.Args) {
	room, add := roomArg(args), args.Take("add")
	switch {
	case !add && !args.Take("remove"):
		args.Fail(errRoom)
	case args.Take("client"):
		g.changeRoomOfClients(room, args, add)
	case args.Take("entity"):
		if _, e := c.entityArg(args); args.Err() == nil {
			g.changeRoomOfEntity(room, e, add)
		}
	default:
		args.Fail(errRoom)
	}
}

func (g *Game) changeRoomOfClients(room components.Room, args *script.Args, add bool) {
	rooms, expected := g.rooms(), g.expectedRelevance()
	g.eachClientArg(args, func(client entangle.ClientID) {
		if add {
			rooms.AddClient(room, client)
		} else {
			rooms.RemoveClient(room, client)
		}
	}, func(client entangle.ClientID) { expected.setClient(room, client, add) })
}

func (g *Game) changeRoomOfEntity(room components.Room, e ecs.Entity, add bool) {
	rooms := g.rooms()
	if add {
		rooms.AddEntity(room, e)
	} else {
		rooms.RemoveEntity(room, e)
	}
	g.expectedRelevance().setEntity(room, e, add)
}

// rooms returns the rooms of the server.
func (g *Game) rooms() *plugin.Rooms {
	rooms := plugin.NewRooms(g.sim.World())
	return &rooms
}

// showEntity implements "gain NAME CLIENTS", which makes an entity of the server's world relevant to
// clients. A client's number is its id.
func (g *Game) showEntity(c *commands, args *script.Args) {
	g.changeRelevance(c, args, (*plugin.Relevance).Show, func(r *relevance, at pairing) { r.set[at] = true })
}

// hideEntity implements "lose NAME CLIENTS", which makes an entity irrelevant to clients.
func (g *Game) hideEntity(c *commands, args *script.Args) {
	g.changeRelevance(c, args, (*plugin.Relevance).Hide, func(r *relevance, at pairing) { r.set[at] = false })
}

// clearRelevance implements "forget NAME CLIENTS", which undoes gain and lose.
func (g *Game) clearRelevance(c *commands, args *script.Args) {
	g.changeRelevance(c, args, (*plugin.Relevance).Clear, func(r *relevance, at pairing) { delete(r.set, at) })
}

// relevanceChange is a method of plugin.Relevance.
type relevanceChange = func(*plugin.Relevance, ecs.Entity, entangle.ClientID) bool

// changeRelevance changes the relevance of an entity to clients, at the server and as expected.
func (g *Game) changeRelevance(c *commands, args *script.Args, change relevanceChange, expect func(*relevance, pairing)) {
	_, e := c.entityArg(args)
	if args.Err() != nil {
		return
	}
	server, expected := plugin.NewRelevance(g.sim.World()), g.expectedRelevance()
	g.eachClientArg(args, func(client entangle.ClientID) { change(&server, e, client) },
		func(client entangle.ClientID) { expect(expected, pairing{client, e}) })
}

// eachClientArg takes a list of clients and calls change for all of them, and expect for those that
// are connected, because the plugin keeps nothing for the others.
func (g *Game) eachClientArg(args *script.Args, change, expect func(entangle.ClientID)) {
	for _, client := range clientIDArgs(args) {
		change(client)
		if g.isConnected(client) {
			expect(client)
		}
	}
}

var errViewer = errors.New("give radius NUMBER, then room NUMBER if it sees for a room; or off")

// setViewer implements "viewer NAME radius NUMBER [room ROOM]", which makes an entity of the server's
// world a viewer for the client that controls it, or for the clients in a room, and "viewer NAME
// off", which removes the viewer.
func (c *commands) setViewer(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	id := ecs.ComponentID[components.Viewer](c.world())
	off := args.Take("off")
	var v components.Viewer
	if !off {
		v = viewerArg(args)
	}
	switch {
	case args.Err() != nil:
	case !off:
		c.putComponent(e, id, &v)
	case c.world().Has(e, id):
		c.world().Remove(e, id)
	default:
		args.Fail(script.NoSubject("%q is no viewer", name))
	}
}

// viewerArg takes the words of a viewer.
func viewerArg(a *script.Args) (v components.Viewer) {
	if !a.Take("radius") {
		a.Fail(errViewer)
	}
	v.Radius = float32(a.Int())
	if a.Take("room") {
		v.Room = roomArg(a)
	}
	return v
}
