// Package predict rolls a client's world back and replays ticks, where the server's confirmed
// state differs from what the client predicted.
//
// [Prediction] keeps histories of predicted components, presence and resources. Once per frame
// Check compares them with the confirmed state and makes a plan, a list of rollback.Step: which
// tick to restore, which ticks to replay, and where to insert confirmed state. Rollback carries out
// the plan, one step after the other. [Why] explains to a developer which component differed, and
// which system probably caused it.
//
// The parts of a Prediction, each of which uses only those before it:
//
//   - progress: where the predicted world is among the ticks
//   - entities: slots and forms of the predicted entities, and the rollback.Store of their histories
//     and confirmed state, which sink.Applier writes too
//   - shaper: adds and removes components, and disables those of despawned entities
//   - children: entities that the game attached to predicted ones
//   - lifecycle: despawns entities, brings them back, and restores ticks
//   - prespawned: entities that the game has spawned ahead of the server
//   - blueprints: entities that are assembled in a tick
//   - excluded: entities with components.NoRollback
//   - decision and resources: what Check has found, and resources that roll back
//   - corrections: the present values that a rollback has changed
//
// # Where things are
//
// Finding mispredictions: predict.go, progress.go, check.go. Carrying out the plan: rollback.go, then
// restore.go for a tick and lifecycle.go for the components of its entities. Confirmed state that
// arrives: confirmed.go.
//
// Data: entities.go, columns.go (the components, and how each is predicted), values.go,
// resources.go. Presence: shaper.go, disabled.go, children.go,
// prespawned.go, blueprints.go, intents.go, excluded.go, resumed.go.
//
// For the game and its developer: corrections.go, stats.go, why.go, why_inputs.go, why_reason.go,
// why_report.go.
package predict
