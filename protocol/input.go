package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// MaxInputBytes is the greatest size of an input on the wire, because the input of a tick has to
// fit into a packet together with the id of its entity.
const MaxInputBytes = 1024

// MaxInputEntities is the greatest number of different entities to which the inputs of one input
// stream may refer in one packet. A packet carries the inputs of about one round trip, of at most
// 64 ticks. A reference to another entity arrives as no entity. The client counts such references
// in ClientStats.Inputs.LeftOut, and logs the first one.
const MaxInputEntities = 64

// InputRule has methods that set the options of an input.
type InputRule[T any] struct{ def *inputRule }

type inputRule struct {
	rule
	info registry.Input
}

// Input registers T as an input, with which a client drives its entities: it is a component of the
// controlled entity, which the client writes in each tick. T must not hold Go pointers, takes
// MaxInputBytes at most, and should refer to far fewer entities than MaxInputEntities. Fields
// tagged `net:"event"` are not repeated when an input is missing.
//
// T is a component that is replicated without its value. The server adds it to the player's entity.
// Replicas of the entity then have a T as well: a zero one if T is new there, otherwise one with
// its previous value. Therefore systems on both sides may filter for T, and replication never
// overwrites the value that a client writes. Register T as nothing else.
func Input[T any](p *Protocol) *InputRule[T] {
	t := reflect.TypeFor[T]()
	def := &inputRule{rule: newRule(p, registry.KindInput, t), info: registry.Input{Name: wire.TypeName(t), Type: t}}
	if !def.off {
		p.inputs = append(p.inputs, def)
		p.components = append(p.components, &componentRule{
			rule: def.rule, info: registry.Component{Name: def.info.Name, Type: t, Input: true},
		})
	}
	return &InputRule[T]{def}
}

// Rebroadcast makes the server relay inputs to the other clients, which then predict that player
// with its real inputs.
func (r *InputRule[T]) Rebroadcast() *InputRule[T] {
	if r.def.option("Rebroadcast") {
		r.def.info.Rebroadcast = true
	}
	return r
}

func (r *inputRule) finish(number int) {
	r.info.Number = number
	r.info.Plan = r.p.plan(r.subject, r.info.Type, false, nil)
	if isRelation(r.info.Type) {
		r.unfit("a relation of Arche is about two entities, and an input has no target: remove the embedded ecs.Relation, and hold the other entity in a field of type ecs.Entity")
	}
	if plan := r.info.Plan; plan != nil && plan.MaxBits() > 8*MaxInputBytes {
		r.unfit("an input of up to %d bytes has no room in a packet: keep it to %d, and send what is not needed in its tick as a message",
			(plan.MaxBits()+7)/8, MaxInputBytes)
	}
}
