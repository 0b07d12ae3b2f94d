// Package source is the way from an Arche world to the replication sender.
//
// # What is here
//
//   - [Collector] observes the world once per tick that is sent, and tells the sender which
//     entities appeared, disappeared or changed. It encodes a changed value once for all
//     clients with the same baseline, as far as it matters, and the same view.
//   - Visibility: targets, overrides of single components, hierarchies and interest management
//     decide which client gets which entity, and what of it. A group that everybody may see in
//     full is public, any other is private and has a view per client.
//   - [Interest] and [Grid] decide which entities are relevant to a client.
//
// # What it guarantees
//
// Detection reads whole columns. What a tick costs follows what changed in it, and not how
// many entities there are. Pausing an entity, or detaching one whose Replicate the plugin added,
// never shows it to more clients.
//
// # Where things are
//
// What changed: collector.go, sent_components.go, undetected.go, rounding.go; rewind.go and rewind_kept.go for lag compensation, history.go for
// differences. Network ids: network_ids.go, pending_refs.go, relations.go (targets among the
// references). Groups: named_groups.go, rates.go, refused_groups.go.
//
// Which client sees what: visibility.go, then visibility_changes.go, visibility_relevance.go,
// visibility_former.go and visibility_show.go. Its inputs: targets.go, overrides.go, owners.go,
// interest.go, grid.go. Which client predicts or interpolates what:
// prediction_targets.go, interpolation_targets.go, prespawn_targets.go, teleports.go.
//
// Hierarchies: hierarchy.go, hierarchy_listener.go, hierarchy_unplaced.go, propagation.go. Shared
// ids: sids.go. Prespawned entities: prespawns.go. Entities that are assembled:
// blueprints.go, and those that inputs fire: intents.go. For developers: warnings.go, unregistered.go, mirror.go.
package source
