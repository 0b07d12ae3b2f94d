// Package sender decides what a world's owner sends to each peer, and writes it.
//
// A [World] is the shared half: what is replicated, in which group, and at which
// tick it last changed. A [Peer] is what one peer was sent and acknowledged,
// kept in columns by group. What a body says depends on the group and the tick
// it starts from, not on the peer, so it is encoded once and copied to all.
//
// # Driving it
//
// Once per tick that is sent:
//
//	world.Begin(tick)
//	world.Despawn, Spawn, Reshape, Change ...   what happened since the last one
//	world.Commit()                              every peer now knows what is due
//
// then, peer by peer, for its packets:
//
//	peer.HandleAcked, HandleLost, HandleDelivered, HandleResync
//	peer.AppendActions    until it appends nothing: reliable messages
//	peer.AppendUpdates    for each packet, until it appends nothing
//
// # Due
//
// A group is due for a peer when it changed since it was last sent there, or
// when that sending is presumed lost. What is then sent is everything since the
// group's base: the newest tick at which the peer provably holds all of it.
// An action moves the base at once, because nothing that is sent later applies
// before it.
package sender
