// Package receiver maintains a replica of a sender's groups.
//
// # Guarantee
//
// Whatever is lost, duplicated or reordered, the replica of a group equals the sender's group at
// some tick at every moment, and that tick only rises. A record that can't be applied yet waits; a
// stale one is dropped. The receiver never has to request anything.
//
// An entity that moves to another group stays the same entity: it is found by its id and keeps its
// slot. It leaves its old group and joins the other in one step, so it is in one group at any time.
//
// # Not guaranteed
//
// Nothing ties two groups to one tick, except members of one record, a move
// between them, and [Receiver.ConfirmedTick].
//
// # Driving it
//
//	Handle:  HandleUpdates, HandleActions, and Continue for each packet
//	getters: Slot, Held, ConfirmedTick, Stats
//
// An error from a Handle method means that the bytes are malformed or exceed the limits. The world of the
// Sink is as it was before the record. The receiver is not, and must not be used any more.
//
// # What a sender may do wrong
//
//	a baseline never comes       the record waits: of a group 16 updates, and 64 actions,
//	                             else ErrNoRoom; in all at most DefaultWaitingBytes or
//	                             LimitWaiting, of which updates take half at most. An
//	                             update that finds no room is dropped; for other records
//	                             it is ErrNoRoom
//	a difference does not fit    malformed, or an error of the sink
//	a part of a unit never       the unit waits; its parts count for the same bytes, and
//	comes, or a need is not met  so do its missing ones below the highest that arrived
//	a part comes twice, or       malformed
//	behind the last one
//	units apply in great         512 that can't be applied are examined in a row, and the
//	numbers, or never            next call continues there
//	an id was never issued       a reference to it is late for ever; a member leaves or
//	                             changed that is not there: the one is nothing, the other
//	                             malformed if it has values
//	a member's number is taken   malformed
//	by another id
//	an entity joins twice        malformed, in one record; else it moves
//	a mover is never taken       it is despawned with the end of its unit or message
//	more entities or groups      ErrCrowded
//	than there is room for
//	a mark never settles         it is forgotten after 64 ticks, as is one with parts that
//	                             contradict each other
//	records of a group's past    dropped, as all up to the end of its handle's last
//	                             group
//
// # From bytes to the Sink
//
// actionReader reads the records of an action message, updateReader the runs of updates and the marks
// of a frame. group.judge decides about each record: it applies, waits or is dropped. A unit waits in
// parts as they arrived; once it can be applied, its records are read like those of a message.
// replica.apply lets the applier read the body between Sink.Begin and Sink.Commit, with Sink.Insert or
// Sink.Update for each value. Then replica.release applies what has waited for it. Runs of alike records
// go to the sink at once: usual fulls of free handles by a Spawner, and updates of one member by an
// Updater.
//
// # Where things are
//
// The parts, each with its own state: the groups by handle (table.go, group.go), where an entity is
// (entities.go), the records that wait (pool.go), the units that wait (units.go), the confirmed tick (package
// confirm), and the body of a record (body.go, members.go). replica.go applies records with their help, waiting.go
// keeps and releases those that have to wait.
//
// What arrives: actions.go, runs.go, updates.go. The world: sink.go. The caller's side: receiver.go. For tests
// and tools: lister.go.
package receiver
