// Package input carries the inputs of players from tick to tick: written by a client, sent, and
// used by a server at the tick for which they were made.
//
// An input stream holds the inputs of one type for one entity. A [Writer] is a local stream, on the
// client that controls the entity. A [Reader] is a remote stream: on the server, and on a client
// for the entities of other players. Both are rings with a value for each tick, and both return in
// the same way the input that acts at a tick:
//
//   - Fresh: the value that was written for it;
//   - None: the player has sent that there is none, or has sent nothing for a second;
//   - Repeated: it is missing, and the last one before it is used, without its events;
//   - Unknown: there has been none yet.
//
// A value is raw memory, which a [Codec] interprets. Fields that are events happen once: they are
// not repeated, and neither lost nor duplicated when the delay changes.
//
// # The wire
//
// A [Composer] writes a frame of streams, and a [Frame] reads it. Each frame repeats the ticks of a
// stream that can still be in time and that no acknowledged packet has carried, newest first, so
// that a lost packet costs nothing as long as a later one arrives. The body of a stream is equal
// for all receivers. Its head, which the caller writes, holds the parts that differ: the network
// id of the entity, and those to which its values refer.
//
// # Guarantees
//
// The input of a tick does not change once the tick has run, for at least [History] ticks, except
// on a Reader with Late. The value received first counts, until the clock of its player jumps back.
// No event acts twice, whatever packets are lost, duplicated or late, or ticks repeated after a
// jump. Ticks outside of the window (InWindow) change nothing. Bytes of a peer cause errors and
// never a panic, and no allocation: the memory of a stream depends on the tick rate and the size of
// its type alone.
//
// # Not guaranteed
//
// A stream is not safe for concurrent use. The caller has to check whether a client may control an
// entity, before it puts a stream of a frame anywhere.
//
// # How to drive it
//
//	Writer: Write or WriteNone once a tick; At in the tick; Jump when the clock jumps
//	Reader: Take once a tick; At for earlier ticks
//	Composer: Begin; Stream, head, Put, for each; or Pack; Finish
//	Frame: Open; while Next: Type, head from Bits, Range, Put or Skip; Err
//
// # Where things are
//
// What both streams share: ring.go (inputAt finds the input that acts), codec.go, status.go, limits.go,
// epoch.go. A Writer: writer.go, jump.go, sent.go. A Reader: reader.go, used.go.
//
// Frames: compose.go, pack.go and body.go write, frame.go and received.go read; run.go, errors.go. On
// the server: rate_limit.go. What a player saw: shown.go, shown_times.go.
package input
