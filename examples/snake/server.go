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
	// segments is the least number of segments of a snake.
	segments int
	// ungrouped creates a world in which no snake has a group.
	ungrouped bool
}

// Trail is the cell that a segment has left, to which the segment behind it moves. Only the server
// needs it: it is not registered, and never sent.
type Trail struct{ Left Place }

// snake holds the entities of a snake, the head first.
type snake struct {
	number uint8
	group  components.Group
	body   []ecs.Entity
}

// nest is the state that the server's systems share.
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
