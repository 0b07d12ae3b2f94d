package main

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// rules are the options of a server.
type rules struct {
	// segments is how many a snake has at least.
	segments int
	// ungrouped makes a world in which no snake has a group.
	ungrouped bool
}

// Trail is the cell that a segment was in before, and where the one behind it goes.
// Only the server needs it: it is not registered, and never sent.
type Trail struct{ Left Place }

// snake holds the entities of a snake, the head first.
type snake struct {
	number uint8
	group  components.Group
	body   []ecs.Entity
}

// nest is the state shared by the server's systems.
type nest struct {
	rules
	chance *rand.Rand
	snakes []*snake

	world  *ecs.World
	spawn  generic.Map5[Segment, Place, Link, Trail, components.Replicate]
	places generic.Map[Place]
	links  generic.Map[Link]
	trails generic.Map[Trail]
}

// newServer returns a server with the game in it, and with random numbers from a seed.
func newServer(config plugin.ServerConfig, r rules, seed uint64) (*plugin.Server, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	n := &nest{rules: r, chance: rand.New(rand.NewPCG(seed, 0))}
	server.AddSystem(plugin.FixedMain, plugin.Func(n.crawl))
	return server, nil
}
