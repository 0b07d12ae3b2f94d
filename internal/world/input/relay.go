package input

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// relay relays the inputs of players to the other clients that see the entity and its input
// component. An input is relayed in the frame in which it arrived, also if it is for a later tick.
//
// Every input is sent RelayCopies times, whether or not clients have received it, so no state per
// client and player is needed. A stream without new inputs for that long is left out. Each stream
// is encoded once for all clients.
//
// An input that arrived too late for its tick is not relayed: the server repeated the input before
// it, and so does a client that never receives it.
type relay struct {
	collector *source.Collector
	kinds     []relayed  // by input number
	streams   []*passing // the streams with inputs to relay, in the order in which they were added
	serial    uint64     // number of streams added so far
	sends     uint64     // frames in which the relay sent something
	live      bool       // this frame relays inputs
	stats     RelayStats
}

// RelayStats counts the inputs that a server relays.
type RelayStats struct {
	Encoded uint64 // runs of ticks, each of one stream in one frame; each serves all clients
}

const (
	// RelayCopies is the number of times that an input is relayed. At 20 % loss one of 15,625 ticks
	// is missed, and none in a gap of five packets. In each copy, a tick whose input equals that of
	// the previous tick takes almost no bytes; any other tick takes as many as its input.
	RelayCopies = 6

	// MaxRelayBody bounds the bytes of a stream in a frame, so that one player does not take the
	// room of all. A longer stream carries fewer ticks.
	MaxRelayBody = 256
)

// relayed is the relay state of an input type.
type relayed struct {
	on    bool // it is relayed
	comp  int  // its component number: decides which clients see it
	codec *inputCodec
}

// newRelay returns a relay of the inputs of a world, nil if none is relayed.
func newRelay(p *source.Collector, infos []*registry.Input, codec func(number int) *inputCodec) *relay {
	r, some := &relay{collector: p}, false
	for i, info := range infos {
		comp, _ := p.Sent.Component(info.Type)
		r.kinds = append(r.kinds, relayed{on: info.Rebroadcast, comp: comp, codec: codec(i)})
		some = some || info.Rebroadcast
	}
	if !some {
		return nil
	}
	return r
}

// passing is the relay state of one input stream: the inputs of one type for one entity.
type passing struct {
	entity ecs.Entity
	number int // the number of the input type
	owner  entangle.ClientID
	stream relaySource
	codec  *inputCodec // holds the entities of the last encoded body
	wrote  oldest      // inputs written here that are not relayed yet

	listed bool
	serial uint64
	news   [RelayCopies]oldest // the oldest new input of each of the last sends, at the number of the send modulo RelayCopies

	slot  repl.Slot // the slot of its entity in this frame
	shown bool      // it is relayed in this frame
	to    watchers
	body  input.Body   // the encoded inputs of this frame
	refs  []ecs.Entity // the entities in body
}

// relaySource is the source of the inputs: a reader of the server, or the writer of a host's player.
type relaySource interface {
	input.Stream
	Newest() (entangle.Tick, bool)
}

// watchers holds the clients that see the group of an entity, to rule out most other clients
// quickly.
type watchers struct {
	all   bool
	peers set.Bitset // by number
}

func (v *watchers) findWatchers(p *source.Collector, s repl.Slot) {
	v.peers.Reset()
	v.all = p.World.SeenBy(s, &v.peers)
}

func (v *watchers) has(number int) bool { return v.all || v.peers.Has(number) }

// oldest is the oldest tick of a set of ticks. some is false if the set is empty.
type oldest struct {
	tick entangle.Tick
	some bool
}

func (o *oldest) include(tick entangle.Tick) {
	if !o.some || tick.Before(o.tick) {
		*o = oldest{tick, true}
	}
}

// addReceived records the new inputs of a stream in a client's frame.
func (r *relay) addReceived(p *passing, b input.Received) {
	if b.New != 0 {
		r.addNews(p, b.Newest-entangle.Tick(bits.Len64(b.New)-1))
	}
}

// addNews records that a stream has new inputs from a tick on.
func (r *relay) addNews(p *passing, tick entangle.Tick) {
	if r == nil || !r.kinds[p.number].on {
		return
	}
	if !p.listed {
		r.serial++
		p.listed, p.serial = true, r.serial
		r.streams = append(r.streams, p)
	}
	p.news[(r.sends+1)%RelayCopies].include(tick)
}

// endRelay ends a stream: it is not relayed any more.
func (p *passing) endRelay() { p.news = [RelayCopies]oldest{} }

// Prepare encodes the due inputs of all streams, in a frame that sends: tick is the last finished
// one. In other frames due is false, and inputs wait.
func (r *relay) Prepare(tick entangle.Tick, due bool) {
	if r == nil {
		return
	}
	if r.live = due; !due {
		return
	}
	r.sends++
	kept := r.streams[:0]
	for _, p := range r.streams {
		since := p.firstDue()
		if p.listed = since.some; !p.listed {
			continue
		}
		kept = append(kept, p)
		p.news[(r.sends+1)%RelayCopies] = oldest{} // the next send will replace this entry
		r.encodeStream(p, since.tick, tick)
	}
	clear(r.streams[len(kept):])
	r.streams = kept
}

// firstDue returns the first tick that must be relayed in this send, whether for the first time or
// again.
func (p *passing) firstDue() (all oldest) {
	for _, o := range p.news {
		if o.some {
			all.include(o.tick)
		}
	}
	return all
}

// encodeStream encodes the inputs of a stream from a tick on. A paused entity is not relayed.
func (r *relay) encodeStream(p *passing, since, tick entangle.Tick) {
	s, replicated := r.collector.Slot(p.entity)
	newest, some := p.stream.Newest()
	p.slot, p.shown = s, false
	if !replicated || !some || r.collector.Paused.Has(int(s)) {
		return
	}
	ticks := min(max(int(newest.Sub(since))+1, 1), input.MaxTicks)
	p.shown = p.body.Encode(p.stream, tick, ticks)
	for p.shown && p.body.Bits() > 8*MaxRelayBody && p.body.Ticks() > 1 {
		p.body.Encode(p.stream, tick, p.body.Ticks()/2)
	}
	p.refs = append(p.refs[:0], p.codec.out...)
	p.to.findWatchers(r.collector, s)
	r.stats.Encoded++
}

// name returns a client's reference to an entity. It is not ok for an entity that the client does
// not see now.
func (r *relay) name(to source.Recipient, s repl.Slot) (ref repl.Ref, ok bool) {
	if to.Replication == nil || !to.Replication.Finds(s) || !to.Replication.Has(s) {
		return ref, false
	}
	ref.ID, ok = to.Replication.Named(s)
	return ref, ok
}

// seenBy returns a client's reference to the entity of a stream. It is not ok if the client must
// not receive the stream: it owns it, or it does not see the entity or its input.
func (r *relay) seenBy(to source.Recipient, number int, p *passing) (ref repl.Ref, ok bool) {
	if !p.shown || !p.to.has(number) || p.owner == to.ID {
		return ref, false
	}
	if ref, ok = r.name(to, p.slot); !ok {
		return ref, false
	}
	off := r.collector.Visibility.Overrides.WithheldOf(p.slot)
	hides := r.collector.Visibility.Hides(p.slot, to.ID)
	comp := r.kinds[p.number].comp
	return ref, !off.Has(comp) && !hides.Has(comp)
}

// PassedOn returns the counters of relayed inputs, on a server.
func (i *Inputs) PassedOn() RelayStats {
	if i.Received.Relay == nil {
		return RelayStats{}
	}
	return i.Received.Relay.stats
}
