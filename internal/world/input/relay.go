package input

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// relay passes the inputs of players on to the other clients that see the entity, and the
// input on it. What the server takes in it passes on in the frame in which it came, also
// for ticks to come.
//
// It says everything RelayCopies times, whoever has it by then, and so keeps nothing about
// what each client has of each player. A lane of which nothing new has come for so long is
// not mentioned. What a lane has to say is encoded once for all clients.
//
// What came too late for its tick is not passed on: the server has repeated the input before
// it, and a client that never hears of it does the same.
type relay struct {
	publisher *source.Publisher
	kinds     []relayed  // by input number
	lanes     []*passing // with something to say, in the order in which they were taken up
	serial    uint64     // how many were
	sends     uint64     // frames in which the relay spoke
	live      bool       // this frame is one
	stats     RelayStats
}

// RelayStats counts what a server passed on of inputs.
type RelayStats struct {
	Encoded uint64 // runs of ticks, each of one lane in one frame; each serves all clients
}

const (
	// RelayCopies is how often an input is passed on. At 20 % loss one of 15,625 ticks is
	// missed, and none in a gap of five packets. A tick like the one before takes next to
	// nothing each time, any other as much as the input.
	RelayCopies = 6

	// MaxRelayBody bounds the bytes of a lane in a frame, so that one player does not take
	// the room of all. What is longer has fewer ticks.
	MaxRelayBody = 256
)

// relayed is an input type.
type relayed struct {
	on    bool // it is passed on
	comp  int  // its component number: who sees it there
	codec *inputCodec
}

// newRelay returns a relay of the inputs of a world, nil if none is passed on.
func newRelay(p *source.Publisher, infos []*registry.Input, codec func(number int) *inputCodec) *relay {
	r, some := &relay{publisher: p}, false
	for i, info := range infos {
		comp, _ := p.Component(info.Type)
		r.kinds = append(r.kinds, relayed{on: info.Rebroadcast, comp: comp, codec: codec(i)})
		some = some || info.Rebroadcast
	}
	if !some {
		return nil
	}
	return r
}

// passing is what one lane has to pass on: the inputs of one type for one entity.
type passing struct {
	entity ecs.Entity
	number int // of the input
	owner  entangle.ClientID
	lane   passedLane
	codec  *inputCodec // of the lane: it holds what the last body refers to
	wrote  oldest      // that is not passed on yet, where it is written here

	listed bool
	serial uint64
	news   [RelayCopies]oldest // of the last sends

	slot  repl.Slot // in this frame
	shown bool      // there is something of it for others
	to    watchers
	body  input.Body
	refs  []ecs.Entity // what the body refers to
}

// passedLane is where the inputs are: a reader of the server, or a writer of a player who
// lives in its world.
type passedLane interface {
	input.Stream
	Newest() (entangle.Tick, bool)
}

// watchers are the clients that are shown the group of an entity. It is what most of those
// are told apart by who have nothing to do with it.
type watchers struct {
	all   bool
	peers repl.Bitset // by number
}

func (v *watchers) find(p *source.Publisher, s repl.Slot) {
	v.peers.Reset()
	v.all = p.World().SeenBy(s, &v.peers)
}

func (v *watchers) has(number int) bool { return v.all || v.peers.Has(number) }

// oldest is the oldest of some ticks.
type oldest struct {
	tick entangle.Tick
	some bool
}

func (o *oldest) add(tick entangle.Tick) {
	if !o.some || tick.Before(o.tick) {
		*o = oldest{tick, true}
	}
}

// brought takes down what a client's frame brought of a lane.
func (r *relay) brought(p *passing, b input.Received) {
	if b.New != 0 {
		r.note(p, b.Newest-entangle.Tick(bits.Len64(b.New)-1))
	}
}

// note takes down that a lane has inputs that it had not before, from a tick on.
func (r *relay) note(p *passing, tick entangle.Tick) {
	if r == nil || !r.kinds[p.number].on {
		return
	}
	if !p.listed {
		r.serial++
		p.listed, p.serial = true, r.serial
		r.lanes = append(r.lanes, p)
	}
	p.news[(r.sends+1)%RelayCopies].add(tick)
}

// drop ends a lane: nothing of it is said any more.
func (p *passing) drop() { p.news = [RelayCopies]oldest{} }

// Prepare writes what all lanes have to say, in a frame that sends: tick is the last
// finished one. In others, due is false, and what there is waits.
func (r *relay) Prepare(tick entangle.Tick, due bool) {
	if r == nil {
		return
	}
	if r.live = due; !due {
		return
	}
	r.sends++
	kept := r.lanes[:0]
	for _, p := range r.lanes {
		since := p.unsaid()
		if p.listed = since.some; !p.listed {
			continue
		}
		kept = append(kept, p)
		p.news[(r.sends+1)%RelayCopies] = oldest{} // of what comes next
		r.write(p, since.tick, tick)
	}
	clear(r.lanes[len(kept):])
	r.lanes = kept
}

// unsaid returns the first tick of those that are to be passed on, now or again.
func (p *passing) unsaid() (all oldest) {
	for _, o := range p.news {
		if o.some {
			all.add(o.tick)
		}
	}
	return all
}

// write writes what is to be said of a lane, from a tick on. What is paused is not told of.
func (r *relay) write(p *passing, since, tick entangle.Tick) {
	s, replicated := r.publisher.Slot(p.entity)
	newest, some := p.lane.Newest()
	p.slot, p.shown = s, false
	if !replicated || !some || r.publisher.Paused.Has(int(s)) {
		return
	}
	ticks := min(max(int(newest.Sub(since))+1, 1), input.MaxTicks)
	p.shown = p.body.Encode(p.lane, tick, ticks)
	for p.shown && p.body.Bits() > 8*MaxRelayBody && p.body.Ticks() > 1 {
		p.body.Encode(p.lane, tick, p.body.Ticks()/2)
	}
	p.refs = append(p.refs[:0], p.codec.out...)
	p.to.find(r.publisher, s)
	r.stats.Encoded++
}

// name returns what a client calls an entity that it has been shown. It is not ok for one
// that it does not see now.
func (r *relay) name(to source.Recipient, s repl.Slot) (ref repl.Ref, ok bool) {
	if to.Updates == nil || !to.Updates.Finds(s) || !to.Updates.Has(s) {
		return ref, false
	}
	ref.ID, ok = to.Updates.Named(s)
	return ref, ok
}

// seenBy returns what a client calls the entity of a lane. It is not ok if the lane is not
// for the client: it is its own, or the client does not see the entity, or the input on it.
func (r *relay) seenBy(to source.Recipient, number int, p *passing) (ref repl.Ref, ok bool) {
	if !p.shown || !p.to.has(number) || p.owner == to.ID {
		return ref, false
	}
	if ref, ok = r.name(to, p.slot); !ok {
		return ref, false
	}
	off := r.publisher.Sight.Overrides.OffOf(p.slot)
	hides := r.publisher.Sight.Hides(p.slot, to.ID)
	comp := r.kinds[p.number].comp
	return ref, !off.Has(comp) && !hides.Has(comp)
}

// PassedOn returns the counters of what is passed on, on a server.
func (i *Inputs) PassedOn() RelayStats {
	if i.Led.Relay == nil {
		return RelayStats{}
	}
	return i.Led.Relay.stats
}
