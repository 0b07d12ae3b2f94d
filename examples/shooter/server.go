package main

import (
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// serverGame is the server of the game.
type serverGame struct {
	*plugin.Server
	// compensate says that a shot hits who was in its way on the shooter's screen, and not who is there now.
	compensate bool

	fired []shot // in the tick that runs
	marks []mark // what the view shows of the last shots
}

// newServerGame returns a server with the game in it. The caller passes config, so that a test can
// use another clock.
func newServerGame(config plugin.ServerConfig, compensate bool) (*serverGame, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	game := &serverGame{Server: server, compensate: compensate}
	server.AddSystem(plugin.AfterReceive, plugin.Func(game.welcome))
	server.AddSystem(plugin.FixedMain, shoot(&game.fired))
	server.AddSystem(plugin.FixedMain, plugin.Func(game.judge))
	server.AddSystem(plugin.FixedMain, run())
	server.AddSystem(plugin.FixedMain, fly())
	return game, nil
}

// welcome gives a player to every client that connects. It is despawned when the client disconnects.
func (g *serverGame) welcome(w *ecs.World) func() {
	joined := plugin.NewReader[plugin.ClientConnected](w)
	players := generic.NewMap7[Player, Place, Gun, Score, Controls, components.ControlledBy, components.Replicate](w)
	present := generic.NewFilter1[Player]()
	return func() {
		for _, event := range joined.Read() {
			hue := freeHue(present.Query(w))
			at := lineUp(hue)
			players.NewWith(&Player{Hue: hue}, &at, &Gun{}, &Score{}, &Controls{},
				&components.ControlledBy{Client: event.Client},
				&components.Replicate{Predict: components.Owner, Interpolate: components.Everyone})
		}
	}
}

// freeHue returns the first hue that no player has.
func freeHue(players generic.Query1[Player]) (hue uint8) {
	taken := map[uint8]bool{}
	for players.Next() {
		taken[players.Get().Hue] = true
	}
	for taken[hue] {
		hue++
	}
	return hue
}

// lineUp returns the initial place of a player.
func lineUp(hue uint8) Place {
	sin, cos := math.Sincos(float64(hue) * 2 * math.Pi / mostClients)
	return Place{X: float32(10 * cos), Y: float32(6 * sin)}
}

// judge decides whom the shots of the tick hit. This is lag compensation: it looks at the others as the shooter
// saw them.
func (g *serverGame) judge(w *ecs.World) func() {
	seen := plugin.NewRewind[Place](w)
	players := generic.NewFilter1[Place]().With(generic.T[Player]())
	scores := generic.NewMap1[Score](w)
	hues := generic.NewMap1[Player](w)
	verdicts := plugin.NewSender[Verdict](w)
	now := ecs.GetResource[components.Time](w)
	return func() {
		for i := range g.fired {
			s := &g.fired[i]
			rewound, present := nearest{}, nearest{}
			view := seen.View(s.shooter)
			for k := range view.Len() {
				if e, at, ok := view.At(k); ok && e != s.shooter {
					rewound.try(s, e, at)
				}
			}
			for q := players.Query(w); q.Next(); {
				if q.Entity() != s.shooter {
					present.try(s, q.Entity(), *q.Get())
				}
			}
			counts := &present
			if g.compensate {
				counts = &rewound
			}
			if w.Alive(counts.hit) {
				scores.Get(s.shooter).Hits++
				scores.Get(counts.hit).Taken++
			}
			if hues.Get(s.shooter).Hue == 0 {
				g.addMark(&rewound, counts)
			}
			// An error would mean that the player has just left.
			_ = verdicts.SendTo(s.owner.Client, Verdict{now.Tick, rewound.hit, present.hit, g.compensate})
		}
	}
}

// nearest is the first of several players that a shot hits.
type nearest struct {
	hit ecs.Entity // zero for nobody
	at  Place      // where it was
	far float64
}

// try takes another player into account.
func (n *nearest) try(s *shot, e ecs.Entity, at Place) {
	if far, ok := s.hits(at); ok && (n.hit.IsZero() || far < n.far) {
		*n = nearest{e, at, far}
	}
}

// clientOf returns the state of a client.
func (g *serverGame) clientOf(id entangle.ClientID) plugin.ClientInfo {
	for _, c := range g.Clients() {
		if c.ID == id {
			return c
		}
	}
	return plugin.ClientInfo{}
}
