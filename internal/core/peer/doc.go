// Package peer is one end of an established connection. It combines the tracking of packets, the
// channels, and both halves of replication, and calls them in a fixed order. Server and client use
// the same Peer; only its Config differs.
//
// # Opening
//
// The first reliable message in both directions is a hello with the hash of the side's registry. If
// the hashes differ, both sides send their registry entries, report the difference and end the
// connection. If they are equal, the connection is Open, and only then is anything else sent.
//
// # Driving it
//
//	incoming: HandlePayload for each payload that arrives, then AppendAck; messages go to
//	          Config.Inbox, frames of feeds to the feeds
//	commands: Send, SendResource, Close
//	outgoing: once per frame Begin; under a cap Wanted and SetBudget; AppendPacket until it
//	          returns nothing
//	getters:  Open, RTT, Jitter, Loss, Stats
//
// After an error of HandlePayload the connection must be ended: a peer of this protocol cannot have
// written the bytes. Data that was received before remains applied.
//
// # Where things are
//
// The Peer and its Config are in peer.go. Sending is in append.go, with budget.go for a cap.
// Receiving is in handle.go, where Peer.dispatch passes each message to its reader. The channels
// that every connection has are in channels.go, frames of inputs and of the clock in feed.go.
// Control messages are in control.go, with handshake.go and progress.go. Statistics, and
// access for tests and tools, are in stats.go and tap.go.
package peer
