package main

import (
	"math"
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// serverGame is the server of the game.
type serverGame struct {
	*plugin.Server
	rules    Rules
	warnings int // number of events of a broken bound
	latest   plugin.BoundExceeded
}

// newServerGame returns a server with the game in it. The caller passes config, so that a test can
// use another clock.
func newServerGame(config plugin.ServerConfig, r Rules) (*serverGame, error) {
	config.MaxBytesPerClient = r.Cap
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	game := &serverGame{Server: server, rules: r}
	server.AddSystem(plugin.FixedMain, plugin.Func(game.turn))
	server.AddSystem(plugin.AfterSend, plugin.Func(game.heed))
	return game, nil
}

// turn returns a system that creates the dots, and turns all of them in every tick, which makes
// more updates than the cap allows.
func (g *serverGame) turn(w *ecs.World) func() {
	g.tell(w)
	g.sow(w)
	filter := generic.NewFilter1[Turn]()
	return func() {
		for query := filter.Query(w); query.Next(); {
			turn := query.Get()
			turn.Angle = around(float64(turn.Angle) + turnPerTick)
		}
	}
}

// publish replicates the rules to all clients.
func (g *serverGame) tell(w *ecs.World) {
	ecs.AddResource(w, &g.rules)
	plugin.ReplicateResource[Rules](w, components.Everyone)
}

// sow creates the rows, which differ only in their Replicate. It creates the dots of a row in
// random order, as in a real game, so that neighbours are not updated together.
func (g *serverGame) sow(w *ecs.World) {
	spawn := generic.NewMap3[Dot, Turn, components.Replicate](w)
	chance := rand.New(rand.NewPCG(1, 0))
	for row := 1; row <= rowCount; row++ {
		for _, number := range chance.Perm(g.rules.Dots) {
			spawn.NewWith(
				&Dot{Row: uint8(row), Number: uint8(number)},
				&Turn{Angle: around(wave * float64(number) / float64(g.rules.Dots))},
				&components.Replicate{
					Interpolate: components.Everyone,
					Priority:    float32(row),
					MaxAge:      uint16(g.rules.bound(row)),
				})
		}
	}
}

// wave is the difference of the angles of a row's first and last dot: two full waves.
const wave = 4 * math.Pi

// heed returns a system that counts the events of a bound that the cap does not allow to keep. A
// game could raise its cap then, or send less. Events while a client joins are temporary, because
// its first data takes a part of the cap.
func (g *serverGame) heed(w *ecs.World) func() {
	joined := plugin.NewReader[plugin.ClientJoined](w)
	left := plugin.NewReader[plugin.ClientDisconnected](w)
	exceeded := plugin.NewReader[plugin.BoundExceeded](w)
	here := map[entangle.ClientID]bool{}
	return func() {
		for _, event := range joined.Read() {
			here[event.Client] = true
		}
		for _, event := range left.Read() {
			delete(here, event.Client)
		}
		for _, event := range exceeded.Read() {
			if here[event.Client] {
				g.warnings++
				g.latest = event
			}
		}
	}
}
