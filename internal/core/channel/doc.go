// Package channel carries messages in the packets of one connection, with the reliability and order
// that each channel promises.
//
// # Bytes
//
// Behind its header, a packet consists of frames. A frame is
//
//	size    field
//	1       channel byte: bit 7 last, bit 6 fragment, bits 0 to 5 channel id
//	2       message id, little-endian, if the frame has one; see below
//	1       fragment index, if fragment
//	1       index of the message's last fragment (1 to 120), if fragment
//	0 to 2  length of the body
//	...     body
//
// Frames of reliable channels and of SequencedUnreliable have a message id, and so do all
// fragments. Frames of UnorderedUnreliable that carry a whole message, and External frames, have
// none. The id counts the messages of its channel from 0 and wraps around.
//
// A length below 128 takes one byte. A longer one takes two: its low 7 bits with bit 7 set, then
// its upper bits in a byte from 1 to 127. The length is left out in two cases: if the bit `last` is
// set, because the body then extends to the end of the packet, and for all fragments but the final
// one, because their bodies are always 544 bytes. Those fragments never have `last` set.
//
// A message of up to 544 bytes is one frame; a longer one is cut into fragments of 544 bytes and a
// final one of 1 to 544 bytes. The bodies of External frames have any length that fits into the
// packet. Any other encoding is refused, so equal frames have equal bytes.
//
// # Guarantees
//
//   - Reliable channels deliver each message exactly once under any loss, repetition and
//     reordering of packets, as long as the connection lasts. OrderedReliable delivers in the
//     order of Send. SequencedReliable may skip a message for a newer one, but never the newest.
//   - Unreliable channels send a message once and deliver it at most once, and only as a whole.
//     Sequenced ones never deliver a message that is older than the last delivered one.
//   - Frames never exceed the number of bytes that AppendFrames may append. A packet with
//     malformed bytes is refused as a whole.
//   - All memory is bounded; see Limits and the constants beside it. Small messages
//     allocate nothing in steady state.
//
// Packet headers and acknowledgements belong to package packet. The caller passes their outcome to
// HandleAcked and HandleLost. A packet must be handled at most once (packet.Tracker.HandleHeader
// reports which ones are new). The package does not limit the rate of sending: the caller does, in
// total by the room that it offers to AppendFrames, and for each Class by SetBudget.
//
// # Driving it
//
//   - Getters: Wanted, Debt, Backlog, Unsent, Held, Stats.
//   - Commands: Init; Send; SetBudget before a frame under a cap, and DropUnsent after it.
//   - Receiving: HandleFrames(body, now), then Poll until it returns nothing; HandleAcked or
//     HandleLost for each packet that the tracker reports as acknowledged or lost, then
//     PollDelivered until it returns nothing; Expire(now) once per tick.
//   - Sending: AppendFrames(dst, room, packet id, now, rtt), BeginFrame and EndFrame in any
//     order, then Finish; repeat with further packets until nothing is appended.
//
// Both ends must configure the same ids and modes, and opposite directions. Package peer compares
// hashes of the configuration when a connection begins.
package channel
