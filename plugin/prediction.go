package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/predict"
)

// MaxRollback is the highest ClientConfig.MaxRollback, in ticks.
const MaxRollback = 128

// RollbackTo says which of several ticks a rollback goes back to.
type RollbackTo uint8

// The choices of a tick.
const (
	// Oldest goes back to the oldest of them: it is right whatever they are about.
	Oldest RollbackTo = iota
	// Newest goes back to the newest of them, which computes fewer ticks. What is said of
	// older ones counts as said of that one. It is right for a game in which a
	// later state of an entity says all that an earlier one does.
	Newest
)

// checkRollback returns an error for what is no limit, or no choice.
func (c *ClientConfig) checkRollback() error {
	if c.MaxRollback < 0 || c.MaxRollback > MaxRollback {
		return fmt.Errorf("plugin: ClientConfig.MaxRollback is %d ticks; leave it zero for a second's, or give up to %d", c.MaxRollback, MaxRollback)
	}
	if c.RollbackTo > Newest {
		return fmt.Errorf("plugin: ClientConfig.RollbackTo is %d; leave it zero for Oldest, or give Newest", c.RollbackTo)
	}
	return nil
}

// maxRollback returns the limit in effect.
func (c *ClientConfig) maxRollback() int {
	if c.MaxRollback > 0 {
		return c.MaxRollback
	}
	return min(max(c.Protocol.TickRate(), 16), MaxRollback)
}

// predict has the ticks of the client's world compared with the server's.
func (c *Client) predict() {
	resynced := event.QueueOf[PredictionResynced](c.hub)
	prediction, err := predict.NewPrediction(predict.PredictionConfig{
		World: c.world, Protocol: c.protocol, Hub: c.hub, Time: c.time,
		Again: c.again, Why: c.why, MaxRollback: c.maxRollback, Newest: c.rollbackTo == Newest,
		Synced: c.steered.Synced, Frontier: c.engine.Frontier,
		Copy: c.copy, Shelf: c.shelf, Bury: c.copy.Bury, OnResync: func(t entangle.Tick) { resynced.Push(PredictionResynced{t}) },
	})
	if err != nil {
		panic("plugin: " + err.Error())
	}
	c.prediction = prediction
	c.display.SetRollbackMarker(prediction.Marker())
	prediction.OnAmended(c.display.Corrected)
}

// RequestRollback has the next frame of a client go back to the end of a tick, and compute
// every tick since anew: for what the game itself finds out to be another than it was
// predicted, such as terrain that a message brings. A tick that is yet to come is left
// alone, one that is not kept any more counts as the oldest that is; a request from within
// a replay is for the next frame. Where nothing is predicted, it does nothing.
//
// It panics in a world without an app.
func RequestRollback(w *ecs.World, tick entangle.Tick) {
	if d := mustDoor(w, "RequestRollback"); d.prediction != nil {
		d.prediction.Request(tick)
	}
}

// PredictionResynced is raised on a client when what the server says of predicted entities was
// taken over for the present, because it is of a tick that lies further back than
// ClientConfig.MaxRollback. Until newer state comes, they are late by the way from the server.
type PredictionResynced struct{ Tick entangle.Tick }

func (PredictionResynced) subscribe(*event.Hub) {}

// ComponentCorrected is raised on a client when a rollback has set an entity's C right: before,
// it was predicted to be Before at the end of Tick, the present one, and computed from what
// the server said it is After. It is for components that are registered with
// protocol.Full, and never of an entity that a rollback has brought or taken away.
type ComponentCorrected[C any] struct {
	Entity        ecs.Entity
	Before, After C
	Tick          entangle.Tick
}

func (ComponentCorrected[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentCorrected[C]](h)
	componentEvents[C](h).OnCorrected(func(c *event.Correction) {
		q.Push(ComponentCorrected[C]{c.Entity, columns.ValueOf[C](c.Before), columns.ValueOf[C](c.After), c.Tick})
	})
}

// Despawn despawns an entity where it is simulated.
//
//   - On a server and a host, the entity is removed from the world.
//   - On a client, an entity that it predicts is despawned ahead of the server, with the
//     children that hang on it: it loses its components of the protocol and those of
//     protocol.Local, so that no system finds it, and is removed once the server has despawned
//     it, too. If the server does not, all comes back as the server has it.
//   - On a client, an entity with components.Remote stays as it is: that is for the server.
//   - An entity of the client's own is removed.
//
// A game that wants to wait for the server calls it on the server only. One that removes a
// predicted entity with World.RemoveEntity has removed it for good, whatever the server
// says. It panics where that does, if the entity is not alive and while a query is open,
// and in a world without an app.
func Despawn(w *ecs.World, e ecs.Entity) {
	d := mustDoor(w, "Despawn")
	if !w.Alive(e) {
		panic(fmt.Sprintf("plugin: Despawn of %v, which is not alive; ask World.Alive of entities that are kept", e))
	}
	if w.IsLocked() {
		panic(fmt.Sprintf("plugin: Despawn of %v while a query is open; collect what is to go, and despawn it after the query", e))
	}
	switch {
	case d.prediction == nil:
		w.RemoveEntity(e)
	case d.prediction.Despawn(e) || w.Has(e, ecs.ComponentID[components.Remote](w)):
	default:
		w.RemoveEntity(e)
	}
}

// RollbackStats counts what became of what a client predicts, since it was made.
type RollbackStats struct {
	// Rollbacks by what asked for the tick that was gone back to: Rollbacks[ByMismatch].
	Rollbacks [predict.RollbackReasons]uint64
	// Ticks that rollbacks have computed anew.
	Ticks uint64
	// Deepest is the most of them in one.
	Deepest int
	// CaughtUp is ticks that were never due, because the clock went past them.
	CaughtUp uint64
	// Blind is beginnings anew, from what the server said alone.
	Blind uint64
	// Resyncs is how often the server's word was taken for the present, being too old to go
	// back to.
	Resyncs uint64
	// Inserted is words of the server, later than the tick gone back to, that were not as
	// predicted.
	Inserted uint64
	// Corrections is values of the present that were predicted otherwise.
	Corrections uint64
}

// Total is how many rollbacks there were, whatever for.
func (s RollbackStats) Total() uint64 { return predict.PredictionStats(s).Total() }

// String says in one line how many rollbacks there were, what for, and what they computed.
func (s RollbackStats) String() string { return predict.PredictionStats(s).String() }

// RollbackStats returns the counters of what the client predicts.
func (c *Client) RollbackStats() RollbackStats {
	if c.prediction == nil {
		return RollbackStats{}
	}
	return RollbackStats(c.prediction.Stats())
}
