package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// gain NAME CLIENTS makes an entity of the server's world relevant to clients; lose makes it
// irrelevant, and forget undoes both. A client's number is its id.
func (g *GameScene) gain(c *cast, args *Args) error {
	return g.say(c, args, (*plugin.Relevance).Show, func(s *said, at pairing) { s.words[at] = true })
}

func (g *GameScene) lose(c *cast, args *Args) error {
	return g.say(c, args, (*plugin.Relevance).Hide, func(s *said, at pairing) { s.words[at] = false })
}

func (g *GameScene) forget(c *cast, args *Args) error {
	return g.say(c, args, (*plugin.Relevance).Clear, func(s *said, at pairing) { delete(s.words, at) })
}

type word = func(*plugin.Relevance, ecs.Entity, entangle.ClientID) bool

func (g *GameScene) say(c *cast, args *Args, tell word, remember func(*said, pairing)) error {
	_, e, err := c.entity(args)
	if err != nil {
		return err
	}
	relevance, said := plugin.NewRelevance(g.sim.World()), g.sim.saying()
	return g.each(args, func(client entangle.ClientID) { tell(&relevance, e, client) },
		func(client entangle.ClientID) { remember(said, pairing{client, e}) })
}

// each takes a list of clients and calls tell for all of them, and remember for those that are
// connected: for the others the plugin keeps nothing.
func (g *GameScene) each(args *Args, tell, remember func(entangle.ClientID)) error {
	clients, err := args.ids()
	for _, client := range clients {
		tell(client)
		if g.sim.isConnected(client) {
			remember(client)
		}
	}
	return err
}
