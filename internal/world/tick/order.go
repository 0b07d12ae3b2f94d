package tick

import (
	"fmt"
)

// Stage is one place in the order of a frame.
type Stage uint8

// The stages of a frame, in the order in which they run. In each, the engine's
// own work comes first and the game's systems after it, in the order in which
// they were added.
const (
	// Restore puts the true values back in the place of those that the screen was shown.
	Restore Stage = iota

	// Receive reads every datagram that has arrived and applies what it carries:
	// connections, messages, then replicated entities and components. Events of
	// the last frame end here.
	Receive

	// ClientReplication is where a game decides about entities that came from
	// clients, before any tick sees them.
	ClientReplication

	// PredictionSpawn turns what has come, and is for this client to predict, into
	// predicted entities.
	PredictionSpawn

	// PredictionHistory begins their histories.
	PredictionHistory

	// CheckRollback compares what the server confirmed with what was predicted, and decides
	// whether to go back, and to which tick.
	CheckRollback

	// Rollback goes back and computes every tick since anew: for each of them the stages
	// TickUpdate to IncrementRollbackTick, but for BufferInputs.
	Rollback

	// TickUpdate counts the tick up. From here to the end of the tick the
	// resource components.Time names the tick that is being computed.
	TickUpdate

	// BufferInputs is where a game writes this tick's inputs.
	BufferInputs

	// WriteInputs keeps what the game has written as this tick's inputs, and puts in
	// the place of each the one that acts in this tick.
	WriteInputs

	// Main is the game's simulation: it takes the world from tick T-1 to T.
	Main

	// ClearInputs ends the tick's inputs: what of them happens once is over.
	ClearInputs

	// Lattice rounds predicted components to what the wire can say, on both sides.
	Lattice

	// SpawnHistory begins the histories of what is predicted since this tick.
	SpawnHistory

	// EntityDespawn takes out what the tick has despawned.
	EntityDespawn

	// UpdateHistory keeps the state at the end of the tick.
	UpdateHistory

	// IncrementRollbackTick ends the tick, and in a replay goes on to the next.
	IncrementRollbackTick

	// Send is where a game makes its last decisions about what others may see.
	// No stage after it, up to Packets, runs anything of the game.
	Send

	// EntityUpdates collects which entities appeared, vanished, or gained or lost
	// components since the last Send.
	EntityUpdates

	// ComponentUpdates finds the values that changed and encodes them, once for
	// all who receive them.
	ComponentUpdates

	// SendInputs makes the frames with inputs that the packets will carry.
	SendInputs

	// Packets fills, seals and sends the datagrams of every connection.
	Packets

	// Sync adjusts the clock by what the peers' packets said about it.
	Sync

	// Visual shows the screen's values in the place of the true ones.
	Visual

	// AfterSend is the end of the frame, for systems that look at the finished
	// world: drawing, recording, statistics.
	AfterSend

	stageCount
)

// Scope says how often a stage runs.
type Scope uint8

// The scopes of stages.
const (
	// PerFrame stages run once per frame.
	PerFrame Scope = iota
	// PerTick stages run, as a block and in their order, once per fixed step of
	// the frame: none to MaxSteps times.
	PerTick
)

// Order returns all stages in the order in which a frame runs them.
func Order() []Stage {
	order := make([]Stage, stageCount)
	for i := range order {
		order[i] = Stage(i)
	}
	return order
}

// Scope returns whether the stage runs once per frame or once per tick. The
// stages that run per tick stand together: TickUpdate to IncrementRollbackTick.
func (s Stage) Scope() Scope {
	if s >= TickUpdate && s <= IncrementRollbackTick {
		return PerTick
	}
	return PerFrame
}

var stageNames = [stageCount]string{
	Restore:               "Restore",
	Receive:               "Receive",
	ClientReplication:     "ClientReplication",
	PredictionSpawn:       "Prediction.Spawn",
	PredictionHistory:     "Prediction.SpawnHistory",
	CheckRollback:         "Prediction.CheckRollback",
	Rollback:              "Prediction.Rollback",
	TickUpdate:            "FixedUpdate.TickUpdate",
	BufferInputs:          "FixedUpdate.BufferInputs",
	WriteInputs:           "FixedUpdate.WriteInputEvent",
	Main:                  "FixedUpdate.Main",
	ClearInputs:           "FixedUpdate.ClearInputEvent",
	Lattice:               "FixedUpdate.Lattice",
	SpawnHistory:          "FixedUpdate.SpawnHistory",
	EntityDespawn:         "FixedUpdate.EntityDespawn",
	UpdateHistory:         "FixedUpdate.UpdateHistory",
	IncrementRollbackTick: "FixedUpdate.IncrementRollbackTick",
	Send:                  "Send",
	EntityUpdates:         "Send.EntityUpdates",
	ComponentUpdates:      "Send.ComponentUpdates",
	SendInputs:            "Send.Input",
	Packets:               "Send.Packets",
	Sync:                  "Sync",
	Visual:                "Visual",
	AfterSend:             "AfterSend",
}

// String returns the stage's name, with the name of its block before it.
func (s Stage) String() string {
	if s >= stageCount {
		return fmt.Sprintf("Stage(%d)", uint8(s))
	}
	return stageNames[s]
}
