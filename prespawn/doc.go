// Package prespawn finds out which entity of the server is which entity that a client has spawned
// ahead of it. Games use components.Prespawned; this package is what the plugin does with it.
//
// A shared system spawns a bullet in the same tick on the server and on each client that predicts it.
// Both compute a hash of the spawn (a [Hasher]), and the server sends its hash with the entity. A
// [Matcher] of the client holds the entities that wait for the server's, by their hash.
//
// A rollback repeats ticks, and so repeats spawns. The Matcher recognises a repeated spawn by its
// hash and tick, so that an entity stays the same one through rollbacks, whether or not the server's
// has arrived.
//
// It guarantees that
//   - a hash stands for at most one entity of a Matcher, the first that had it;
//   - an entity of the client is paired with at most one of the server;
//   - a Matcher holds at most as many entities as its limit, and each for a bounded number of ticks;
//   - nothing is allocated when the number of entities does not grow.
//
// It does not access a world or a clock: its caller passes ticks, and spawns and removes entities.
//
// # Where things are
//
// Hasher is in hash.go, Matcher in matcher.go, the list of its entities in list.go.
package prespawn
