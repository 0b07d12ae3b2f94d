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
	others bool // clients predict each other's discs, too
	hues   uint8
}

// newServerGame returns a server with the game in it. Config is the caller's, so that a
// test can give it another clock.
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

// pitchGroup makes all discs arrive together: entities that are computed together must be known as of one tick.
const pitchGroup components.Group = 1

// give puts the ball on the pitch, and a disc for every client that connects. ControlledBy removes a disc with its client.
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

// lineUp returns the initial place of the next disc, around the ball.
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
