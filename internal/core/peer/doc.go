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
//	          the streams their frames
//	commands: Send, SendResource, Close
//	out:      Begin; under a cap Wanted and SetBudget; AppendPacket until it returns
//	          nothing, once per frame
//	getters:  Open, RTT, Jitter, Loss, Stats
//
// An error of HandlePayload ends the connection: the bytes were not written by a peer of this
// protocol. Data that was received before stays applied.
package peer
