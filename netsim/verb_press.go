package netsim

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
)

// press CLIENTS NAME INPUTS makes the players of clients write inputs in their next tick, for an
// entity that they control. The input is held until another one is pressed, and its events act
// once. Entities in it refer to the client's replicas.
func (g *GameScene) press(c *cast, args *Args) error {
	if args.Len() == 0 {
		return errMissing
	}
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	words := args.Rest()
	for _, client := range clients {
		if err := pressOn(g.peer(client), c, name, e, NewArgs(words)); err != nil {
			return err
		}
	}
	return nil
}

// pressOn makes the player of one client write inputs.
func pressOn(p *Peer, c *cast, name string, e ecs.Entity, args *Args) error {
	local, ok := p.Local(e)
	if !ok || !p.world.Has(local, ecs.ComponentID[components.Controlled](p.world)) {
		return noSubject("client %d does not control %q", p.id, name)
	}
	inputs, err := callsOf(p, c).components(args)
	if err != nil {
		return err
	}
	for _, input := range inputs {
		input.ID = ecs.TypeID(p.world, reflect.TypeOf(input.Comp).Elem())
		if !p.world.Has(local, input.ID) {
			return noSubject("%q has no input %T", name, input.Comp)
		}
		p.keys.press(local, input)
	}
	return nil
}

// callsOf returns a cast in which names refer to the client's entities.
func callsOf(p *Peer, c *cast) *cast {
	there := *c
	there.entities = map[string]ecs.Entity{}
	for name, e := range c.entities {
		if local, ok := p.Local(e); ok {
			there.entities[name] = local
		}
	}
	return &there
}
