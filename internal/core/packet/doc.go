// Package packet implements the header of every packet of an established connection, and the
// state behind it: which packets the peer has received, which are lost, how long a round trip
// takes, and when the peer needs an acknowledgement.
//
// # Bytes
//
// Every payload begins with 13 bytes, little-endian:
//
//	offset  size  field
//	0       1     kind: 1 data, 2 ack-only, 3 goodbye; anything else is refused
//	1       2     id of this packet
//	3       2     ack: newest packet id received from the peer
//	5       4     ack bits: bit i says that id ack-1-i was received too
//	9       4     tick of the sender
//
// A data packet is followed by frames (package channel), an ack-only packet by
// nothing, a goodbye by the reason: 0 to 200 bytes of UTF-8 text.
//
// Ids start at 1 and wrap from 65535 to 0. An end that has received nothing writes ack 0 and
// no bits, as if the packet before the first had arrived. Only data packets take an id.
// Ack-only and goodbye packets repeat the newest id, and the receiver ignores it.
//
// # Guarantees
//
//   - Each id gets one verdict, once: TakeAcked or PollLost. An acknowledgement of a lost id
//     counts as Spurious in Stats, serves as a round-trip sample, and changes no verdict.
//   - A received id is fresh once. Ids older than the window of 33 are not fresh: they
//     cannot be acknowledged any more, so they must not be processed.
//   - A header costs at most 33 steps, whatever it acknowledges.
//   - Nothing is allocated in the steady state, and memory is bounded: at most MaxInFlight
//     ids are in flight, then the oldest are reported lost.
//
// It does not resend anything (package channel does), does not limit the rate, and does not
// authenticate: headers arrive in sealed datagrams.
//
// # Driving it
//
//   - Getters: RTT, Jitter, LossRate, InFlight, Stats, AckDue.
//   - HandleHeader(header, now) for each packet that arrives, then TakeAcked, and PollLost
//     until it is empty, then AckDue: after each packet, because a burst can fill the window
//     within one tick.
//   - Next(now, tick, kind) for each packet that leaves.
//
// A Tracker serves one peer and is not safe for concurrent use.
package packet
