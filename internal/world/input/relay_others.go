package input

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/mlange-42/arche/ecs"
)

// othersInputs stores the inputs of other players on a client: those that the server relays, until
// their tick and for a while after it. In a tick that the client computes, another player's entity
// has that player's input of the tick, or else its last one.
//
// An input stream begins with the first input for an entity that exists here, has the input, and is
// not controlled by this client. It ends when one of these no longer holds, and restarts when the
// entity changes hands.
type othersInputs struct {
	world   *ecs.World
	control ecs.ID // components.ControlledBy
	own     ecs.ID // components.Controlled
	tag     ecs.ID // components.Predicted
	rate    int
	kinds   []otherKind   // by input number
	tick    entangle.Tick // the last tick that ran

	streams []*otherStream // in the order in which they began
	frame   input.Frame
	find    func(repl.Ref) ecs.Entity
	stats   OthersStats
}

type otherKind struct {
	inputKind
	on      bool // it is relayed
	streams map[ecs.Entity]*otherStream
	free    []*otherStream
}

// otherStream is the input stream of one type for one entity.
type otherStream struct {
	entity ecs.Entity
	number int
	owner  entangle.ClientID
	reader *input.Reader
	status event.InputStatus // in the last tick
}

// MaxOtherStreams bounds the input streams that a client keeps, of some KiB each: nobody can tell
// that many players apart. Further streams are dropped.
const MaxOtherStreams = 1 << 10

// OthersStats counts the fates of other players' inputs, a run of ticks each.
type OthersStats struct {
	Received uint64
	Unknown  uint64 // for an entity that does not exist here, has no such input, or is controlled here
	TooFar   uint64 // beyond the ticks that are kept
	Crowded  uint64 // beyond MaxOtherStreams
}

// newOthersInputs returns the store of a client.
func newOthersInputs(w *ecs.World, hub *event.Hub, infos []*registry.Input, rate int) *othersInputs {
	o := &othersInputs{
		world: w, rate: rate,
		control: ecs.ComponentID[components.ControlledBy](w), own: ecs.ComponentID[components.Controlled](w),
		tag: ecs.ComponentID[components.Predicted](w),
	}
	for _, info := range infos {
		o.kinds = append(o.kinds, otherKind{
			inputKind: newInputKind(w, hub, info), on: info.Rebroadcast, streams: map[ecs.Entity]*otherStream{},
		})
	}
	return o
}

// Connect begins a connection, with its own network ids.
func (o *othersInputs) Connect(shown *sink.Applier, slotOf func(repl.ID) (repl.Slot, bool)) {
	o.find = func(ref repl.Ref) ecs.Entity {
		if s, ok := slotOf(ref.ID); ok && !ref.Yours {
			return shown.Replicas.Entity(s)
		}
		return ecs.Entity{}
	}
}

// endStreams ends all input streams: a connection has ended.
func (o *othersInputs) endStreams() {
	for _, stream := range o.streams {
		o.endStream(stream)
	}
	o.streams = o.streams[:0]
}

var errNotPassedOn = errors.New("input: inputs of others, of a type that is not passed on")

// handle reads the relayed inputs in a packet of a tick.
func (o *othersInputs) handle(tick entangle.Tick, body []byte) error {
	f := &o.frame
	f.OpenDown(body, tick, len(o.kinds))
	for f.Next() {
		k := &o.kinds[f.Type()]
		if !k.on {
			return errNotPassedOn
		}
		o.stats.Received++
		e := k.codec.readHead(f.Bits(), o.find)
		if stream := o.streamOf(k, e); stream != nil {
			f.Put(stream.reader)
		} else {
			f.Skip(k.codec)
		}
	}
	return f.Err()
}

// streamOf returns the current input stream, nil if it is not to be kept.
func (o *othersInputs) streamOf(k *otherKind, e ecs.Entity) *otherStream {
	_, newest := o.frame.Range()
	switch {
	case e.IsZero() || !o.driven(k, e):
		o.stats.Unknown++
	case !input.InWindow(newest, o.tick, o.rate):
		o.stats.TooFar++
	case k.streams[e] != nil:
		return k.streams[e]
	case len(o.streams) == MaxOtherStreams:
		o.stats.Crowded++
	default:
		return o.beginStream(k, e)
	}
	return nil
}

