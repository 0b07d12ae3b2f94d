package netsim

import (
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// GameScene is a Scene of a simulation: scripts run against the game's server and
// its clients. The trace tells what clients see.
type GameScene struct {
	sim   *Sim
	join  func(id entangle.ClientID) *Peer
	gone  map[int]bool // disconnected by the script
	views []*view      // what was told of each client
	types []*Type
}

var _ Scene = (*GameScene)(nil)

// NewScene makes a scene of a simulation that has its server. join adds a client
// to it; the scene numbers clients from 1, which are their ids too.
func NewScene(sim *Sim, join func(id entangle.ClientID) *Peer) *GameScene {
	return &GameScene{sim: sim, join: join, gone: map[int]bool{}}
}

// Verbs returns the standard verbs, and those that need a real server:
//
//	kick CLIENTS REASON      the server disconnects clients
//	reconnect [CLIENTS]      clients that are disconnected connect with new tokens
//	drift server|CLIENTS PPM           their clocks run so many parts per million faster
//	freeze server|CLIENTS DURATION     their frames stop for so long, then go on
//	framerate server|CLIENTS NUMBER    they run so many frames per second
//	delay CLIENTS MIN [MAX [PREDICTED]]  their inputs act so many ticks later
//	press CLIENTS NAME INPUTS          their players write inputs for an entity of theirs
//	room NUMBER add|remove client CLIENTS, room NUMBER add|remove entity NAME
//	gain|lose|forget NAME CLIENTS    the entity matters to them, does not, or may do either
//
// What the last two say is remembered, and the simulation goes by that when it compares
// worlds: from the first of them on, the game itself must leave rooms and plugin.Relevance
// alone. Without any, the simulation asks the server what matters to whom.
func (g *GameScene) Verbs(types ...reflect.Type) Verbs { return g.VerbsOf(g, types...) }

// VerbsOf returns these verbs for a scene that is this one with some methods of its own.
func (g *GameScene) VerbsOf(scene Scene, types ...reflect.Type) Verbs {
	c := newCast(scene, types)
	verbs := c.verbs()
	verbs["kick"] = g.kick
	verbs["reconnect"] = g.reconnect
	for name, verb := range map[string]func(*cast, *Args) error{
		"room": g.room, "gain": g.gain, "lose": g.lose, "forget": g.forget,
		"drift": g.drift, "freeze": g.freeze, "framerate": g.frameRate, "delay": g.delay, "press": g.press,
	} {
		verbs[name] = func(args *Args, _ *Trace) error { return verb(c, args) }
	}
	return verbs
}

// Use makes types known to the verbs that are asked for after it: those of overrides
// and resources.
func (g *GameScene) Use(types ...*Type) { g.types = append(g.types, types...) }

func (g *GameScene) usedTypes() []*Type { return g.types }

func (g *GameScene) peer(client int) *Peer { return g.sim.peers[client-1] }

// Clients implements Scene.
func (g *GameScene) Clients() (clients []int) {
	for i := range g.sim.peers {
		if !g.gone[i+1] {
			clients = append(clients, i+1)
		}
	}
	return clients
}

// Line implements Scene.
func (g *GameScene) Line(client int) *Line { return g.peer(client).line }

var errJoin = errors.New("the scene's join must add one client to the simulation, and nobody else may")

// Connect implements Scene.
func (g *GameScene) Connect() (client int, err error) {
	client = len(g.views) + 1
	p := g.join(entangle.ClientID(client))
	if len(g.sim.peers) != client || g.sim.peers[client-1] != p {
		return 0, errJoin
	}
	g.views = append(g.views, &view{peer: p, number: client, state: plugin.Connecting})
	return client, nil
}

// Disconnect implements Scene.
func (g *GameScene) Disconnect(client int) error {
	g.peer(client).Disconnect()
	g.gone[client] = true
	return nil
}

func (g *GameScene) kick(args *Args, _ *Trace) error {
	clients, err := args.Clients(g.Clients())
	if err != nil {
		return err
	}
	reason := strings.Join(args.Rest(), " ")
	for _, client := range clients {
		if !g.sim.plugin.Disconnect(g.peer(client).id, reason) {
			return noSubject("client %d is not connected", client)
		}
		g.gone[client] = true
	}
	return nil
}

func (g *GameScene) reconnect(args *Args, _ *Trace) error {
	var out []int
	for i, p := range g.sim.peers {
		if p.client.State() == plugin.Disconnected {
			out = append(out, i+1)
		}
	}
	clients, err := args.Clients(out)
	if err != nil {
		return err
	}
	for _, client := range clients {
		g.peer(client).Connect()
		delete(g.gone, client)
	}
	return nil
}

// World implements Scene.
func (g *GameScene) World(number int) *ecs.World {
	if number == 0 {
		return g.sim.World()
	}
	return g.peer(number).world
}

// Local implements Scene.
func (g *GameScene) Local(client int, server ecs.Entity) (ecs.Entity, bool) {
	return g.peer(client).Local(server)
}

// Equal implements Scene, for the clients that were not disconnected.
func (g *GameScene) Equal() error {
	for _, client := range g.Clients() {
		if err := g.peer(client).Equal(); err != nil {
			return err
		}
	}
	return nil
}

// Synced reports whether a client knows the server's time.
func (g *GameScene) Synced(client int) bool { return g.peer(client).client.Clock().Synced }

// Run implements Scene. The trace has a line for each client that connects or
// disconnects, for each entity that appears on a client or vanishes, and for each
// component that it gains, loses or has anew. Entities are those of the client's
// world.
func (g *GameScene) Run(d time.Duration, trace *Trace) error {
	g.sim.RunUntil(d, func() bool {
		for _, v := range g.views {
			v.tell(trace)
		}
		return false
	})
	return nil
}
