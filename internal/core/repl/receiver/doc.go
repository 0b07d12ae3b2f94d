// Package receiver makes a copy of what a sender replicates, group by group.
//
// # Guarantee
//
// Whatever is lost, doubled or reordered on the way, a group's copy is at every
// moment the sender's group as it was at one tick, and that tick only rises. A
// record that can't be applied yet waits; one that came too late is dropped.
// When the receiver can no longer follow, it asks for the group in full, and
// keeps showing the last tick that it held until that arrives.
//
// An entity that goes over to another group is one entity all the while: it is
// found by its id and keeps its slot. It joins the other group only when its old
// one has come to the tick of the move, or both do so in one go.
//
// # Not guaranteed
//
// Nothing ties two groups to one tick, except members of one record, a move
// between them, and [Receiver.Frontier].
//
// # Driving it
//
//	Handle:  HandleUpdates, HandleActions
//	out:     PollResync: groups to ask for again, to be sent reliably
//	getters: Slot, Held, Frontier, Stats
//	command: Reset, when the sender is gone
//
// An error from a Handle method means that the bytes are malformed or beyond the
// limits. What was applied before stays whole; the peer that sent them is not
// to be trusted any further.
//
// # What a sender may do wrong
//
//	an action never comes        what follows waits, 64 actions and 16 updates of a group,
//	                             at most DefaultWaitingBytes or LimitWaiting in all; an
//	                             update that finds no room is dropped, a delta without
//	                             leavers and needs passed over and the group asked for in
//	                             full; for other actions these make way, else ErrNoRoom.
//	                             After 256 ticks the group is asked for anyway, once, and
//	                             an end that waits is applied
//	a base is never held         an action is passed over and the group asked for; an
//	                             update waits, 16 of them at most, like the above
//	a difference does not fit    the update is dropped, and the group asked for in full
//	a need is never met          the action waits, like the above
//	actions need each other in   at most 1,024 groups are brought forward in one go, else
//	great numbers                the action is passed over and the group asked for
//	an id was never issued       a reference to it is late for ever; a member is let go or
//	                             changed that is not there: the one is nothing, the other
//	                             is passed over and the group asked for, if it has values
//	a member's number is taken   by an update or a delta: malformed; by a full: the old
//	by another id                member's end was overtaken, and it is despawned
//	an entity joins twice        malformed
//	a mover is never taken       it is despawned after 256 ticks, or when 4,096 more recent
//	                             ones are adrift
//	groups without a full        8,192 of them, then updates are dropped, and an action is
//	                             ErrOverload
//	more entities or groups      ErrCrowded, with a Bounded sink
//	than there is room for
//	groups break, over and over  each is asked for once, until it is polled
//	a mark never settles         64 ticks are pending; the oldest is forgotten
//	records of a group's past    dropped, as what is not after the end of its handle's last
//	                             group
package receiver
