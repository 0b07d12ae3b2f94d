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
	others bool // clients also predict each other's discs
	hues   uint8
}

// newServerGame returns a server with the game in it. The caller passes config, so that a test can
// use another clock.
func newServerGame(config plugin.ServerConfig, others bool) (*serverGame, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	game := &serverGame{Server: server, others: others}
	server.AddSystem(plugin.AfterReceive, plugin.Func(game.give))
	server.AddSystem(plugin.FixedMain, slide())
	return game, nil
}

// pitchGroup is the group of all discs, so that they arrive together: a client needs entities that
// are simulated together as of the same tick.
const pitchGroup components.Group = 1

// give puts the ball on the pitch, and a disc for every client that connects. A disc is despawned
// when the client named in its ControlledBy disconnects.
func (g *serverGame) give(w *ecs.World) func() {
	joined := plugin.NewReader[plugin.ClientConnected](w)
	ball := generic.NewMap5[Disc, Place, Motion, components.SID, components.Replicate](w)
	ball.NewWith(&Disc{Ball: true}, &Place{}, &Motion{}, &components.SID{},
		&components.Replicate{Group: pitchGroup, Predict: components.Everyone})
	player := generic.NewMap7[Disc, Place, Motion, Push, components.SID, components.ControlledBy, components.Replicate](w)
	return func() {
		for _, event := range joined.Read() {
			at := g.lineUp()
			player.NewWith(&Disc{Hue: g.hues}, &at, &Motion{}, &Push{}, &components.SID{},
				&components.ControlledBy{Client: event.Client},
				&components.Replicate{Group: pitchGroup, Predict: g.predictors()})
			g.hues++
		}
	}
}

// predictors returns the clients that predict a player's disc.
func (g *serverGame) predictors() components.Target {
	if g.others {
		return components.Everyone
	}
	return components.Owner
}

// lineUp returns the initial place of the next disc. The places are around the ball.
func (g *serverGame) lineUp() Place {
	sin, cos := math.Sincos(float64(g.hues) * 2 * math.Pi / mostClients)
	return Place{X: float32(12 * cos), Y: float32(12 * sin)}
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
