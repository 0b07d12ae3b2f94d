package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// LocalPlayer is the player of a host, as the inputs of the server's world see it.
type LocalPlayer interface {
	ID() entangle.ClientID
	Open() bool      // it is connected
	InputDelay() int // in ticks
}

// AttachLocal makes the player of a host control its owned entities in the server's world. The
// owner at the time of the tick counts, while the tag components.Controlled follows in the next
// frame.
func (i *Inputs) AttachLocal(l LocalPlayer) {
	i.own = newOwnInputs(i.world, i.hub, registry.Of(i.protocol).Inputs, i.protocol.TickRate())
	i.own.me, i.own.delay, i.own.relay = l.ID, l.InputDelay, i.Received.Relay
	i.own.intents.Intents = i.Received.intents.Intents
	i.own.mine = func(e ecs.Entity) bool { return l.Open() && i.Received.owner(e) == l.ID() }
}

// newPassing returns the relay state of one of the player's input streams.
func (o *ownInputs) newPassing(stream *ownStream, k *ownKind) passing {
	return passing{entity: stream.entity, number: k.number, owner: o.me(), stream: stream.writer, codec: k.codec}
}

// wrote records the inputs that were written to a stream since the last call.
func (r *relay) wrote(p *passing) {
	newest, some := p.stream.Newest()
	if r == nil || !some {
		return
	}
	if !p.wrote.some {
		p.wrote = oldest{newest, true}
	}
	if !newest.Before(p.wrote.tick) {
		r.addNews(p, p.wrote.tick)
		p.wrote.tick = newest + 1
	}
}
