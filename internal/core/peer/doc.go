// Package peer is one end of an established connection: it joins the packet
// bookkeeping, the channels, and both halves of replication, and drives them in
// one order. Server and client have the same Peer; only what is handed to it at
// its making differs.
//
// # Opening
//
// The first reliable message both ways is a hello with the hash of what the side
// has registered. Where the hashes differ, both sides send their entries, name
// the difference and end; where they are equal the connection is Open, and only
// then does anything else travel.
//
// # Driving it
//
//	Handle:   HandlePayload for each that arrives, and AppendAck; Inbox gets its messages,
//	          the streams their frames
//	commands: Send, SendResource, Close
//	out:      Begin; under a cap Wanted and Allow; AppendPacket until it returns
//	          nothing, once per frame
//	getters:  Open, RTT, Jitter, Loss, Stats
//
// An error of HandlePayload ends the connection: the bytes were not what a peer
// of this protocol writes. Nothing that arrived before is taken back.
package peer
