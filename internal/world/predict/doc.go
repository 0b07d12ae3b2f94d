// Package predict rolls a client's world back and replays ticks, where the server's confirmed
// state differs from what the client predicted.
//
// [Prediction] keeps histories of predicted components, presence and resources. Once per frame
// Check compares them with the confirmed state and returns a plan, a list of rollback.Step:
// which tick to restore, which ticks to replay, and where to insert confirmed state. Rollback
// carries out the plan, one step after the other. [Why] explains to a developer which component
// differed, and which system probably caused it.
//
// The parts of a Prediction, each of which uses only those before it:
//
//   - progress: where the predicted world is among the ticks
//   - entities: slots, forms and histories of the predicted entities
//   - shaper: adds and removes components, and disables those of despawned entities
//   - children: entities that the game attached to predicted ones
//   - lifecycle: despawns entities, brings them back, and restores ticks
//   - excluded: entities with components.NoRollback
//   - decision and resources: what Check has found, and resources that roll back
//   - corrections: the present values that a rollback has changed
package predict
