package input

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// Inputs applies the inputs of a world's entities: those of the player of this world, of the
// clients of a server, or both.
//
// An input stream belongs to one entity and one type of input. It begins with the first tick that
// finds the entity controlled, and ends with the first that does not.
type Inputs struct {
	world    *ecs.World
	hub      *event.Hub
	protocol *protocol.Protocol

	Types    []reflect.Type  // by number
	own      *ownInputs      // the inputs of this world's player; nil without one
	up       *inputUp        // sends the player's inputs; nil without a connection
	Received *ReceivedInputs // the inputs from clients; nil on a client
	Others   *othersInputs   // the inputs of other players; nil on a server

	buffering bool
	unread    unreadWarning
	round     round
	sent      InputSent
}

// round is the occasion on which a tick is computed.
type round uint8

const (
	due    round = iota // the tick is due
	missed              // it runs for the first time, after the clock has jumped over it
	again               // it is replayed
)

// Connect begins a client's connection, and returns the stream that carries its inputs.
func (i *Inputs) Connect(applier *sink.Applier, clock *tick.Clock, me func() entangle.ClientID) *inputUp {
	i.own.endStreams()
	i.own.me, i.own.delay, i.own.drawn = me, clock.Sync().Delay, clock.Drawn
	i.up = newInputUp(i.own, applier, clock, &i.sent, &i.unread)
	i.up.others = i.Others
	return i.up
}

// Disconnect ends a client's connection. Controlled entities have been removed, or belong to the game
// now.
func (i *Inputs) Disconnect() {
	i.up = nil
	i.own.endStreams()
	i.Others.endStreams()
}

// Plays reports whether this world has a player.
func (i *Inputs) Plays() bool { return i.own != nil }

// Number returns the number of an input type, or false if it is not registered.
func (i *Inputs) Number(t reflect.Type) (number int, ok bool) {
	for number, of := range i.Types {
		if of == t {
			return number, true
		}
	}
	return 0, false
}

// Buffer begins the inputs of a tick: the entities that this player controls show its last inputs,
// for systems to change.
func (i *Inputs) Buffer() {
	if i.Received != nil {
		i.Received.tidy()
	}
	if i.own != nil {
		i.own.buffer()
	}
	i.buffering = true
}

// Write ends the inputs of a tick: written inputs are stored, to be sent at the end of the frame, and
// every controlled entity is set to the input that takes effect in this tick. In a tick that Rollback
// runs, it is Replay.
func (i *Inputs) Write(tick entangle.Tick) {
	if i.round != due {
		i.Replay(tick, i.round == again)
		return
	}
	i.buffering = false
	if i.own != nil {
		i.unread.recordWritten(i.own)
		i.own.writeTick(tick)
		i.unread.recordWritten(i.own)
	}
	if i.up != nil {
		i.up.due = true
	}
	if i.Received != nil {
		i.Received.applyInputs(tick)
	}
	if i.Others != nil {
		i.Others.applyInputs(tick)
	}
}

// Replay is like Write for a tick in which the player does not write inputs: every controlled
// entity is set to the best known input of the tick. again says that the tick has run before.
func (i *Inputs) Replay(tick entangle.Tick, again bool) {
	if i.own != nil {
		i.own.replay(tick)
	}
	switch {
	case i.Others == nil:
	case again:
		i.Others.replay(tick)
	default:
		i.Others.applyInputs(tick)
	}
}

// Mispredicted returns the oldest tick after the given one, up to now, in which a predicted entity
// ran with a guessed input of another player that has turned out to be wrong, and that entity. Each
// tick is returned only once. Later ticks are not returned, because a rollback to before the oldest
// corrects all of them.
//
// Inputs are compared by value: if the input that arrived equals the repeated one, there is no
// misprediction.
func (i *Inputs) Mispredicted(after, now entangle.Tick) (tick entangle.Tick, e ecs.Entity, ok bool) {
	if i.Others == nil {
		return 0, e, false
	}
	return i.Others.mispredicted(after, now)
}

// Clear runs after the tick. It sets the entities that this player controls to its last inputs again.
// Entities of other players keep the input of the tick.
func (i *Inputs) Clear() {
	if i.own != nil {
		i.unread.warnUnread(i.own)
		i.own.showLatest()
	}
}

// Jump records that the clock of this player was set by that many ticks.
func (i *Inputs) Jump(ticks int32) { i.own.jump(ticks) }

// Status returns the status of an entity's input in the last tick.
func (i *Inputs) Status(number int, e ecs.Entity) event.InputStatus {
	if i.own != nil {
		if stream := i.own.kinds[number].streams[e]; stream != nil {
			return stream.status
		}
	}
	if i.Received != nil {
		if stream := i.Received.kinds[number].streams[e]; stream != nil {
			return stream.status
		}
	}
	if i.Others != nil {
		if stream := i.Others.kinds[number].streams[e]; stream != nil {
			return stream.status
		}
	}
	return event.NoInput
}

// At returns the best known input of an entity for a tick, on a client and while the tick is kept.
// The value is read-only, and valid until the next call.
func (i *Inputs) At(number int, e ecs.Entity, tick entangle.Tick) (value []byte, status event.InputStatus) {
	if stream := i.own.kinds[number].streams[e]; stream != nil {
		value, status := stream.writer.At(tick)
		return value, event.StatusOf(status)
	}
	if i.Others != nil {
		if stream := i.Others.kinds[number].streams[e]; stream != nil {
			value, status := stream.reader.At(tick)
			return value, event.StatusOf(status)
		}
	}
	return nil, event.NoInput
}

// None records that an entity has no input in this tick. It reports whether inputs are being
// written.
func (i *Inputs) None(number int, e ecs.Entity) bool {
	if stream := i.own.kinds[number].streams[e]; stream != nil && i.buffering {
		stream.none = true
	}
	return i.buffering
}

// Seen returns the time at which the screen of the player that drives an entity showed another entity,
// when the player made the input that acts in the last tick.
func (i *Inputs) Seen(number int, e, of ecs.Entity) (shown timesync.Shown, ok bool) {
	if i.Received == nil {
		return 0, false
	}
	return i.Received.seen(number, e, of)
}

// Stats returns the counters of clients' inputs.
func (i *Inputs) Stats() InputStats {
	if i.Received == nil {
		return InputStats{}
	}
	return i.Received.stats
}

// Sent returns the counters of the player's sent inputs.
func (i *Inputs) Sent() InputSent { return i.sent }

func newInputs(w *ecs.World, hub *event.Hub, p *protocol.Protocol) *Inputs {
	i := &Inputs{world: w, hub: hub, protocol: p}
	for _, info := range registry.Of(p).Inputs {
		i.Types = append(i.Types, info.Type)
	}
	return i
}

// NewClientInputs returns the inputs of a client's world.
func NewClientInputs(w *ecs.World, hub *event.Hub, p *protocol.Protocol) *Inputs {
	i := newInputs(w, hub, p)
	i.own = newOwnInputs(w, hub, registry.Of(p).Inputs, p.TickRate())
	i.Others = newOthersInputs(w, hub, registry.Of(p).Inputs, p.TickRate())
	return i
}

// NewServerInputs returns the inputs of a server's world. start is the tick before the first.
func NewServerInputs(w *ecs.World, hub *event.Hub, p *protocol.Protocol, collector *source.Collector, start entangle.Tick) *Inputs {
	i := newInputs(w, hub, p)
	i.Received = newReceivedInputs(w, hub, collector, p)
	i.Received.tick = start
	return i
}
