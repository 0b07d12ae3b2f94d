package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// MaxInputBytes is what an input takes on the wire at most: each tick's has to fit into a
// packet, with the name of its entity.
const MaxInputBytes = 1024

// MaxInputEntities is how many different entities a packet names for the inputs of one type of one
// entity, in all the ticks that it carries: those of about one round trip, at most 64. A reference
// to another entity arrives as no entity. The client counts it in ClientStats.Inputs.LeftOut, and
// logs the first one.
const MaxInputEntities = 64

// InputRule takes the options of an input.
type InputRule[T any] struct{ def *inputRule }

type inputRule struct {
	rule
	info registry.Input
}

// Input registers T as what a client drives its entities with: a component on
// the controlled entity that the client writes each tick. T must not hold Go
// pointers, takes MaxInputBytes at most, and should refer to far fewer entities
// than MaxInputEntities. Fields tagged `net:"event"` are not repeated when an input
// is missing.
//
// T is a component that is replicated without its value. The server puts it on the
// player's entity, where copies of the entity then have one as well: the zero value
// where T is new, and the value before where it is not. So systems on both
// sides may filter for T, and what a client writes to it is never overwritten by
// replication. Register T as nothing else.
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

// Rebroadcast lets the server pass inputs on to the other clients, which then
// predict that player with its real inputs.
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