// driven reports whether an entity exists here, has an input, and is not controlled by this client.
func (o *othersInputs) driven(k *otherKind, e ecs.Entity) bool {
	return o.world.Alive(e) && o.world.Has(e, k.id) && !o.world.Has(e, o.own)
}

func (o *othersInputs) beginStream(k *otherKind, e ecs.Entity) (stream *otherStream) {
	if n := len(k.free); n > 0 {
		stream, k.free = k.free[n-1], k.free[:n-1]
		stream.reader.Reset(o.tick)
	} else {
		config := input.ReaderConfig{Codec: k.codec, TickRate: o.rate, Late: true}
		stream = &otherStream{number: k.number, reader: input.NewReader(config, o.tick)}
	}
	stream.entity, stream.owner, stream.status = e, o.ownerOf(e), event.NoInput
	k.streams[e] = stream
	o.streams = append(o.streams, stream)
	return stream
}

// endStream ends a stream. The caller must remove it from the list.
func (o *othersInputs) endStream(stream *otherStream) {
	k := &o.kinds[stream.number]
	delete(k.streams, stream.entity)
	if o.driven(k, stream.entity) {
		k.clearInput(o.world, stream.entity)
	}
	k.free = append(k.free, stream)
}

// ownerOf returns the owner of an entity, as far as this client knows.
func (o *othersInputs) ownerOf(e ecs.Entity) entangle.ClientID {
	if !o.world.Has(e, o.control) {
		return entangle.Nobody
	}
	return (*components.ControlledBy)(o.world.Get(e, o.control)).Client
}

// applyInputs sets every entity of another player to its input of a tick.
func (o *othersInputs) applyInputs(tick entangle.Tick) {
	o.tick = tick
	kept := o.streams[:0]
	for _, stream := range o.streams {
		k := &o.kinds[stream.number]
		if !o.driven(k, stream.entity) {
			o.endStream(stream)
			continue
		}
		kept = append(kept, stream)
		o.pass(k, stream)
		value, status := stream.reader.Take(tick)
		stream.status = k.act(stream.entity, value, status)
		k.raise(stream.owner, stream.entity, tick, stream.status)
	}
	clear(o.streams[len(kept):])
	o.streams = kept
}

// replay sets every entity of another player to the best known input of a tick that has run.
func (o *othersInputs) replay(tick entangle.Tick) {
	for _, stream := range o.streams {
		k := &o.kinds[stream.number]
		if !o.driven(k, stream.entity) {
			continue // its stream ends in the next tick that is due
		}
		value, status := stream.reader.Rerun(tick)
		if status == input.Unknown {
			status = input.None // the entity holds the input of a later tick
		}
		stream.status = k.act(stream.entity, value, status)
		k.raise(stream.owner, stream.entity, tick, stream.status)
	}
}

// mispredicted returns the oldest tick after the given one, up to now, in which a predicted entity
// ran with an input that has turned out to be wrong, and that entity.
func (o *othersInputs) mispredicted(after, now entangle.Tick) (tick entangle.Tick, e ecs.Entity, ok bool) {
	for _, stream := range o.streams {
		t, revised := stream.reader.Revised(after, now)
		if !revised || ok && !t.Before(tick) {
			continue
		}
		if o.world.Alive(stream.entity) && o.world.Has(stream.entity, o.tag) {
			tick, e, ok = t, stream.entity, true
		}
	}
	return tick, e, ok
}

// pass restarts a stream if the entity has changed hands.
func (o *othersInputs) pass(k *otherKind, stream *otherStream) {
	owner := o.ownerOf(stream.entity)
	if owner == stream.owner {
		return
	}
	stream.owner = owner
	stream.reader.Reset(o.tick)
	k.clearInput(o.world, stream.entity)
}

// OthersStats returns the counters of other players' inputs, on a client.
func (i *Inputs) OthersStats() OthersStats { return i.Others.stats }
