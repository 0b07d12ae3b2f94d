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

// GameScene is a Scene backed by a simulation: scripts run against the game's server and its
// clients. The trace shows the clients' view.
type GameScene struct {
	sim   *Sim
	join  func(id entangle.ClientID) *Peer
	gone  map[int]bool // disconnected by the script
	views []*view      // the last traced state of each client
	types []*Type
}

var _ Scene = (*GameScene)(nil)

// NewScene makes a scene of a simulation that already has its server. join adds a client to the
// simulation; the scene numbers clients from 1, and these numbers are also their ids.
func NewScene(sim *Sim, join func(id entangle.ClientID) *Peer) *GameScene {
	return &GameScene{sim: sim, join: join, gone: map[int]bool{}}
}

// Verbs returns the standard verbs, and those that need a real server:
//
//	kick CLIENTS REASON      the server disconnects clients
//	reconnect [CLIENTS]      disconnected clients connect with new tokens
//	drift server|CLIENTS PPM           their clocks run faster by PPM parts per million
//	freeze server|CLIENTS DURATION     they run no frames for the duration
//	framerate server|CLIENTS NUMBER    they run NUMBER frames per second
//	delay CLIENTS MIN [MAX [PREDICTED]]  sets their input delay in ticks
//	press CLIENTS NAME INPUTS          their players write inputs for an entity that they own
//	room NUMBER add|remove client CLIENTS, room NUMBER add|remove entity NAME
//	gain|lose|forget NAME CLIENTS    makes the entity relevant to them, irrelevant, or neither
//
// The scene remembers the effects of the last two, and the simulation uses them when it compares
// worlds: after the first such command, the game itself must not use rooms or plugin.Relevance. If
// a script has none, the simulation asks the server for the relevance.
func (g *GameScene) Verbs(types ...reflect.Type) Verbs { return g.VerbsOf(g, types...) }

// VerbsOf returns these verbs for scene, which wraps this scene and replaces some of its methods.
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

// Use registers types of overrides and resources for the verbs that are requested afterwards.
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

// Equal implements Scene, for the clients that the script has not disconnected.
func (g *GameScene) Equal() error {
	for _, client := range g.Clients() {
		if err := g.peer(client).Equal(); err != nil {
			return err
		}
	}
	return nil
}

// Synced reports whether a client's clock is synchronised with the server's.
func (g *GameScene) Synced(client int) bool { return g.peer(client).client.Clock().Synced }

// Run implements Scene. The trace has a line for each client that connects or disconnects, for each
// entity that appears on a client or disappears, and for each component that is added, removed or
// changed. Entities are those of the client's world.
func (g *GameScene) Run(d time.Duration, trace *Trace) error {
	g.sim.RunUntil(d, func() bool {
		for _, v := range g.views {
			v.tell(trace)
		}
		return false
	})
	return nil
}
