// Package sender decides what a world's owner sends to each peer, and writes it.
//
// A [World] is the shared half: what is replicated, in which group, and at which
// tick it last changed. A [Peer] is what one peer was sent and acknowledged,
// kept in columns by group. What a body says depends on the group, the tick it
// starts from and the view, not on the peer, so it is encoded once and copied to
// all; and what most peers lack, in whole runs.
//
// # Driving it
//
// Once per tick that is sent:
//
//	world.Begin(tick)
//	world.Despawn, Spawn, Move, Reshape, SetRate, Change ...   what happened since the last one
//	world.Commit()                                             every peer now knows what is due
//
// then, peer by peer:
//
//	peer.HandleAcked, HandleLost, HandleDelivered, HandleResync
//	peer.Join             the first time: what is due now is all that was there for it
//	peer.AppendActions    until it appends nothing: reliable messages
//	peer.PollAgain        until there is none: messages to be sent once more
//	peer.Prepare          once: what the peer shares with others is encoded
//	peer.Limit            if it has a byte cap, with regard to its WantedBytes
//
// and for its packets, which may be done for several peers at a time:
//
//	peer.AppendUpdates    for each packet, until it appends nothing
//	peer.AppendMark       for a packet without updates that goes out anyway
//
// # Due
//
// A group is due for a peer when it changed since it was last sent there, or
// when that sending is presumed lost. What is then sent is everything since the
// group's base: the newest tick at which the peer provably holds all of it.
// An action moves the base at once, because nothing that is sent later applies
// before it.
//
// Components of a Differ are sent as differences from what they were at the base. The
// receiver must then have been there: HandleAcked has to be told of packets as
// acknowledgements tell of them, of each together with all newer ones that arrived
// before it, so that an update which came too late to be applied is never the base.
//
// # Who sees what
//
// Public groups are seen by all peers and have the same handle at each. Private
// groups are seen by those that they are shown to (Peer.Show, Hide), under handles
// of each peer's own. What a peer may see of a group is its [View]. A private group that is
// not shown any more ends at the peer, or is retained (Peer.Retain): it stays as it was sent.
//
// What is hidden from a peer changes no byte that it is sent, nor when. That is so of groups
// that it is not shown, of what its views hide, and of retained groups but for ends. It is
// not so of what peers share:
//
//   - A public handle is given again when no peer may know it for another any more, and when
//     nobody lives who was born there. So the numbers of new public groups tell that others
//     are slow, and what became of who went out of sight from a public group.
//   - The handle of a private group whose entities the peer knows references to is free when
//     the group is gone, so the numbers of others tell that it is.
//   - Numbers in a group tell that others are taken, and a group of which somebody may not see
//     a part is private for that.
//   - A group goes as often as its members ask, those too that the peer does not see.
//   - A paused entity is told of as it is, or as it was, by what all peers have heard of a move
//     before.
//   - A byte cap for all peers together is divided by what each has to be sent.
//
// # Where things are
//
// From the world: world.go, slots.go, groups.go, members.go (spawn, move, despawn,
// pause), leavers.go (who is gone and not everywhere known to be), views.go. Names:
// names.go, graves.go, free.go. Bodies: body.go and encode.go; quick.go, kinds.go and
// likely.go for the usual update. How often a group goes: rates.go, pace.go. For a peer: peer.go, space.go
// (its columns), audience.go, retain.go, joining.go, held_up.go. Structure: actions.go, usual.go,
// moves.go, actionlog.go, again.go. Values: plan.go, then updates.go, records.go, classes.go and ample.go; runs.go,
// run_bases.go and run_copies.go for what peers share; flight.go; settled.go for what is
// predicted. Where there is not room for all: short.go, shorten.go, choose.go, rank.go,
// wait.go, bound.go.
package sender
