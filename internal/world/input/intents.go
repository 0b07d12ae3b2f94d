package input

import (
	"math"
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// MaxWaitingIntents is the most entities that the inputs of one client may have fired at a time, of ticks
// that have not run yet. It is more than a second of shots in each tick.
const MaxWaitingIntents = 256

// receivedIntents spawns what the inputs of clients fire, when they have arrived.
type receivedIntents struct {
	*source.Intents // nil: none is registered
	arrived         []arrivedInput
}

// arrivedInput is an input that may fire something.
type arrivedInput struct {
	stream *serverStream
	tick   entangle.Tick
	id     repl.ID // of the shooter, as the client knows it
}

// FireBy sets what inputs fire.
func (i *Inputs) FireBy(intents *source.Intents) {
	if i.Received != nil {
		i.Received.intents = receivedIntents{Intents: intents}
	}
	if i.own != nil {
		i.own.intents = ownIntents{Intents: intents}
	}
}

// PredictIntentsBy sets what predicts the entities that the player of a client fires.
func (i *Inputs) PredictIntentsBy(p IntentPredictor) {
	i.own.intents.predictor = p
	if intents := i.own.intents.Intents; intents != nil {
		intents.IsSpawned, intents.OnSpawned = p.Intends, p.Intend
	}
}

// addArrived records inputs that have arrived in time.
func (r *receivedIntents) addArrived(stream *serverStream, b input.Received, id repl.ID) {
	if !r.Has(stream.number) {
		return
	}
	for left := b.New; left != 0; left &= left - 1 {
		r.arrived = append(r.arrived, arrivedInput{stream, b.Newest - entangle.Tick(bits.TrailingZeros64(left)), id})
	}
}

// SpawnIntents spawns what the inputs fire that have arrived since the last call.
func (i *Inputs) SpawnIntents() {
	c := i.Received
	for _, a := range c.intents.arrived {
		c.fire(&a)
	}
	c.intents.arrived = c.intents.arrived[:0]
}

// fire spawns what an input fires. After its clock was set back, a client makes inputs of the same ticks again: they
// fire in ticks in which no earlier one has. The events that the server keeps of replaced inputs have fired already.
func (c *ReceivedInputs) fire(a *arrivedInput) {
	stream, k := a.stream, &c.kinds[a.stream.number]
	if k.streams[stream.entity] != stream || !c.holds(k, stream) || stream.shots.has(a.tick) {
		return
	}
	value, status := stream.reader.Received(a.tick)
	if status != input.Fresh {
		return
	}
	player := stream.player
	player.waiting = slices.DeleteFunc(player.waiting, func(tick entangle.Tick) bool { return !c.tick.Before(tick) })
	shot := source.Shot{Shooter: stream.entity, ID: a.id, Owner: player.id, Tick: a.tick}
	fired := c.intents.Fire(shot, stream.number, value, MaxWaitingIntents-len(player.waiting))
	c.stats.Intents += uint64(fired.Spawned)
	c.stats.IntentsRefused += uint64(fired.Refused)
	c.stats.IntentsCrowded += uint64(fired.Crowded)
	if fired.Spawned > 0 {
		stream.shots.mark(a.tick, c.rate)
	}
	for range fired.Spawned {
		player.waiting = append(player.waiting, a.tick)
	}
}

// firedTicks tracks in which ticks to come inputs have fired. The zero value is ready for use.
type firedTicks struct {
	rows []entangle.Tick // by tick modulo their number, which is more than that of the ticks to come
}

func (f *firedTicks) has(tick entangle.Tick) bool {
	return f.rows != nil && f.rows[int(tick)&(len(f.rows)-1)] == tick
}

func (f *firedTicks) mark(tick entangle.Tick, tickRate int) {
	if f.rows == nil {
		f.rows = make([]entangle.Tick, 1<<bits.Len(uint(input.Ahead(tickRate))))
	}
	f.rows[int(tick)&(len(f.rows)-1)] = tick
}

// IntentPredictor is the interface of a client's inputs to its prediction.
type IntentPredictor interface {
	// BeginIntent is called before an entity is spawned in a tick, and reports whether it may be.
	BeginIntent() bool
	// Intends reports whether an entity with a hash has been added.
	Intends(hash uint32) bool
	// Intend adds an entity that is assembled in a tick, and that the server has under a hash.
	Intend(e ecs.Entity, hash uint32, tick entangle.Tick)
	// NetworkID returns the network id of an entity of the server.
	NetworkID(e ecs.Entity) (id repl.ID, ok bool)
}

// ownIntents spawns what the player's inputs fire.
type ownIntents struct {
	*source.Intents                 // nil: none is registered
	predictor       IntentPredictor // nil on a host
}

// fire spawns what the inputs fire that were stored since the last call.
func (o *ownInputs) fire(k *ownKind, stream *ownStream) {
	newest, some := stream.writer.Newest()
	if !o.intents.Has(k.number) || !some {
		return
	}
	if !stream.fires || newest.Before(stream.fired) {
		stream.fires, stream.fired = true, newest-1
	}
	for tick := stream.fired + 1; !newest.Before(tick); tick++ {
		if value, status := stream.writer.At(tick); status == input.Fresh {
			o.fireOne(k, stream, tick, value)
		}
	}
	stream.fired = newest
}

func (o *ownInputs) fireOne(k *ownKind, stream *ownStream, tick entangle.Tick, value []byte) {
	shot, p := source.Shot{Shooter: stream.entity, Owner: o.me(), Tick: tick}, o.intents.predictor
	if p != nil {
		id, known := p.NetworkID(stream.entity)
		if !known || !p.BeginIntent() {
			return
		}
		shot.ID = id
	}
	o.intents.Fire(shot, k.number, value, math.MaxInt)
}
