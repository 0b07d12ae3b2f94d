package plugin

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/predict"
)

// RollbackReport explains one rollback of a client: the misprediction, its cause, and its cost.
type RollbackReport struct {
	// Tick is the tick that was restored: the ticks after it were replayed.
	Tick entangle.Tick
	// Depth is the number of replayed ticks.
	Depth int
	// Reason is the reason of the misprediction that decided the tick; of several at that tick, the
	// one that was found first.
	Reason RollbackReason
	// Entity is the mispredicted entity, zero if there is none. It may be gone already.
	Entity ecs.Entity
	// SID is the entity's id on all machines; zero if the game has none, or if the entity is gone.
	SID components.SID
	// Field is the first field in which the values differ, from the component or resource on, such
	// as Position.Pos.X. It is empty if the rollback is about no component in particular.
	Field string
	// Predicted and Confirmed are that field's values, here and on the server. "none" stands for a
	// missing component.
	Predicted, Confirmed string
	// Fields is the number of further fields of the value that differ.
	Fields int
	// Input is the entity's input in the tick, and Status its status at that time. Input is empty
	// if the entity has none. With ByInput it is the input of the tick after Tick, and RightInput
	// the actual one.
	Input, RightInput string
	Status            InputStatus
	// Entities is the number of further mispredicted entities.
	Entities int
	// Cost is the time that the replay took, by the clock of the config; 0 if that stands still
	// within a frame, as in package netsim.
	Cost time.Duration

	line string
}

// String returns the report in one line that can be shown on screen: the predicted value, the
// confirmed one, and the entity's input on this client at the time. The server may have had another
// one, or none.
func (r RollbackReport) String() string { return r.line }

// RollbackReason is the reason for which a client replayed ticks.
type RollbackReason uint8

// The reasons for rollbacks.
const (
	// ByMismatch: a predicted value differs from the server's.
	ByMismatch = RollbackReason(predict.ByMismatch)
	// ByStructure: the components or the target of an entity differ from the server's.
	ByStructure = RollbackReason(predict.ByStructure)
	// BySpawn: the server has spawned an entity that this client predicts.
	BySpawn = RollbackReason(predict.BySpawn)
	// ByDespawn: the server has despawned a predicted entity.
	ByDespawn = RollbackReason(predict.ByDespawn)
	// ByResource: a resource differs from the server's.
	ByResource = RollbackReason(predict.ByResource)
	// ByInput: another player's input of a tick differs from the one used in its place.
	ByInput = RollbackReason(predict.ByInput)
	// ByRequest: the game called RequestRollback.
	ByRequest = RollbackReason(predict.ByRequest)
	// ByBlueprint: a blueprint has arrived, or the game has added one, after its tick had run.
	ByBlueprint = RollbackReason(predict.ByBlueprint)

	rollbackReasons = predict.RollbackReasons
)

// String returns the reason in a word.
func (r RollbackReason) String() string { return predict.RollbackReason(r).String() }

// Rollbacks returns reports of the latest rollbacks, oldest first, as many as
// ClientConfig.ExplainRollbacks allows. Each call formats their text, so call it only to show them.
func (c *Client) Rollbacks() []RollbackReport {
	var reports []RollbackReport
	for _, r := range c.why.Reports() {
		reports = append(reports, RollbackReport{
			Tick: r.Tick, Depth: r.Depth, Reason: RollbackReason(r.Reason), Entity: r.Entity, SID: r.SID,
			Field: r.Field, Predicted: r.Predicted, Confirmed: r.Confirmed, Fields: r.Fields,
			Input: r.Input, RightInput: r.RightInput, Status: InputStatus(r.Status),
			Entities: r.Entities, Cost: r.Cost, line: r.String(),
		})
	}
	return reports
}

// usedInputTicks is the number of ticks for which the inputs of predicted entities are kept for
// reports. It exceeds the deepest possible rollback.
const usedInputTicks = 256

func checkExplained(keep int) error {
	if keep >= 0 && keep <= predict.MaxExplained {
		return nil
	}
	return fmt.Errorf("plugin: ClientConfig.ExplainRollbacks is %d rollbacks; leave it zero for none, or give up to %d", keep, predict.MaxExplained)
}

// initReports makes the client keep reports of its latest rollbacks, as many as keep says.
func (c *Client) initReports(keep int) {
	if keep == 0 {
		return
	}
	c.why = predict.NewWhy(predict.WhyConfig{
		World: c.world, Protocol: c.protocol, Inputs: c.inputs, Clock: c.clock, Keep: keep, Ticks: usedInputTicks,
	})
}
