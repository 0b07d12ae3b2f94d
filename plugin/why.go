package plugin

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/world/predict"
)

// RollbackReport says why a client rolled back once: what was not as predicted, what drove
// it, and what it cost. String is one line that can be shown on screen.
type RollbackReport = predict.RollbackReport

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
func (c *Client) Rollbacks() []RollbackReport { return c.why.Reports() }

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
