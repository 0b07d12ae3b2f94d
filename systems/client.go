package systems

import (
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/predict"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// Client is what the stages of a client call.
type Client struct {
	Frame
	Engine     *endpoint.Client // its connection to the server
	Applier    *sink.Applier    // the replicas of the server's entities
	Prediction *predict.Prediction
	Explain    *predict.Why // nil if no reports of rollbacks are wanted
	Unsent     *tick.UnsentWarning

	// AfterReplay is called at the end of Rollback, for actions that systems requested in a replay
	// and that must wait for the end of it, such as a disconnect.
	AfterReplay func()
}

// Bind makes the schedule run a client's work in each stage.
func (c *Client) Bind() {
	c.Clock.OnJump(c.jump)
	c.bind(&work{
		Restore:       c.restore,
		Receive:       c.receiveFromServer,
		Interpolate:   c.interpolate,
		CheckRollback: c.checkRollback,
		Rollback:      c.rollBack,

		// Once per tick, and again in each replay of it.
		TickUpdate:        c.beginTick,
		FixedInput:        c.fixedInput, // but not in a replay
		WriteInputs:       c.writeInputs,
		Assemble:          c.assemble,
		ClearInputs:       c.clearInputs,
		SetPrespawnedHash: c.trackPrespawned,
		Round:             c.roundValues,
		SpawnHistory:      c.followSpawns,
		UpdateHistory:     c.saveTick,

		BeforeSend: c.endTicks,
		Packets:    c.sendToServer,
		Sync:       c.adjustClock,
		Visual:     c.showValues,
	})
}
