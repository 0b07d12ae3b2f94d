// Package input carries the inputs of players from tick to tick: a client writes and sends them,
// and the server uses them at the ticks for which they were made.
//
// An input stream holds the inputs of one type for one entity. A [Writer] is a local stream, on the
// client that controls the entity. A [Reader] is a remote stream: on the server, and on a client
// for the entities of other players. Both are rings with a value for each tick. In both, the input
// that acts at a tick has one of these states:
//
//   - Fresh: a value was written for the tick;
//   - None: the player has sent that there is no input, or has sent nothing for a second;
//   - Repeated: the input is missing, and the last earlier one is used, without its events;
//   - Unknown: the stream has had no input up to the tick.
//
// A value is raw memory, which a [Codec] interprets. Fields that are events act once: they are not
// repeated, and they are neither lost nor duplicated when the delay changes.
//
// # The wire
//
// A [Composer] writes a frame with several streams, and a [Frame] reads it. Each frame repeats the
// ticks of a stream that can still be in time and that are in no acknowledged packet, newest first,
// so that a lost packet does no harm if a later one arrives in time. The body of a stream is the
// same for all receivers. Its head, which the caller writes, has the parts that differ: the network
// id of the entity, and those of the entities to which its values refer.
//
// A frame of a client also has, for each tick that it repeats, the times of the server at which the
// player's screen showed interpolated entities when the input of the tick was made: one for each send
// interval ([Screens], [SeenTimes]). These times belong to the ticks and not to the packet, so they are
// exact in whichever packet an input arrives.
//
// # Guarantees
//
// The input of a tick does not change after the tick has run, for at least [History] ticks, except
// on a Reader with Late. Of several values received for a tick the first counts, until the clock of
// its player jumps back. No event acts twice, whatever packets are lost, duplicated or late, and
// whatever ticks are repeated after a jump. Ticks outside of the window (InWindow) change nothing.
// The bytes of a peer cause errors, but never a panic and no allocation: the memory of a stream
// depends only on the tick rate and the size of its type.
//
// # Not guaranteed
//
// A stream is not safe for concurrent use. The caller has to check whether a client may control an
// entity before it calls Frame.Put.
//
// # How to drive it
//
//	Writer: Write or WriteNone once per tick; At in the tick; Jump when the clock jumps
//	Reader: Take once per tick; At for earlier ticks
//	Screens: Write once per tick; Jump when the clock jumps
//	Composer: Begin; Screens, on a client; for each stream Stream, the head, Put; then Finish. Pack
//	writes the screens and all streams
//	Frame: Open; while Next: Type, the head from Bits, Range, Put or Skip; then Err
//	SeenTimes: Put for each frame without an error; At in the tick
//
// # Where things are
//
// What both streams share is in ring.go (inputAt finds the input that acts), codec.go, status.go,
// limits.go and epoch.go. A Writer is in writer.go, jump.go and sent.go, a Reader in reader.go and
// used.go.
//
// Frames are written in compose.go, pack.go and body.go and read in frame.go and received.go;
// run.go and errors.go are for both. The rate limit of the server is in rate_limit.go.
//
// What was on the player's screen: a client stores it in screens.go and writes it in shown.go, a server
// reads it there and stores it in seen.go. The frames in which something came too late: late_frames.go.
package input
