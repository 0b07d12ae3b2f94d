package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
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
	epoch input.Epoch // the number of jumps back of the clock

	drawn   func() *timesync.Screen // what was on the screen before this frame; nil on a host
	screens input.Screens

	me      func() entangle.ClientID
	delay   func() int // the number of ticks from writing an input until it takes effect
	intents ownIntents
	mine    func(ecs.Entity) bool // confirms that an entity with the tag is still controlled; nil: it always is
}

type ownKind struct {
	inputKind
	tagged  ecs.CachedFilter
	streams map[ecs.Entity]*ownStream
	order   []*ownStream // the streams of the current tick, in the order of their entities in the world
}

// ownStream is the input stream of one entity that the player controls.
type ownStream struct {
	entity ecs.Entity
	writer *input.Writer
	status event.InputStatus
	none   bool   // the game set no input for this tick
	round  uint32 // the value of ownInputs.round when the entity was last found
	passed passing
	fires  bool          // fired is valid
	fired  entangle.Tick // the newest tick of which the input was asked what it fires
}

func newOwnInputs(w *ecs.World, hub *event.Hub, infos []*registry.Input, rate int) *ownInputs {
	o := &ownInputs{
		world: w, rate: rate,
		me: func() entangle.ClientID { return entangle.Nobody }, delay: func() int { return 0 },
	}
	tag := ecs.ComponentID[components.Controlled](w)
	for _, info := range infos {
		k := ownKind{inputKind: newInputKind(w, hub, info), streams: map[ecs.Entity]*ownStream{}}
		k.tagged = k.driven(w, tag)
		o.kinds = append(o.kinds, k)
	}
	return o
}

// buffer begins and ends input streams, and shows the last written inputs.
func (o *ownInputs) buffer() {
	for i := range o.kinds {
		o.findControlled(&o.kinds[i])
	}
	o.showLatest()
}

// findControlled finds the entities that are controlled now.
func (o *ownInputs) findControlled(k *ownKind) {
	o.round++
	k.order = k.order[:0]
	q := o.world.Query(&k.tagged)
	for q.Next() {
		if e := q.Entity(); o.mine == nil || o.mine(e) {
			k.order = append(k.order, o.streamOf(k, e))
		} else {
			clear(k.memoryOf(e)) // systems look at the tag alone: inputs that they wrote would act until another player controls the entity
		}
	}
	if len(k.order) == len(k.streams) {
		return
	}
	for e, stream := range k.streams {
		if stream.round != o.round {
			stream.passed.endRelay()
			delete(k.streams, e)
			k.clearInput(o.world, e)
		}
	}
}

func (o *ownInputs) streamOf(k *ownKind, e ecs.Entity) *ownStream {
	stream := k.streams[e]
	if stream == nil {
		stream = &ownStream{entity: e, writer: input.NewWriter(k.codec, o.rate, o.epoch)}
		stream.passed = o.newPassing(stream, k)
		k.streams[e] = stream
	}
	stream.round = o.round
	return stream
}

// showLatest sets every controlled entity to its last written input.
func (o *ownInputs) showLatest() {
	for i := range o.kinds {
		k := &o.kinds[i]
		for _, stream := range k.order {
			if o.world.Alive(stream.entity) && o.world.Has(stream.entity, k.id) {
				copy(k.memoryOf(stream.entity), stream.writer.Latest())
			}
		}
	}
}

// writeTick stores the inputs that the game wrote in the tick, and sets every controlled entity to
// the input that takes effect in it.
func (o *ownInputs) writeTick(tick entangle.Tick) {
	if o.drawn != nil {
		o.screens.Write(tick+entangle.Tick(o.delay()), o.drawn())
	}
	for i := range o.kinds {
		k := &o.kinds[i]
		o.findControlled(k)
		for _, stream := range k.order {
			o.storeInput(k, stream, tick)
		}
	}
}

func (o *ownInputs) storeInput(k *ownKind, stream *ownStream, tick entangle.Tick) {
	if stream.none {
		stream.writer.WriteNone(tick, o.delay())
	} else {
		stream.writer.Write(tick, o.delay(), k.memoryOf(stream.entity))
	}
	stream.none = false
	o.fire(k, stream)
	o.relay.wrote(&stream.passed)
	o.act(k, stream, tick)
}

// act sets an entity to the input that takes effect in a tick.
func (o *ownInputs) act(k *ownKind, stream *ownStream, tick entangle.Tick) {
	value, status := stream.writer.At(tick)
	if status == input.Unknown {
		status = input.None // the written input takes effect later
	}
	stream.status = k.act(stream.entity, value, status)
	k.raise(o.me(), stream.entity, tick, stream.status)
}

// replay sets every controlled entity to the input that acts in a tick.
func (o *ownInputs) replay(tick entangle.Tick) {
	for i := range o.kinds {
		k := &o.kinds[i]
		for _, stream := range k.order {
			if o.world.Alive(stream.entity) && o.world.Has(stream.entity, k.id) {
				o.act(k, stream, tick)
			}
		}
	}
}

// jump records that the clock was set forward by a number of ticks, or back if it is negative.
func (o *ownInputs) jump(ticks int32) {
	if ticks < 0 {
		o.epoch++
	}
	for i := range o.kinds {
		for _, stream := range o.kinds[i].order {
			stream.jump(ticks)
		}
	}
	o.screens.Jump(ticks)
}

// jump adjusts the stream to a jump of the clock. Inputs that it discards are made again, and may fire again.
func (s *ownStream) jump(ticks int32) {
	s.writer.Jump(ticks)
	if newest, some := s.writer.Newest(); ticks < 0 && some && newest.Before(s.fired) {
		s.fired = newest
	}
}

// each calls do for all input streams.
func (o *ownInputs) each(do func(*input.Writer)) {
	for i := range o.kinds {
		for _, stream := range o.kinds[i].order {
			do(stream.writer)
		}
	}
}

// drives reports whether the player controls an entity with an input.
func (o *ownInputs) drives() bool {
	for i := range o.kinds {
		if len(o.kinds[i].order) > 0 {
			return true
		}
	}
	return false
}

// endStreams ends all input streams, before another connection begins.
func (o *ownInputs) endStreams() {
	o.screens = input.Screens{}
	for i := range o.kinds {
		clear(o.kinds[i].streams)
		o.kinds[i].order = o.kinds[i].order[:0]
	}
}
