package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/mlange-42/arche/ecs"
)

// ownInputs is the inputs of this world's player for the entities that it controls.
type ownInputs struct {
	world *ecs.World
	rate  int
	kinds []ownKind
	round uint32
	relay *relay      // nil: inputs are not relayed to other clients
	epoch input.Epoch // of the clock

	me    func() entangle.ClientID
	delay func() int            // from the tick in which an input is written to the tick in which it takes effect
	mine  func(ecs.Entity) bool // confirms that an entity with the tag is still controlled; nil: it always is
}

type ownKind struct {
	inputKind
	tagged ecs.CachedFilter
	lanes  map[ecs.Entity]*ownLane
	order  []*ownLane // of the current tick, in the order of the world
}

// ownLane is the input stream of one entity that the player controls.
type ownLane struct {
	entity ecs.Entity
	writer *input.Writer
	status event.InputStatus
	none   bool   // the game set no input for this tick
	round  uint32 // in which the entity was last found
	passed passing
}

func newOwnInputs(w *ecs.World, hub *event.Hub, infos []*registry.Input, rate int) *ownInputs {
	o := &ownInputs{
		world: w, rate: rate,
		me: func() entangle.ClientID { return entangle.Nobody }, delay: func() int { return 0 },
	}
	tag := ecs.ComponentID[components.Controlled](w)
	for _, info := range infos {
		k := ownKind{inputKind: newInputKind(w, hub, info), lanes: map[ecs.Entity]*ownLane{}}
		k.tagged = k.driven(w, tag)
		o.kinds = append(o.kinds, k)
	}
	return o
}

// buffer begins and ends input streams, and shows the last written inputs.
func (o *ownInputs) buffer() {
	for i := range o.kinds {
		o.find(&o.kinds[i])
	}
	o.show()
}

// find finds the entities that are controlled now.
func (o *ownInputs) find(k *ownKind) {
	o.round++
	k.order = k.order[:0]
	q := o.world.Query(&k.tagged)
	for q.Next() {
		if e := q.Entity(); o.mine == nil || o.mine(e) {
			k.order = append(k.order, o.lane(k, e))
		} else {
			clear(k.of(e)) // systems go by the tag: inputs that they wrote would act until another player controls the entity
		}
	}
	if len(k.order) == len(k.lanes) {
		return
	}
	for e, lane := range k.lanes {
		if lane.round != o.round {
			lane.passed.drop()
			delete(k.lanes, e)
			k.release(o.world, e)
		}
	}
}

func (o *ownInputs) lane(k *ownKind, e ecs.Entity) *ownLane {
	lane := k.lanes[e]
	if lane == nil {
		lane = &ownLane{entity: e, writer: input.NewWriter(k.codec, o.rate, o.epoch)}
		lane.passed = o.newPassing(lane, k)
		k.lanes[e] = lane
	}
	lane.round = o.round
	return lane
}

// show sets every controlled entity to its last written input.
func (o *ownInputs) show() {
	for i := range o.kinds {
		k := &o.kinds[i]
		for _, lane := range k.order {
			if o.world.Alive(lane.entity) && o.world.Has(lane.entity, k.id) {
				copy(k.of(lane.entity), lane.writer.Latest())
			}
		}
	}
}

// write stores the inputs that the game wrote in the tick, and sets every controlled entity to the
// input that takes effect in it.
func (o *ownInputs) write(tick entangle.Tick) {
	for i := range o.kinds {
		k := &o.kinds[i]
		o.find(k)
		for _, lane := range k.order {
			o.keep(k, lane, tick)
		}
	}
}

func (o *ownInputs) keep(k *ownKind, lane *ownLane, tick entangle.Tick) {
	if lane.none {
		lane.writer.WriteNone(tick, o.delay())
	} else {
		lane.writer.Write(tick, o.delay(), k.of(lane.entity))
	}
	lane.none = false
	o.relay.wrote(&lane.passed)
	o.act(k, lane, tick)
}

// act sets an entity to the input that takes effect in a tick.
func (o *ownInputs) act(k *ownKind, lane *ownLane, tick entangle.Tick) {
	value, status := lane.writer.At(tick)
	if status == input.Unknown {
		status = input.None // the written input takes effect later
	}
	lane.status = k.act(lane.entity, value, status)
	k.raise(o.me(), lane.entity, tick, lane.status)
}

// replay sets every controlled entity to the input of a tick, whenever it was written.
func (o *ownInputs) replay(tick entangle.Tick) {
	for i := range o.kinds {
		k := &o.kinds[i]
		for _, lane := range k.order {
			if o.world.Alive(lane.entity) && o.world.Has(lane.entity, k.id) {
				o.act(k, lane, tick)
			}
		}
	}
}

// jump records that the clock was set forward by that many ticks, or back.
func (o *ownInputs) jump(ticks int32) {
	if ticks < 0 {
		o.epoch++
	}
	o.each(func(w *input.Writer) { w.Jump(ticks) })
}

// each calls do for all input streams.
func (o *ownInputs) each(do func(*input.Writer)) {
	for i := range o.kinds {
		for _, lane := range o.kinds[i].order {
			do(lane.writer)
		}
	}
}

// drives reports whether there is an input stream.
func (o *ownInputs) drives() bool {
	for i := range o.kinds {
		if len(o.kinds[i].order) > 0 {
			return true
		}
	}
	return false
}

// reset ends all input streams, for another connection.
func (o *ownInputs) reset() {
	for i := range o.kinds {
		clear(o.kinds[i].lanes)
		o.kinds[i].order = o.kinds[i].order[:0]
	}
}
