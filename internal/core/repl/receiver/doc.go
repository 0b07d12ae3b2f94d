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
//	out:     PollResync: groups to ask for again, to be sent reliably
//	getters: Slot, Held, ConfirmedTick, Stats
//
// An error from a Handle method means that the bytes are malformed or exceed the limits. State
// applied before stays intact; the peer that sent the bytes must not be trusted any further.
//
// # What a sender may do wrong
//
//	an action never comes        later records wait, 64 actions and 16 updates of a group,
//	                             at most DefaultWaitingBytes or LimitWaiting in all; an
//	                             update that finds no room is dropped, a change without
//	                             leavers and needs passed over and the group asked for in
//	                             full; for other actions these make way, else ErrNoRoom.
//	                             After 256 ticks the group is asked for anyway, once, and
//	                             an end that waits is applied
//	a baseline never comes       an action is passed over and the group asked for; an
//	                             update waits, 16 of them at most, like the above
//	a difference does not fit    the update is dropped, and the group asked for in full
//	a need is never met          the action waits, like the above
//	actions need each other in   at most 1,024 groups are brought forward in one go, else
//	great numbers                the action is passed over and the group asked for
//	an id was never issued       a reference to it is late for ever; a member is let go or
//	                             changed that is not there: the one is nothing, the other
//	                             is passed over and the group asked for, if it has values
//	a member's number is taken   by an update or a change: malformed; by a full: the old
//	by another id                member's end was overtaken, and it is despawned
//	an entity joins twice        malformed
//	a mover is never taken       it is despawned after 256 ticks, or when 4,096 more recent
//	                             ones are in transit
//	groups without a full        8,192 of them, then updates are dropped, and an action is
//	                             ErrOverload
//	more entities or groups      ErrCrowded, with a Bounded sink
//	than there is room for
//	groups break, over and over  each is asked for once, until it is polled
//	a mark never settles         64 ticks are pending; the oldest is forgotten
//	records of a group's past    dropped, as all up to the end of its handle's last
//	                             group
//
// # From bytes to the Sink
//
// HandleActions reads records one by one, and judge decides: a record applies, waits, is dropped or
// passed over. Receiver.apply lets a walker read the body between Sink.Begin and Sink.Commit, with
// Sink.Insert for each value. Then Receiver.release applies what has waited for it.
// Usual fulls of free handles are read as runs, by a Spawner (Receiver.spawnRun).
//
// HandleUpdates reads items: marks and runs of updates. A run is a sequence of blocks:
//
//	plain block     Receiver.plainBlock: stretches of groups that take their update now by one call
//	                of Updater.UpdateRun each
//	one record      Receiver.update, which also takes the other groups of a plain block: it applies,
//	                waits or is dropped; a walker reads it, with Sink.Update for each value
//
// # Where things are
//
// The replica: receiver.go, table.go, group.go, place.go (where an entity is), sink.go (the interfaces
// to the world), refs.go. Arriving: handle.go (actions) with usual.go and
// spawns.go; updates.go. Deciding: judge.go.
// Reading a body: body.go, joins.go, predicted.go.
//
// What cannot be applied yet: waiting.go, release.go, needs.go. What has to be asked for:
// requests.go. Which tick is confirmed: package confirm. For statistics and tests: stats.go,
// inspect.go.
package receiver
