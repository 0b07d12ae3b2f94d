package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/systems"
)

// MaxRollback is the highest ClientConfig.MaxRollback, in ticks.
const MaxRollback = 256

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
	return min(max(c.Protocol.TickRate(), 16), 128)
}

// predict has the ticks of the client's world compared with the server's.
func (c *Client) predict() {
	prediction, err := systems.NewPrediction(systems.PredictionConfig{
		World: c.world, Protocol: c.protocol, Copy: c.copy, Time: c.time,
		MaxRollback: c.maxRollback, Newest: c.rollbackTo == Newest,
		Replay: c.replay, Frontier: c.engine.Frontier,
	})
	if err != nil {
		panic("plugin: " + err.Error())
	}
	c.prediction = prediction
	c.schedule.Bind(systems.PredictionSpawn, func(*ecs.World) { prediction.Spawned() })
	c.schedule.Bind(systems.CheckRollback, func(*ecs.World) { prediction.Check() })
	c.schedule.Bind(systems.Rollback, func(*ecs.World) {
		prediction.Rollback()
		c.leave()
	})
	c.schedule.Bind(systems.UpdateHistory, func(*ecs.World) { prediction.EndTick() })
}

// replay computes ticks anew.
func (c *Client) replay(from, to entangle.Tick) { c.again.Replay(c.world, from, to) }

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
