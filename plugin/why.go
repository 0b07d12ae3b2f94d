package plugin

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/world/predict"
)

// RollbackReport explains one rollback of a client: the misprediction, its cause, and its cost.
// String is one line that can be shown on screen.
type RollbackReport = predict.RollbackReport

// RollbackReason is the reason for which a client replayed ticks.
type RollbackReason = predict.RollbackReason

// The reasons for rollbacks.
const (
	// ByMismatch: a predicted value differs from the server's.
	ByMismatch = predict.ByMismatch
	// ByStructure: the components or the target of an entity differ from the server's.
	ByStructure = predict.ByStructure
	// BySpawn: the server has spawned an entity that this client predicts.
	BySpawn = predict.BySpawn
	// ByDespawn: the server has despawned a predicted entity.
	ByDespawn = predict.ByDespawn
	// ByResource: a resource differs from the server's.
	ByResource = predict.ByResource
	// ByInput: another player's input of a tick differs from the one used in its place.
	ByInput = predict.ByInput
	// ByRequest: the game called RequestRollback.
	ByRequest = predict.ByRequest
)

// Rollbacks returns reports of the latest rollbacks, oldest first, as many as
// ClientConfig.ExplainRollbacks allows. Each call formats their text, so call it only to show them.
func (c *Client) Rollbacks() []RollbackReport { return c.why.Reports() }

// usedInputTicks is the number of ticks for which the inputs of predicted entities are kept for
// reports. It exceeds the deepest possible rollback.
const usedInputTicks = 256

func checkExplained(keep int) error {
	if keep >= 0 && keep <= predict.MaxExplained {
		return nil
	}
	return fmt.Errorf("plugin: ClientConfig.ExplainRollbacks is %d rollbacks; leave it zero for none, or give up to %d", keep, predict.MaxExplained)
}

// explain makes the client keep reports of its latest rollbacks, as many as keep says.
func (c *Client) explain(keep int) {
	if keep == 0 {
		return
	}
	c.why = predict.NewWhy(predict.WhyConfig{
		World: c.world, Protocol: c.protocol, Inputs: c.inputs, Clock: c.clock, Keep: keep, Ticks: usedInputTicks,
	})
}
