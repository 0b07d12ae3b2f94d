package input

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// ClientInputs is the inputs of a server's clients for the entities that they control. An input
// stream is created when the server finds an entity that has an input and a connected owner, never
// because of received data.
type ClientInputs struct {
	world     *ecs.World
	publisher *source.Publisher
	control   ecs.ID
	rate      int
	kinds     []clientKind
	tick      entangle.Tick // the last that ran

	players []*InputPlayer // the connected ones, in the order in which they connected
	of      map[entangle.ClientID]*InputPlayer
	frame   input.Frame
	stats   InputStats // of all players, including disconnected ones
	Relay   *relay     // nil: no input is relayed
}

type clientKind struct {
	inputKind
	owned ecs.CachedFilter
	lanes map[ecs.Entity]*serverLane
	order []*serverLane // in the order in which they began
}

// serverLane is the input stream of one entity that a client controls.
type serverLane struct {
	entity ecs.Entity
	number int // of the input
	player *InputPlayer
	reader *input.Reader
	status event.InputStatus
	passed passing
}

func newClientInputs(w *ecs.World, hub *event.Hub, publisher *source.Publisher, p *protocol.Protocol) *ClientInputs {
	c := &ClientInputs{
		world: w, publisher: publisher, rate: p.TickRate(),
		control: ecs.ComponentID[components.ControlledBy](w), of: map[entangle.ClientID]*InputPlayer{},
	}
	for _, info := range registry.Of(p).Inputs {
		k := clientKind{inputKind: newInputKind(w, hub, info), lanes: map[ecs.Entity]*serverLane{}}
		k.owned = k.driven(w, c.control)
		c.kinds = append(c.kinds, k)
	}
	c.Relay = newRelay(publisher, registry.Of(p).Inputs, func(n int) *inputCodec { return c.kinds[n].codec })
	return c
}

// tidy ends the input streams of entities that are gone, that have lost the input or changed hands,
// and of clients that are gone. It runs before the systems that may control those entities from now
// on.
func (c *ClientInputs) tidy() {
	for i := range c.kinds {
		k := &c.kinds[i]
		k.order = slices.DeleteFunc(k.order, func(lane *serverLane) bool {
			if c.holds(k, lane) {
				return false
			}
			c.end(k, lane)
			return true
		})
	}
}

// holds reports whether a stream's player still controls its entity.
func (c *ClientInputs) holds(k *clientKind, lane *serverLane) bool {
	e := lane.entity
	return lane.player.here && c.world.Alive(e) && c.world.Has(e, k.id) && c.owner(e) == lane.player.id
}

// owner returns the client that owns an entity.
func (c *ClientInputs) owner(e ecs.Entity) entangle.ClientID {
	control := (*components.ControlledBy)(c.world.Get(e, c.control))
	if control == nil {
		return entangle.Nobody
	}
	return control.Client
}

func (c *ClientInputs) end(k *clientKind, lane *serverLane) {
	delete(k.lanes, lane.entity)
	lane.passed.drop()
	if _, heard := lane.reader.Newest(); heard {
		k.release(c.world, lane.entity)
	}
}

// write sets every controlled entity to its input of a tick.
func (c *ClientInputs) write(tick entangle.Tick) {
	c.tick = tick
	for i := range c.kinds {
		k := &c.kinds[i]
		q := c.world.Query(&k.owned) // declared in the for, it would be copied for each entity
		for q.Next() {
			client := (*components.ControlledBy)(q.Get(c.control)).Client
			if client == entangle.Nobody {
				continue
			}
			if player := c.of[client]; player != nil {
				c.drive(k, c.lane(k, q.Entity(), player), tick)
			}
		}
	}
	for _, p := range c.players {
		p.ran(tick)
	}
}

func (c *ClientInputs) lane(k *clientKind, e ecs.Entity, player *InputPlayer) *serverLane {
	lane := k.lanes[e]
	if lane != nil && lane.player == player {
		return lane
	}
	if lane != nil { // it changed hands more than once in this tick
		c.end(k, lane)
		k.order = slices.DeleteFunc(k.order, func(l *serverLane) bool { return l == lane })
	}
	reader := input.NewReader(input.ReaderConfig{Codec: k.codec, TickRate: c.rate}, c.tick-1)
	lane = &serverLane{
		entity: e, number: k.number, player: player, reader: reader,
		passed: passing{entity: e, number: k.number, owner: player.id, lane: reader, codec: k.codec},
	}
	k.lanes[e] = lane
	k.order = append(k.order, lane)
	return lane
}

func (c *ClientInputs) drive(k *clientKind, lane *serverLane, tick entangle.Tick) {
	value, status := lane.reader.Take(tick)
	lane.status = k.act(lane.entity, value, status)
	lane.player.took(status != input.Unknown, lane.reader.Has(tick))
	k.raise(lane.player.id, lane.entity, tick, lane.status)
}

// seen returns the time at which an entity's player saw the world when it made the input of the
// last tick.
func (c *ClientInputs) seen(number int, e ecs.Entity) (tick entangle.Tick, fraction float64, ok bool) {
	lane := c.kinds[number].lanes[e]
	if lane == nil || lane.status != event.FreshInput {
		return 0, 0, false
	}
	shown, ok := lane.player.sights.At(c.tick)
	return shown.Tick, float64(shown.Fraction) / 256, ok
}
