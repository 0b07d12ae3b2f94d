package scene

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// setInputDelay implements "delay CLIENTS MIN [MAX [PREDICTED]]", which sets the input delay of
// clients, in ticks, see plugin.InputDelay.
func (g *Game) setInputDelay(c *commands, args *script.Args) {
	clients := c.someClientArgs(args)
	delay := plugin.InputDelay{Min: args.Int()}
	for _, field := range []*int{&delay.Max, &delay.MaxPredicted} {
		if args.Len() > 0 {
			*field = args.Int()
		}
	}
	for _, client := range clients {
		if args.Err() == nil {
			args.Fail(g.peer(client).Client().SetInputDelay(delay))
		}
	}
}

// pressInputs implements "press CLIENTS NAME INPUTS", which makes the players of clients write
// inputs in their next tick, for an entity that they control. The input is held until another one
// is pressed, and its events act once. Entities in it refer to the client's replicas.
func (g *Game) pressInputs(c *commands, args *script.Args) {
	clients := c.someClientArgs(args)
	name, e := c.entityArg(args)
	words := args.Rest()
	for _, client := range clients {
		if args.Err() == nil {
			args.Fail(pressOnClient(g.peer(client), c, name, e, script.NewArgs(words)))
		}
	}
}

// pressOnClient makes the player of one client write inputs.
func pressOnClient(p *netsim.Peer, c *commands, name string, e ecs.Entity, args *script.Args) error {
	local, ok := p.Local(e)
	if !ok || !p.World().Has(local, ecs.ComponentID[components.Controlled](p.World())) {
		return script.NoSubject("client %d does not control %q", p.ID(), name)
	}
	inputs := clientCommands(p, c).componentArgs(args)
	for _, input := range inputs {
		if args.Err() != nil {
			break
		}
		input.ID = ecs.TypeID(p.World(), reflect.TypeOf(input.Comp).Elem())
		if !p.World().Has(local, input.ID) {
			return script.NoSubject("%q has no input %T", name, input.Comp)
		}
		p.Press(local, input)
	}
	return args.Err()
}

// clientCommands returns commands in which names refer to the client's entities.
func clientCommands(p *netsim.Peer, c *commands) *commands {
	there := *c
	there.entities = map[string]ecs.Entity{}
	for name, e := range c.entities {
		if local, ok := p.Local(e); ok {
			there.entities[name] = local
		}
	}
	return &there
}
