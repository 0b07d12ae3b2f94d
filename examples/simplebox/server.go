package main

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/plugin"
)

// rules are the options of a server.
type rules struct {
	// dots is the number of dots at any time.
	dots int
	// seed is the seed of the random numbers.
	seed uint64
}

// realm is the state that the server's systems share.
type realm struct {
	rules
	chance *rand.Rand
	boxes  map[entangle.ClientID]ecs.Entity
	lastID uint32
	hues   uint8
	eaten  int

	// still stops everything that moves by itself or is steered. Clients can still connect and
	// disconnect.
	still bool
	// interpolate makes the clients interpolate what they do not predict.
	interpolate bool
}

// serverGame is the server of the game.
type serverGame struct {
	*plugin.Server
	realm *realm
}

// newServerGame returns a server with the game in it. The caller passes config, so that a test can
// use another clock.
func newServerGame(config plugin.ServerConfig, r rules) (*serverGame, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	all := &realm{
		rules:  r,
		chance: rand.New(rand.NewPCG(r.seed, 0)),
		boxes:  map[entangle.ClientID]ecs.Entity{},

		interpolate: true,
	}
	server.AddSystem(plugin.AfterReceive, giveBoxes(all))
	server.AddSystem(plugin.AfterReceive, holdStill(all))
	server.AddSystem(plugin.BeforeSend, smooth.Switch(&all.interpolate))
	server.AddSystem(plugin.FixedMain, driveBoxes())
	for _, system := range []plugin.System{alarmDots(all), moveDots(all), eatDots(all)} {
		server.AddSystem(plugin.FixedMain, unlessStill(all, system))
	}
	return &serverGame{Server: server, realm: all}, nil
}

// holdStill returns a system that replicates to all clients whether the realm is stopped.
func holdStill(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		pause := &Pause{}
		ecs.AddResource(w, pause)
		plugin.ReplicateResource[Pause](w, components.Everyone)
		return func() { pause.On = r.still }
	})
}

// newID returns the next ID.
func (r *realm) newID() ID {
	r.lastID++
	return ID{N: r.lastID}
}

// anywhere returns a random position.
func (r *realm) anywhere() Position {
	return Position{X: r.chance.Float32() * fieldSize, Y: r.chance.Float32() * fieldSize}
}

// pausable is a system that does nothing while the realm is stopped.
type pausable struct {
	plugin.System
	realm *realm
}

func unlessStill(r *realm, system plugin.System) plugin.System {
	return pausable{System: system, realm: r}
}

// Update runs the system unless the realm is stopped.
func (p pausable) Update(w *ecs.World) {
	if !p.realm.still {
		p.System.Update(w)
	}
}
