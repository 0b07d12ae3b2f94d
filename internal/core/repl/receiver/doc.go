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
// # Not guaranteed
//
// Nothing ties two groups to one tick, except members of one record.
//
// # Driving it
//
//	Handle:  HandleUpdates, HandleActions
//	out:     PollResync: groups to ask for again, to be sent reliably
//	getters: Slot, Held, Stats
//	command: Reset, when the sender is gone
//
// An error from a Handle method means that the bytes are malformed or beyond the
// limits. What was applied before stays whole; the peer that sent them is not
// to be trusted any further.
package receiver
