package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// rules are the options of a server.
type rules struct {
	Rules
	dots int
	// leak shows all dots to all clients, to check that the judge notices it.
	leak bool
}

// Speeds of things, in cells per tick.
const (
	dotSpeed    = 0.02
	playerSpeed = 0.07
)

// speed returns how far a thing moves in a tick. Dots and players never rest.
func (t *Thing) speed() float64 {
	return [...]float64{dot: dotSpeed, player: playerSpeed, lantern: 0}[t.Kind]
}

// serverGame is the server of the game.
type serverGame struct {
	*plugin.Server
	rules
	seed  uint64 // of the random walks
	judge *judge

	world   *ecs.World
	walkers *walkers
	spawn   generic.Map3[Thing, Place, components.Replicate]
	walks   generic.Map1[Walk]
	owners  generic.Map1[components.ControlledBy]
	rooms   plugin.Rooms
}

// newServerGame returns a server with the game in it. The caller passes config, so that a test can
// use another clock.
func newServerGame(config plugin.ServerConfig, r rules, seed uint64) (*serverGame, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	game := &serverGame{Server: server, rules: r, seed: seed, judge: newJudge()}
	server.AddSystem(plugin.FixedMain, plugin.Func(game.live))
	server.AddSystem(plugin.BeforeSend, plugin.Func(game.assignRooms))
	server.AddSystem(plugin.BeforeSend, plugin.Func(game.addViewers))
	server.AddSystem(plugin.BeforeSend, grid())
	server.AddSystem(plugin.AfterSend, plugin.Func(game.watch))
	return game, nil
}

// live returns the system that creates the things, and moves them.
func (g *serverGame) live(w *ecs.World) func() {
	g.world, g.walkers = w, newWalkers(g.seed)
	g.spawn = generic.NewMap3[Thing, Place, components.Replicate](w)
	g.walks = generic.NewMap1[Walk](w)
	g.owners = generic.NewMap1[components.ControlledBy](w)
	g.rooms = plugin.NewRooms(w)
	ecs.AddResource(w, &g.Rules)
	plugin.ReplicateResource[Rules](w, components.Everyone)
	g.sow()
	places := generic.NewFilter1[Place]()
	connected := plugin.NewReader[plugin.ClientConnected](w)
	return func() {
		for _, event := range connected.Read() {
			g.createPlayer(event.Client)
		}
		g.walkers.step(w)
		for query := places.Query(w); query.Next(); {
			query.Get().Tick = g.Tick()
		}
	}
}

// sow creates the dots and the lanterns.
func (g *serverGame) sow() {
	relevance := components.ByInterest
	if g.leak {
		relevance = components.Always
	}
	for number := range g.dots {
		g.walker(Thing{Kind: dot, Number: uint16(number)}, dotSpeed, components.Replicate{Relevance: relevance, Interpolate: components.Everyone})
	}
	targets := ecs.GetResource[components.Targets](g.world)
	for number, c := range []chamber{1, 5} {
		team := uint8(number + 1)
		x, y := c.corner()
		g.spawn.NewWith(
			&Thing{Kind: lantern, Number: uint16(number), Team: team},
			&Place{X: x + chamberWidth/2, Y: y + chamberHeight/2},
			&components.Replicate{Target: targets.Room(teamRoom(team)), Interpolate: components.Everyone})
	}
}

// walker creates a walking thing.
func (g *serverGame) walker(t Thing, speed float32, r components.Replicate) ecs.Entity {
	place, walk := g.walkers.newWalk(speed)
	e := g.spawn.NewWith(&t, &place, &r)
	g.walks.Assign(e, &walk)
	return e
}

// createPlayer creates the player of a client. It is always visible to that client, and to other
// clients if it matters to them, like a dot.
func (g *serverGame) createPlayer(client entangle.ClientID) {
	number := uint16(client)
	e := g.walker(Thing{Kind: player, Number: number, Team: teamOf(number)}, playerSpeed,
		components.Replicate{Relevance: components.ByInterest, Interpolate: components.Everyone})
	g.owners.Assign(e, &components.ControlledBy{Client: client})
	g.rooms.AddClient(teamRoom(teamOf(number)), client)
}

// watch returns the system that passes each tick to the judge.
func (g *serverGame) watch(w *ecs.World) func() {
	view := newView(w)
	return func() { g.judge.recordTick(g.Tick(), g.Rules, view.things()) }
}
