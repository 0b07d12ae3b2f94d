package input

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// ReceivedInputs is the inputs of a server's clients for the entities that they control. An input
// stream is created when the server finds an entity that has an input and a connected owner, never
// because of received data.
type ReceivedInputs struct {
	world     *ecs.World
	collector *source.Collector
	control   ecs.ID
	rate      int
	kinds     []clientKind
	tick      entangle.Tick // the last tick that ran

	players []*InputPlayer // the connected players, in the order in which they connected
	of      map[entangle.ClientID]*InputPlayer
	frame   input.Frame
	stats   InputStats // the counters of all players, including disconnected ones
	intents receivedIntents
	Relay   *relay // nil: no input is relayed
}

type clientKind struct {
	inputKind
	owned   ecs.CachedFilter
	streams map[ecs.Entity]*serverStream
	order   []*serverStream // in the order in which they began
}

// serverStream is the input stream of one entity that a client controls.
type serverStream struct {
	entity ecs.Entity
	number int // the number of the input type
	player *InputPlayer
	reader *input.Reader
	status event.InputStatus
	passed passing
	shots  firedTicks
}

func newReceivedInputs(w *ecs.World, hub *event.Hub, collector *source.Collector, p *protocol.Protocol) *ReceivedInputs {
	c := &ReceivedInputs{
		world: w, collector: collector, rate: p.TickRate(),
		control: ecs.ComponentID[components.ControlledBy](w), of: map[entangle.ClientID]*InputPlayer{},
	}
	for _, info := range registry.Of(p).Inputs {
		k := clientKind{inputKind: newInputKind(w, hub, info), streams: map[ecs.Entity]*serverStream{}}
		k.owned = k.driven(w, c.control)
		c.kinds = append(c.kinds, k)
	}
	c.Relay = newRelay(collector, registry.Of(p).Inputs, func(n int) *inputCodec { return c.kinds[n].codec })
	return c
}

// tidy ends the input streams of entities that are gone, that have lost the input or changed hands,
// and of clients that are gone. It runs before the systems that may control those entities from now
// on.
func (c *ReceivedInputs) tidy() {
	for i := range c.kinds {
		k := &c.kinds[i]
		k.order = slices.DeleteFunc(k.order, func(stream *serverStream) bool {
			if c.holds(k, stream) {
				return false
			}
			c.endStream(k, stream)
			return true
		})
	}
}

// holds reports whether a stream's player still controls its entity.
func (c *ReceivedInputs) holds(k *clientKind, stream *serverStream) bool {
	e := stream.entity
	return stream.player.here && c.world.Alive(e) && c.world.Has(e, k.id) && c.owner(e) == stream.player.id
}

// owner returns the client that owns an entity.
func (c *ReceivedInputs) owner(e ecs.Entity) entangle.ClientID {
	control := (*components.ControlledBy)(c.world.Get(e, c.control))
	if control == nil {
		return entangle.Nobody
	}
	return control.Client
}

func (c *ReceivedInputs) endStream(k *clientKind, stream *serverStream) {
	delete(k.streams, stream.entity)
	stream.passed.endRelay()
	if _, received := stream.reader.Newest(); received {
		k.clearInput(c.world, stream.entity)
	}
}

// applyInputs sets every entity that a connected client controls to its input of a tick. It creates
// the entity's input stream, if there is none yet.
func (c *ReceivedInputs) applyInputs(tick entangle.Tick) {
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
				c.drive(k, c.streamOf(k, q.Entity(), player), tick)
			}
		}
	}
	for _, p := range c.players {
		p.ran(tick)
	}
}

func (c *ReceivedInputs) streamOf(k *clientKind, e ecs.Entity, player *InputPlayer) *serverStream {
	stream := k.streams[e]
	if stream != nil && stream.player == player {
		return stream
	}
	if stream != nil { // it changed hands more than once in this tick
		c.endStream(k, stream)
		k.order = slices.DeleteFunc(k.order, func(l *serverStream) bool { return l == stream })
	}
	reader := input.NewReader(input.ReaderConfig{Codec: k.codec, TickRate: c.rate}, c.tick-1)
	stream = &serverStream{
		entity: e, number: k.number, player: player, reader: reader,
		passed: passing{entity: e, number: k.number, owner: player.id, stream: reader, codec: k.codec},
	}
	k.streams[e] = stream
	k.order = append(k.order, stream)
	return stream
}

func (c *ReceivedInputs) drive(k *clientKind, stream *serverStream, tick entangle.Tick) {
	value, status := stream.reader.Take(tick)
	stream.status = k.act(stream.entity, value, status)
	stream.player.recordState(status != input.Unknown, stream.reader.Has(tick))
	k.raise(stream.player.id, stream.entity, tick, stream.status)
}

// seen returns the time at which the screen of an entity's player showed another entity when the player made
// the input of the last tick. ok is false if there is no such input, and if the player is not shown the other
// entity in the past.
func (c *ReceivedInputs) seen(number int, e, of ecs.Entity) (shown timesync.Shown, ok bool) {
	stream := c.kinds[number].streams[e]
	if stream == nil || stream.status != event.FreshInput {
		return 0, false
	}
	player := stream.player
	s, replicated := c.collector.Slot(of)
	if !replicated || !c.collector.Visibility.Interpolates(player.id, s) {
		return 0, false
	}
	if to := player.Peer.Replication(); to == nil || !to.Finds(s) || !to.Has(s) {
		return 0, false
	}
	return player.seen.At(c.tick, int(c.collector.World.Interval(s)))
}
