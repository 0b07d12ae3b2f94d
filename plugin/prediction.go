package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/predict"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// MaxRollback is the highest ClientConfig.MaxRollback, in ticks.
const MaxRollback = 128

// checkRollback returns an error for an invalid MaxRollback.
func (c *ClientConfig) checkRollback() error {
	if c.MaxRollback < 0 || c.MaxRollback > MaxRollback {
		return fmt.Errorf("plugin: ClientConfig.MaxRollback is %d ticks; leave it zero for a second's, or give up to %d", c.MaxRollback, MaxRollback)
	}
	return nil
}

// maxRollback returns MaxRollback, or its default.
func (c *ClientConfig) maxRollback() int {
	if c.MaxRollback > 0 {
		return c.MaxRollback
	}
	return min(max(c.Protocol.TickRate(), 16), MaxRollback)
}

// initPrediction sets up prediction, which compares the client's ticks with the confirmed state.
func (c *Client) initPrediction() {
	resynced := event.QueueOf[PredictionResynced](c.hub)
	prediction, err := predict.NewPrediction(predict.PredictionConfig{
		World: c.world, Protocol: c.protocol, Hub: c.hub, Time: c.time,
		Replayer: c.replayer, Why: c.why, Log: c.log, MaxRollback: c.config.maxRollback(), Newest: c.config.RollbackToNewest,
		Connected: c.engine.Open, Synced: c.steered.Synced, ConfirmedTick: c.engine.ConfirmedTick,
		Applier: c.applier, Resources: c.resources, InterpolatedTick: c.interpolatedTick, ShownTick: c.shownTick, RemoveDespawned: c.applier.RemoveDespawned, OnResync: func(t entangle.Tick) { resynced.Push(PredictionResynced{t}) },
	})
	if err != nil {
		panic("plugin: " + err.Error())
	}
	c.prediction = prediction
	c.inputs.FireBy(source.NewIntents(c.world, registry.Of(c.protocol), false, prediction.IntentMarks()...))
	c.inputs.PredictIntentsBy(prediction)
	c.display.SetRollbackMarker(prediction.Marker())
	prediction.OnAmended(c.display.Corrected)
}

// interpolatedTick returns the tick at which an entity is shown that each packet updates.
func (c *Client) interpolatedTick() entangle.Tick {
	tick, _ := c.steered.Timeline(c.steered.PacketInterval())
	return tick
}

// shownTick returns the tick at which interpolated entities with a send interval are shown.
func (c *Client) shownTick(sendEvery int) entangle.Tick {
	tick, _ := c.steered.Timeline(sendEvery)
	return tick
}

// RequestRollback makes the next frame of a client roll back to the end of a tick and replay every
// tick since: for mispredictions that the game itself detects, such as terrain that a message
// brings. A future tick is ignored, and a tick older than the history counts as the oldest in it. A
// request from within a replay is for the next frame. Without predicted state it does nothing.
//
// It panics in a world without an app.
func RequestRollback(w *ecs.World, tick entangle.Tick) {
	if app := mustHaveApp(w, "RequestRollback"); app.Prediction != nil {
		app.Prediction.Request(tick)
	}
}

// PredictionResynced is raised on a client when confirmed state of predicted entities was applied
// to the present without a replay, because its tick lies further back than
// ClientConfig.MaxRollback. Until newer state arrives, these entities lag by the latency from the
// server.
type PredictionResynced struct{ Tick entangle.Tick }

func (PredictionResynced) subscribe(*event.Hub) {}

// ComponentCorrected is raised on a client when a rollback has corrected an entity's C: its
// predicted value at the end of Tick, the present one, was Before, and the replay from the
// confirmed state gives After. It is for components that are registered with protocol.Full, and is
// never raised for an entity that a rollback has added or removed.
type ComponentCorrected[C any] struct {
	Entity        ecs.Entity
	Before, After C
	Tick          entangle.Tick
}

func (ComponentCorrected[C]) subscribe(h *event.Hub) {
	q := event.QueueOf[ComponentCorrected[C]](h)
	componentEvents[C](h).OnCorrected = func(c *event.Correction) {
		q.Push(ComponentCorrected[C]{c.Entity, columns.ValueOf[C](c.Before), columns.ValueOf[C](c.After), c.Tick})
	}
}

// Despawn despawns an entity where it is simulated.
//
//   - On a server and a host, the entity is removed from the world.
//   - On a client, a predicted entity is despawned ahead of the server, with its children: it loses
//     its components of the protocol and those of protocol.Local, so that no system finds it, and
//     is removed once the server has despawned it, too. If the server does not, everything is
//     restored from the confirmed state.
//   - On a client, an entity with components.Remote stays unchanged: only the server despawns it.
//   - A local entity of the client is removed.
//
// A game that wants to wait for the server calls it on the server only. World.RemoveEntity on a
// predicted entity removes it for good, regardless of the server. Despawn panics like RemoveEntity
// if the entity is not alive or a query is open, and also in a world without an app.
func Despawn(w *ecs.World, e ecs.Entity) {
	app := mustHaveApp(w, "Despawn")
	if !w.Alive(e) {
		panic(fmt.Sprintf("plugin: Despawn of %v, which is not alive; ask World.Alive of entities that are kept", e))
	}
	if w.IsLocked() {
		panic(fmt.Sprintf("plugin: Despawn of %v while a query is open; collect what is to go, and despawn it after the query", e))
	}
	switch {
	case app.Prediction == nil:
		w.RemoveEntity(e)
	case app.Prediction.Despawn(e) || w.Has(e, ecs.ComponentID[components.Remote](w)):
	default:
		w.RemoveEntity(e)
	}
}

// RollbackStats counts the rollbacks and corrections of a client since it was created.
type RollbackStats struct {
	// Rollbacks counts rollbacks by the reason for the tick that was restored:
	// Rollbacks[ByMismatch].
	Rollbacks [rollbackReasons]uint64
	// Ticks counts the ticks that rollbacks have replayed.
	Ticks uint64
	// Deepest is the largest number of ticks replayed by one rollback.
	Deepest int
	// CaughtUp counts ticks that were never due, because the clock jumped past them.
	CaughtUp uint64
	// Blind counts restarts from the confirmed state alone.
	Blind uint64
	// Resyncs counts how often confirmed state was applied to the present, because it was too old
	// for a rollback.
	Resyncs uint64
	// Inserted counts confirmed states of ticks after the restored one that differed from the
	// prediction.
	Inserted uint64
	// Corrections counts present values that had been mispredicted.
	Corrections uint64
}

// PrespawnStats counts what happened to entities with components.Prespawned on a client since it was
// created.
type PrespawnStats struct {
	// Matched counts entities that became entities of the server.
	Matched uint64
	// Unmatched counts entities that were removed, because the server's did not come in time: the server
	// did not spawn them, or with another hash.
	Unmatched uint64
	// Merged counts spawns that a rollback has repeated, of entities that stayed the same.
	Merged uint64
	// Collisions counts entities with the Hash of another one, which the game has set.
	Collisions uint64
	// Overflow counts entities that were removed because more than 4,096 waited for the server's.
	Overflow uint64
}

// Total returns the number of rollbacks for all reasons.
func (s RollbackStats) Total() uint64 { return predict.PredictionStats(s).Total() }

// String returns one line with the number of rollbacks, their reasons, and the replayed ticks.
func (s RollbackStats) String() string { return predict.PredictionStats(s).String() }
