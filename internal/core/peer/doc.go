// Package peer is one end of an established connection: it combines the packet bookkeeping, the
// channels, and both halves of replication, and drives them in one order. Server and client use the
// same Peer; only its Config differs.
//
// # Opening
//
// The first reliable message both ways is a hello with the hash of the side's registry. If the
// hashes differ, both sides send their entries, report the difference and end the connection. If
// they are equal the connection is Open, and only then is anything else sent.
//
// # Driving it
//
//	Handle:   HandlePayload for each that arrives, and AppendAck; Inbox gets its messages,
//	          the feeds their frames
//	commands: Send, SendResource, Close
//	out:      Begin; under a cap Wanted and SetBudget; AppendPacket until it returns
//	          nothing, once per frame
//	getters:  Open, RTT, Jitter, Loss, Stats
//
// An error of HandlePayload ends the connection: the bytes were not written by a peer of this
// protocol. Data that was received before stays applied.
//
// # Where things are
//
// The Peer and its Config: peer.go. Out: append.go, with budget.go under a cap. In: handle.go, where
// Peer.dispatch gives each message to its reader. Channels that every connection has: channels.go.
// Frames of inputs and of the clock: feed.go. Control messages: control.go, with handshake.go,
// resync.go and progress.go. For statistics, tests and tools: stats.go, tap.go.
package peer
