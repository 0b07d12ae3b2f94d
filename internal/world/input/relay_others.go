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
	kinds   []otherKind // by input number
	tick    entangle.Tick

	lanes []*otherLane // in the order in which they began
	frame input.Frame
	find  func(repl.Ref) ecs.Entity
	stats OthersStats
}

type otherKind struct {
	inputKind
	on    bool // it is relayed
	lanes map[ecs.Entity]*otherLane
	spare []*otherLane
}

// otherLane is the input stream of one type for one entity.
type otherLane struct {
	entity ecs.Entity
	number int
	owner  entangle.ClientID
	reader *input.Reader
	status event.InputStatus // in the last tick
}

// MaxOtherLanes bounds the input streams that a client keeps, of some KiB each: nobody can tell
// that many players apart. Further streams are dropped.
const MaxOtherLanes = 1 << 10

// OthersStats counts the fates of other players' inputs, a run of ticks each.
type OthersStats struct {
	Received uint64
	Unknown  uint64 // for an entity that does not exist here, has no such input, or is controlled here
	TooFar   uint64 // beyond the ticks that are kept
	Crowded  uint64 // beyond MaxOtherLanes
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
			inputKind: newInputKind(w, hub, info), on: info.Rebroadcast, lanes: map[ecs.Entity]*otherLane{},
		})
	}
	return o
}

// Connect begins a connection, with its own network ids.
func (o *othersInputs) Connect(shown *sink.Copy, slotOf func(repl.ID) (repl.Slot, bool)) {
	o.find = func(ref repl.Ref) ecs.Entity {
		if s, ok := slotOf(ref.ID); ok && !ref.Yours {
			return shown.Entity(s)
		}
		return ecs.Entity{}
	}
}

// reset ends all input streams: a connection has ended.
func (o *othersInputs) reset() {
	for _, lane := range o.lanes {
		o.end(lane)
	}
	o.lanes = o.lanes[:0]
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
		if lane := o.lane(k, e); lane != nil {
			f.Put(lane.reader)
		} else {
			f.Skip(k.codec)
		}
	}
	return f.Err()
}

// lane returns the current input stream, nil if it is not to be kept.
func (o *othersInputs) lane(k *otherKind, e ecs.Entity) *otherLane {
	_, newest := o.frame.Range()
	switch {
	case e.IsZero() || !o.driven(k, e):
		o.stats.Unknown++
	case !input.InWindow(newest, o.tick, o.rate):
		o.stats.TooFar++
	case k.lanes[e] != nil:
		return k.lanes[e]
	case len(o.lanes) == MaxOtherLanes:
		o.stats.Crowded++
	default:
		return o.begin(k, e)
	}
	return nil
}

// driven reports whether an entity exists here, has an input, and is not controlled by this client.
func (o *othersInputs) driven(k *otherKind, e ecs.Entity) bool {
	return o.world.Alive(e) && o.world.Has(e, k.id) && !o.world.Has(e, o.own)
}

func (o *othersInputs) begin(k *otherKind, e ecs.Entity) (lane *otherLane) {
	if n := len(k.spare); n > 0 {
		lane, k.spare = k.spare[n-1], k.spare[:n-1]
		lane.reader.Reset(o.tick)
	} else {
		config := input.ReaderConfig{Codec: k.codec, TickRate: o.rate, Late: true}
		lane = &otherLane{number: k.number, reader: input.NewReader(config, o.tick)}
	}
	lane.entity, lane.owner, lane.status = e, o.ownerOf(e), event.NoInput
	k.lanes[e] = lane
	o.lanes = append(o.lanes, lane)
	return lane
}

// end ends a stream; the caller removes it from the list.
func (o *othersInputs) end(lane *otherLane) {
	k := &o.kinds[lane.number]
	delete(k.lanes, lane.entity)
	if o.driven(k, lane.entity) {
		k.release(o.world, lane.entity)
	}
	k.spare = append(k.spare, lane)
}

// ownerOf returns the owner of an entity, as far as this client knows.
func (o *othersInputs) ownerOf(e ecs.Entity) entangle.ClientID {
	if !o.world.Has(e, o.control) {
		return entangle.Nobody
	}
	return (*components.ControlledBy)(o.world.Get(e, o.control)).Client
}

// write sets every entity of another player to its input of a tick.
func (o *othersInputs) write(tick entangle.Tick) {
	o.tick = tick
	kept := o.lanes[:0]
	for _, lane := range o.lanes {
		k := &o.kinds[lane.number]
		if !o.driven(k, lane.entity) {
			o.end(lane)
			continue
		}
		kept = append(kept, lane)
		o.pass(k, lane)
		value, status := lane.reader.Take(tick)
		lane.status = k.act(lane.entity, value, status)
		k.raise(lane.owner, lane.entity, tick, lane.status)
	}
	clear(o.lanes[len(kept):])
	o.lanes = kept
}

// replay sets every entity of another player to the best known input of a tick that has run.
func (o *othersInputs) replay(tick entangle.Tick) {
	for _, lane := range o.lanes {
		k := &o.kinds[lane.number]
		if !o.driven(k, lane.entity) {
			continue // it ends in the next tick that is due
		}
		value, status := lane.reader.Rerun(tick)
		if status == input.Unknown {
			status = input.None // the entity holds the input of a later tick
		}
		lane.status = k.act(lane.entity, value, status)
		k.raise(lane.owner, lane.entity, tick, lane.status)
	}
}

// mispredicted returns the oldest tick after one, up to now, that a predicted entity ran with
// another input than the one known now, and that entity.
func (o *othersInputs) mispredicted(after, now entangle.Tick) (tick entangle.Tick, e ecs.Entity, ok bool) {
	for _, lane := range o.lanes {
		t, revised := lane.reader.Revised(after, now)
		if !revised || ok && !t.Before(tick) {
			continue
		}
		if o.world.Alive(lane.entity) && o.world.Has(lane.entity, o.tag) {
			tick, e, ok = t, lane.entity, true
		}
	}
	return tick, e, ok
}

// pass restarts a stream if the entity has changed hands.
func (o *othersInputs) pass(k *otherKind, lane *otherLane) {
	owner := o.ownerOf(lane.entity)
	if owner == lane.owner {
		return
	}
	lane.owner = owner
	lane.reader.Reset(o.tick)
	k.release(o.world, lane.entity)
}

// Others returns the counters of other players' inputs, on a client.
func (i *Inputs) Others() OthersStats { return i.Rest.stats }
