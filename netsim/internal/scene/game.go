package scene

import (
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// Game is a Scene backed by a simulation: scripts run against the game's server and its
// clients. The trace shows the clients' view.
type Game struct {
	sim   *netsim.Sim
	join  func(id entangle.ClientID) *netsim.Peer
	gone  map[int]bool // disconnected by the script
	views []*view      // the last traced state of each client
	types []*Type

	relevance *relevance // set by the script, nil if none is
}

var _ Scene = (*Game)(nil)

// New makes a scene of a simulation that already has its server. join adds a client to the
// simulation; the scene numbers clients from 1, and these numbers are also their ids.
func New(sim *netsim.Sim, join func(id entangle.ClientID) *netsim.Peer) *Game {
	return &Game{sim: sim, join: join, gone: map[int]bool{}}
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
//	teleport NAME            marks the entity's present values as a teleport
//	room NUMBER add|remove client CLIENTS, room NUMBER add|remove entity NAME
//	gain|lose|forget NAME CLIENTS    makes the entity relevant to them, irrelevant, or neither
//
// The scene remembers the effects of the last two, and the simulation uses them when it compares
// worlds: after the first such command, the game itself must not use rooms or plugin.Relevance. If
// a script has none, the simulation asks the server for the relevance.
func (g *Game) Verbs(types ...reflect.Type) script.Verbs { return g.VerbsOf(g, types...) }

// VerbsOf returns these verbs for scene, which wraps this scene and replaces some of its methods.
func (g *Game) VerbsOf(scene Scene, types ...reflect.Type) script.Verbs {
	c := newCommands(scene, types)
	verbs := c.verbs()
	verbs["kick"] = g.kickClients
	verbs["reconnect"] = g.reconnectClients
	for name, verb := range map[string]func(*commands, *script.Args){
		"room": g.changeRoom, "gain": g.showEntity, "lose": g.hideEntity, "forget": g.clearRelevance,
		"drift": g.setDrift, "freeze": g.freezeFrames, "framerate": g.setFrameRate, "delay": g.setInputDelay, "press": g.pressInputs, "teleport": g.teleport,
	} {
		verbs[name] = func(args *script.Args, _ *script.Trace) { verb(c, args) }
	}
	return verbs
}

// Use registers types of overrides and resources for the verbs that are requested afterwards.
func (g *Game) Use(types ...*Type) { g.types = append(g.types, types...) }

func (g *Game) usedTypes() []*Type { return g.types }

func (g *Game) peer(client int) *netsim.Peer { return g.sim.Peers()[client-1] }

// Clients implements Scene.
func (g *Game) Clients() (clients []int) {
	for i := range g.sim.Peers() {
		if !g.gone[i+1] {
			clients = append(clients, i+1)
		}
	}
	return clients
}

// Line implements Scene.
func (g *Game) Line(client int) *netsim.Line { return g.peer(client).Line() }

var errJoin = errors.New("the scene's join must add one client to the simulation, and nobody else may")

// Connect implements Scene.
func (g *Game) Connect() (client int, err error) {
	client = len(g.views) + 1
	p := g.join(entangle.ClientID(client))
	if peers := g.sim.Peers(); len(peers) != client || peers[client-1] != p {
		return 0, errJoin
	}
	g.views = append(g.views, &view{clock: g.sim.Clock(), peer: p, number: client, state: plugin.Connecting})
	return client, nil
}

// Disconnect implements Scene.
func (g *Game) Disconnect(client int) error {
	g.peer(client).Disconnect()
	g.gone[client] = true
	return nil
}

// kickClients implements "kick CLIENTS REASON".
func (g *Game) kickClients(args *script.Args, _ *script.Trace) {
	clients := args.Clients(g.Clients())
	reason := strings.Join(args.Rest(), " ")
	for _, client := range clients {
		if !g.sim.Server().Disconnect(g.peer(client).ID(), reason) {
			args.Fail(script.NoSubject("client %d is not connected", client))
			return
		}
		g.gone[client] = true
	}
}

// reconnectClients implements "reconnect [CLIENTS]".
func (g *Game) reconnectClients(args *script.Args, _ *script.Trace) {
	var out []int
	for i, p := range g.sim.Peers() {
		if p.Client().State() == plugin.Disconnected {
			out = append(out, i+1)
		}
	}
	for _, client := range args.Clients(out) {
		g.peer(client).Connect()
		delete(g.gone, client)
	}
}

// World implements Scene.
func (g *Game) World(number int) *ecs.World {
	if number == 0 {
		return g.sim.World()
	}
	return g.peer(number).World()
}

// Local implements Scene.
func (g *Game) Local(client int, server ecs.Entity) (ecs.Entity, bool) {
	return g.peer(client).Local(server)
}

// Equal implements Scene, for the clients that the script has not disconnected.
func (g *Game) Equal() error {
	for _, client := range g.Clients() {
		if err := g.peer(client).Equal(); err != nil {
			return err
		}
	}
	return nil
}

// Synced reports whether a client's clock is synchronised with the server's.
func (g *Game) Synced(client int) bool { return g.peer(client).Client().Stats().Clock.Synced }

// Run implements Scene. The trace has a line for each client that connects or disconnects, for each
// entity that appears on a client or disappears, and for each component that is added, removed or
// changed. Entities are those of the client's world.
func (g *Game) Run(d time.Duration, trace *script.Trace) error {
	g.sim.RunUntil(d, func() bool {
		for _, v := range g.views {
			v.traceChanges(trace)
		}
		return false
	})
	return nil
}
