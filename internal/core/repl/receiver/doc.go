// Package receiver maintains a replica of a sender's groups.
//
// # Guarantee
//
// Whatever is lost, duplicated or reordered, the replica of a group equals the sender's group at
// some tick at every moment, and that tick only rises. A record that can't be applied yet waits; a
// stale one is dropped. When the receiver can no longer follow, it requests the group in full, and
// keeps the last state that it had until that arrives.
//
// An entity that moves to another group stays the same entity: it is found by its id and keeps its
// slot. It joins the other group only when its old one has reached the tick of the move, or both do
// so in one step.
//
// # Not guaranteed
//
// Nothing ties two groups to one tick, except members of one record, a move
// between them, and [Receiver.ConfirmedTick].
//
// # Driving it
//
//	Handle:  HandleUpdates, HandleActions
//	out:     PollResync: groups to request in full, to be sent reliably
//	getters: Slot, Held, ConfirmedTick, Stats
//
// An error from a Handle method means that the bytes are malformed or exceed the limits. The world of the
// Sink is as it was before the record. The receiver is not, and must not be used any more.
//
// # What a sender may do wrong
//
//	an action never comes        later records wait: of a group 16 updates and 64 actions,
//	                             or 128 actions that can't be passed over;
//	                             at most DefaultWaitingBytes or LimitWaiting in all; an
//	                             update that finds no room is dropped, a change without
//	                             leavers and needs passed over and the group requested in
//	                             full; for other actions these make way, else ErrNoRoom.
//	                             After 256 to 320 ticks the group is requested anyway,
//	                             once, and an end that waits is applied
//	a baseline never comes       an action is passed over and the group requested; an
//	                             update waits, 16 of them at most, like the above
//	a difference does not fit    the update is dropped, and the group requested in full
//	a need is never met          the action waits, like the above
//	actions need each other in   at most 1,024 groups are brought forward in one go, else
//	great numbers                the action is passed over and the group requested
//	an id was never issued       a reference to it is late for ever; a member leaves or
//	                             changed that is not there: the one is nothing, the other
//	                             is passed over and the group requested, if it has values
//	a member's number is taken   by an update or a change: malformed; by a full: the old
//	by another id                member's end was overtaken, and it is despawned
//	an entity joins twice        malformed
//	a mover is never taken       it is despawned after 256 ticks, or 65,536 moves
//	groups without a full        8,192 of them, then updates are dropped; 16,384, then a
//	                             change or an end is ErrOverload
//	more entities or groups      ErrCrowded
//	than there is room for
//	groups break, over and over  each is requested once, until it is polled
//	a mark never settles         it is forgotten after 64 ticks, as is one with parts that
//	                             contradict each other
//	records of a group's past    dropped, as all up to the end of its handle's last
//	                             group
//
// # From bytes to the Sink
//
// actionReader reads the records of an action message, updateReader the runs of updates and the marks
// of a frame. order.State.Judge decides about each record: it applies, waits, is dropped or passed over.
// replica.apply lets the applier read the body between Sink.Begin and Sink.Commit, with Sink.Insert or
// Sink.Update for each value. Then replica.release applies what has waited for it. Runs of alike records
// go to the sink at once: usual fulls of free handles by a Spawner, and updates of one member by an
// Updater.
//
// # Where things are
//
// The parts, each with its own state: the groups by handle (table.go, group.go), where an entity is
// (entities.go), the order of records and those that wait (package order), the confirmed tick (package
// confirm), the groups to be requested (requests.go), actions that groups need of each other (joint.go),
// and the body of a record (body.go, members.go). replica.go applies records with their help,
// waiting.go keeps and releases those that have to wait.
//
// What arrives: actions.go, runs.go, updates.go. The world: sink.go. The caller's side: receiver.go. For tests
// and tools: lister.go.
package receiver
