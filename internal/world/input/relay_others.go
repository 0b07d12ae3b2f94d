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

// othersInputs is a client's memory of what other players do: the inputs that the server
// passes on, until their tick and for a while after it. In a tick that the client computes,
// the input of another player's entity is what that player did in it, or did last.
//
// A lane begins with the first input for an entity that is here, has the input, and is not
// this client's to drive. It ends with any of these, and begins anew when the entity changes
// hands.
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
	on    bool // it is passed on
	lanes map[ecs.Entity]*otherLane
	spare []*otherLane
}

// otherLane is the inputs of one type for one entity.
type otherLane struct {
	entity ecs.Entity
	number int
	owner  entangle.ClientID
	reader *input.Reader
	status event.InputStatus // in the last tick
}

// MaxOtherLanes bounds the lanes that a client keeps, of some KiB each: so many players
// nobody tells apart. Of more a client hears nothing.
const MaxOtherLanes = 1 << 10

// OthersStats counts what became of inputs of other players, a run of ticks each.
type OthersStats struct {
	Received uint64
	Unknown  uint64 // for an entity that is not here, has no such input, or is driven here
	TooFar   uint64 // beyond the ticks that are kept
	Crowded  uint64 // of one lane too many
}

// newOthersInputs returns the memory of a client.
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

// Connect begins a connection, in which the server calls entities by names of its own.
func (o *othersInputs) Connect(shown *sink.Copy, slotOf func(repl.ID) (repl.Slot, bool)) {
	o.find = func(ref repl.Ref) ecs.Entity {
		if s, ok := slotOf(ref.ID); ok && !ref.Yours {
			return shown.Entity(s)
		}
		return ecs.Entity{}
	}
}

// reset ends all lanes: a connection has ended.
func (o *othersInputs) reset() {
	for _, lane := range o.lanes {
		o.end(lane)
	}
	o.lanes = o.lanes[:0]
}

var errNotPassedOn = errors.New("input: inputs of others, of a type that is not passed on")

// handle takes what the server passes on in a packet of a tick.
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

// lane returns where the lane at hand belongs, nil if it is not to be kept.
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

// driven reports whether an entity is here, has an input, and is not this client's.
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

// end ends a lane; whoever calls takes it off the list.
func (o *othersInputs) end(lane *otherLane) {
	k := &o.kinds[lane.number]
	delete(k.lanes, lane.entity)
	if o.driven(k, lane.entity) {
		k.release(o.world, lane.entity)
	}
	k.spare = append(k.spare, lane)
}

// ownerOf returns who drives an entity, as far as this client knows.
func (o *othersInputs) ownerOf(e ecs.Entity) entangle.ClientID {
	if !o.world.Has(e, o.control) {
		return entangle.Nobody
	}
	return (*components.ControlledBy)(o.world.Get(e, o.control)).Client
}

// write has every entity that is driven elsewhere hold its input of a tick.
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

// replay has every entity that is driven elsewhere hold what is known by now of a tick that
// has run.
func (o *othersInputs) replay(tick entangle.Tick) {
	for _, lane := range o.lanes {
		k := &o.kinds[lane.number]
		if !o.driven(k, lane.entity) {
			continue // it ends in the next tick that is due
		}
		value, status := lane.reader.Rerun(tick)
		if status == input.Unknown {
			status = input.None // what its entity holds is of a later tick
		}
		lane.status = k.act(lane.entity, value, status)
		k.raise(lane.owner, lane.entity, tick, lane.status)
	}
}

// mispredicted returns the oldest tick after one, up to now, that a predicted entity ran with
// another input than is known by now, and that entity.
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

// pass begins a lane anew if the entity is in other hands.
func (o *othersInputs) pass(k *otherKind, lane *otherLane) {
	owner := o.ownerOf(lane.entity)
	if owner == lane.owner {
		return
	}
	lane.owner = owner
	lane.reader.Reset(o.tick)
	k.release(o.world, lane.entity)
}

// Others returns the counters of what other players do, on a client.
func (i *Inputs) Others() OthersStats { return i.Rest.stats }
