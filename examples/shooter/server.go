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
	// compensate lets a shot hit the player that was in its way on the shooter's screen, and not the one that is there now.
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

// judge finds the targets of the shots of the tick.
func (g *serverGame) judge(w *ecs.World) func() {
	screen := screens{places: plugin.NewRewind[Place](w), owners: plugin.NewRewind[components.ControlledBy](w)}
	players := generic.NewFilter3[Player, Place, components.ControlledBy]()
	hues, scores := generic.NewMap1[Player](w), generic.NewMap1[Score](w)
	verdicts := plugin.NewSender[Verdict](w)
	now := ecs.GetResource[components.Time](w)
	return func() {
		for i := range g.fired {
			s := &g.fired[i]
			shown, present := screen.hit(s), inPresent(players.Query(w), s)
			counts := &present
			if g.compensate {
				counts = &shown
			}
			if counts.ok && w.Alive(counts.entity) { // else it has left
				scores.Get(s.shooter).Hits++
				scores.Get(counts.entity).Taken++
			}
			if hues.Get(s.shooter).Hue == 0 {
				g.addMark(&shown, counts)
			}
			// An error would mean that the player has just left.
			_ = verdicts.SendTo(s.owner.Client, Verdict{now.Tick, shown.owner, present.owner, g.compensate})
		}
	}
}

// screens are what players saw on their screens when they pressed a key. This is lag compensation.
type screens struct {
	places plugin.Rewind[Place]
	owners plugin.Rewind[components.ControlledBy]
}

// hit returns the player that a shot hits where its shooter saw the others.
func (c *screens) hit(s *shot) nearest {
	places, owners := c.places.View(s.shooter), c.owners.View(s.shooter)
	hit, ok := places.RaycastBalls(s.line(), func(e ecs.Entity, at *Place) (plugin.Ball, bool) {
		return body(*at), e != s.shooter
	})
	if !ok {
		return nearest{}
	}
	_, at, _ := places.At(hit.Target)
	owner, _ := owners.Get(hit.Entity)
	return nearest{true, hit.Entity, owner.Client, at, hit.Share}
}

// inPresent returns the player that a shot hits where the others are now.
func inPresent(players generic.Query3[Player, Place, components.ControlledBy], s *shot) (n nearest) {
	for players.Next() {
		if _, at, owner := players.Get(); players.Entity() != s.shooter {
			n.try(s, players.Entity(), owner.Client, *at)
		}
	}
	return n
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
