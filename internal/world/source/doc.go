// Package source is the way from an Arche world to the replication sender.
//
// # What is here
//
//   - [Collector] observes the world once per tick that is sent, and tells the sender which
//     entities appeared, disappeared or changed. It encodes a changed value once, for all
//     clients.
//   - Visibility: targets, overrides of single components, hierarchies and interest management
//     decide which client gets which entity, and what of it. A group that everybody may see in
//     full is public, any other is private and has a view per client.
//   - [Interest] and [Grid] decide which entities are relevant to a client.
//
// # What it guarantees
//
// Detection reads whole columns. What a tick costs follows what changed in it, and not how
// many entities there are. Pausing an entity never shows it to more clients.
package source
