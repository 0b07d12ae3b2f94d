// Package packet implements the header of every packet of an established connection, and the
// state behind it: which packets the peer has received, which ones are lost, how long a round trip
// takes, and when the peer needs an acknowledgement.
//
// # Bytes
//
// Every payload begins with 13 bytes, little-endian:
//
//	offset  size  field
//	0       1     bits 0 and 1: kind: 1 data, 2 ack-only, 3 goodbye; 0 is refused
//	              bits 2 to 7: ack delay: how long before this header the packet ack arrived, in
//	              units of 4 ms, rounded; 63 is 252 ms or longer
//	1       2     id of this packet
//	3       2     ack: newest packet id received from the peer
//	5       4     ack bits: bit i is set if id ack-1-i was received too
//	9       4     newest tick of the sending end
//
// A data packet continues with frames (package channel) and a goodbye with its reason: 0 to 200
// bytes of UTF-8 text. An ack-only packet ends after the header.
//
// Ids start at 1 and wrap from 65535 to 0. An end that has received nothing writes ack 0 and no ack
// bits, as if it had received a packet with id 0 when it began. Only data packets have ids of their
// own. Ack-only and goodbye packets repeat the newest id, and the receiver ignores it.
//
// # Guarantees
//
//   - For each id there is one verdict: TakeAcked or PollLost returns it, once. An
//     acknowledgement of an id that PollLost has returned counts as Spurious in Stats and serves
//     as a round-trip sample, but changes no verdict.
//   - RTT is the time that packets and acknowledgements travel, without the time that an
//     acknowledgement waits for a header to carry it. A header is a sample if its ack is
//     acknowledged for the first time (as in RFC 9002, section 5.1), and has waited for less than
//     MaxAckDelay. A sample is exact to 2 ms. Where packets overtake each other, the faster ones
//     are sampled, so RTT is below the mean.
//   - A peer that lies about its delays moves its own RTT, between 0 and the time until its
//     acknowledgements arrived. Timeouts keep within their limits, whatever it claims.
//   - HandleHeader reports each received id as fresh at most once. Ids older than the newest 33
//     are not fresh: they cannot be acknowledged any more, so they must not be processed.
//   - Handling a header takes at most 33 steps, whatever it acknowledges.
//   - In the steady state nothing is allocated, and memory is bounded: if more than MaxInFlight
//     ids are in flight, PollLost reports the oldest as lost.
//
// It does not resend anything (package channel does), does not limit the rate except to a peer that
// acknowledges nothing (MaySend), and does not authenticate: headers arrive in sealed datagrams.
//
// # Driving it
//
//   - Getters: RTT, Jitter, LossRate, InFlight, Stats, AckDue.
//   - Call HandleHeader(header, now) for each packet that arrives, then TakeAcked, then AckDue. Do so
//     after each packet and not once per tick, because a burst can fill the window within one tick.
//   - Call PollLost until it returns nothing once per frame, after the packets: some that seem lost may be
//     acknowledged by the next one.
//   - Call Next(now, tick, kind) for each packet that is sent.
//
// A Tracker serves one peer and is not safe for concurrent use.
package packet
