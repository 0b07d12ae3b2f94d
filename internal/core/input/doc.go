// Package input carries what players do from tick to tick: what a client wrote for its
// ticks, how it travels, and what a server makes of it at the tick that it is for.
//
// A lane is the inputs of one type for one entity. A [Writer] is a lane of one's own,
// on the client that drives the entity. A [Reader] is a lane of somebody else: on the
// server, and on a client for the entities of other players. Both are rings of a value
// for each tick, and both answer in the same way what acts at a tick:
//
//   - Fresh: the value that was written for it;
//   - None: the player has none for it, and said so, or has been missing for a second;
//   - Repeated: it is missing, and the last one before it counts, without its events;
//   - Unheard: there has been none yet.
//
// A value is memory of its type, about which a [Codec] knows the rest. Fields that are
// events happen once: they are not repeated, and neither lost nor doubled when the delay
// changes.
//
// # The wire
//
// A [Composer] writes a frame of lanes, and a [Frame] reads it. Each frame repeats the
// ticks of a lane that can still be in time and that no acknowledged packet has carried,
// newest first, so that a lost packet costs nothing as long as a later one comes. The body
// of a lane is the same for everybody whom it is sent to. Its head, which is the caller's,
// holds what differs: the name of the entity, and those that its values refer to.
//
// # Guarantees
//
// What a tick got stays as it was once the tick has run, for [History] ticks at least; but
// for a Reader that is told to correct the past. A value that came first stays, until
// the clock of its player jumps back. No event acts twice, whatever is lost, repeated, late
// or done again after a jump. Ticks outside of the window (InWindow) change nothing.
// Bytes of a peer lead to errors and never to a panic, and nothing is allocated for them:
// a lane's memory follows the tick rate and the size of its type alone.
//
// # Not guaranteed
//
// A lane is not safe for use by several goroutines. Whether a client may drive an entity
// is the caller's to check, before it puts a frame's lane anywhere.
//
// # How to drive it
//
//	Writer: Write or WriteNone once a tick; At in the tick; Jump when the clock does
//	Reader: Take once a tick; At for the past
//	Composer: Begin; Lane, head, Put, for each; or Pack; Finish
//	Frame: Open; while Next: Type, head from Bits, Range, Put or Skip; Err
package input
