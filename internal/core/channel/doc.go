// Package channel carries messages in the packets of one connection, with the
// reliability and order that each channel promises.
//
// # Bytes
//
// After the packet header follow frames until the end of the packet. A frame is
//
//	size    field
//	1       channel byte: bit 7 last, bit 6 fragment, bits 0 to 5 channel id
//	2       message id, little-endian; see below
//	1       fragment index, if fragment
//	1       index of the message's last fragment (1 to 120), if fragment
//	0 to 2  length of the body
//	...     body
//
// The message id is there on reliable channels, on SequencedUnreliable, and on
// fragments; so not on UnorderedUnreliable messages that fit in one frame, nor on
// External frames. It counts messages of its channel from 0 and wraps.
//
// The length is one byte below 128; otherwise the low 7 bits with bit 7 set, then
// the upper bits in a byte from 1 to 127. It is left out in two cases: with last
// set, where the body runs to the end of the packet, and for fragments other than
// the message's last, which have 544 bytes. Those never have last set.
//
// A message of up to 544 bytes is one frame; a longer one is fragments of 544
// bytes and a rest of 1 to 544. External bodies are as long as they are. Any other
// encoding is refused, so equal frames have equal bytes.
//
// # Guarantees
//
//   - Reliable channels deliver each message exactly once under any loss,
//     repetition and order of packets, as long as the connection lasts;
//     OrderedReliable in the order of Send. SequencedReliable may skip a message
//     for a newer one, never the newest.
//   - Unreliable channels send once and deliver at most once, in full or not at
//     all. Sequenced ones never deliver a message older than the last delivered one.
//   - No packet is filled beyond the room it was given, and none is applied in part
//     if its bytes are malformed.
//   - All memory is bounded; see Limits and the constants beside it. Small messages
//     allocate nothing in steady state.
//
// Packet headers and acknowledgements belong to package packet. The caller passes its
// results to HandleAcked and HandleLost. A packet must be handled at most once
// (packet.Tracker.HandleHeader reports which are fresh). The package keeps no rate: the
// caller of AppendFrames decides how many bytes are sent, in all by the room it offers,
// and for each Class by SetBudget.
//
// # Driving it
//
//   - Getters: Due, Wanted, Debt, Pending, Backlog, Unsent, Held, Stats.
//   - Commands: Init; Send; SetBudget before a frame under a cap, and DropUnsent after it.
//   - In: HandleFrames(body, now), then Poll until empty; HandleAcked and
//     HandleLost for each verdict of the tracker, then PollDelivered until empty;
//     Expire(now) once per tick.
//   - Out: AppendFrames(dst, room, packet id, now, rtt), BeginFrame and EndFrame in
//     any order, then Finish; more packets while Due.
//
// Both ends must configure the same ids and modes, and opposite directions; a hash
// of the configuration is compared elsewhere, before any frame is sent.
package channel
