// Package sink writes the output of the replication receiver into an Arche world.
//
// [Applier] applies the records that the receiver has put in order. No system or listener sees a
// partial group: structure, and updates of several members, are decoded into a buffer first and then
// written at once; the usual update, of an entity alone, goes straight into the world. For predicted entities it
// also keeps the confirmed state, which package predict uses, and interpolated entities it shows on a
// timeline of their own, behind what arrives.
//
// Bytes from the server are checked before anything is allocated for them. The numbers of entities,
// component sets and relation targets are limited.
//
// # Where things are
//
// Records with structure are decoded into a buffer (stage.go) and committed by applier.go: replicas.go,
// relations.go, references.go, departures.go, persistent.go, owned.go. Limits: entity_limit.go,
// archetypes.go. Runs of new entities with the same components are created as a batch (spawns.go), and
// runs of ended ones are removed in one call (despawns.go).
//
// Updates are decoded into the world directly, one entity at a time (update.go) or a run of them
// (update_block.go), by the set of their components (component_sets.go); differences.go for
// components that are sent as differences.
//
// Interpolated entities: interpolated.go, interpolated_commit.go (what arrives), pending_changes.go,
// interpolated_show.go (what is shown).
//
// Predicted entities: predicted.go, predicted_changes.go (which entities are predicted),
// predicted_commit.go (structure), predicted_update.go (values), postponed_events.go, confirmed.go,
// prespawned.go (entities that the game has spawned ahead of the server), twin.go. For tests and tools: mirror.go,
// interpolated_inspect.go.
package sink
