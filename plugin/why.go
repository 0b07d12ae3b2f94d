package plugin

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/predict"
)

// RollbackReport says why a client rolled back once: what was not as predicted, what drove
// it, and what it cost. String is one line that can be shown on screen.
type RollbackReport struct {
	// Tick that the client went back to: the ticks after it were computed anew.
	Tick entangle.Tick
	// Depth is how many ticks were.
	Depth int
	// Reason is what decided it; of several, what was found first.
	Reason RollbackReason
	// Entity that was not as predicted, zero if it was none. It may be gone by now.
	Entity ecs.Entity
	// SID is what the entity is called on all machines; zero if the game has none, or if it
	// is gone.
	SID components.SID
	// Field is where the values differ first, from the component or resource on, such as
	// Position.Pos.X. Empty: no component in particular.
	Field string
	// Predicted and Confirmed are that field's values, here and on the server. "none" is
	// for a component that is not there.
	Predicted, Confirmed string
	// Fields is how many more fields of the value differ.
	Fields int
	// Input is what drove the entity in the tick, and Status what was known of it then.
	// Empty: nothing does. With ByInput it is the input of the tick after Tick, and
	// RightInput what it really was.
	Input, RightInput string
	Status            InputStatus
	// Entities is how many more entities were not as predicted.
	Entities int
	// Cost is how long it took to compute the ticks, by the clock of the config; 0 if that
	// stands still within a frame, as in package netsim.
	Cost time.Duration
}

// String is the report in one line: what was predicted, what the server says it is, and what
// this client had as the entity's input then. The server may have had another one, or none.
func (r RollbackReport) String() string { return predict.RollbackReport(r).String() }

// RollbackReason says what made a client compute ticks anew.
type RollbackReason = predict.RollbackReason

// The reasons for rollbacks.
const (
	// ByMismatch: a predicted value is another than the server's.
	ByMismatch = predict.ByMismatch
	// ByStructure: an entity has other components than the server's, or another target.
	ByStructure = predict.ByStructure
	// BySpawn: the server has spawned an entity that this client predicts.
	BySpawn = predict.BySpawn
	// ByDespawn: the server has despawned one.
	ByDespawn = predict.ByDespawn
	// ByResource: a resource is another than the server's.
	ByResource = predict.ByResource
	// ByInput: another player's input of a tick is another than what stood in for it.
	ByInput = predict.ByInput
	// ByRequest: the game asked for it.
	ByRequest = predict.ByRequest
)

// Rollbacks returns why the client rolled back, the oldest first: the last of them, as many
// as ClientConfig.ExplainRollbacks says. It makes the text of each, so ask when somebody is
// to read it.
func (c *Client) Rollbacks() (all []RollbackReport) {
	for _, r := range c.why.Reports() {
		all = append(all, RollbackReport(r))
	}
	return all
}

// usedInputTicks is for how many ticks the inputs that predicted entities had are kept, for
// reports. It is more than any client rolls back.
const usedInputTicks = 256

func checkExplained(keep int) error {
	if keep >= 0 && keep <= predict.MaxExplained {
		return nil
	}
	return fmt.Errorf("plugin: ClientConfig.ExplainRollbacks is %d rollbacks; leave it zero for none, or give up to %d", keep, predict.MaxExplained)
}

// explain has the client keep why it rolls back.
func (c *Client) explain(keep int) {
	if keep == 0 {
		return
	}
	c.why = predict.NewWhy(predict.WhyConfig{
		World: c.world, Protocol: c.protocol, Inputs: c.inputs, Clock: c.clock, Keep: keep, Ticks: usedInputTicks,
	})
}
