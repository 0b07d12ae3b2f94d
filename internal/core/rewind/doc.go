// Package rewind computes what a client's screen showed, at the server, for lag compensation.
//
// A [History] holds the values of some components of all entities for the last ticks, in columns: it
// is filled once per tick for all clients. A [Received] holds what one client has received, and when:
// the client shows an interpolated entity between the updates that arrived there. A [View] combines
// both: the entities as one screen showed them.
//
// # Guarantee
//
//   - A value of a View is computed by the functions of snapshot.Kind that the client interpolates
//     with, from the values at the same two ticks, with the same share.
//   - If a client had no next value in time, its entity rested, and set off when one arrived. The
//     View does the same, with the frame of which the client says that it arrived then.
//   - A teleport, and two values that Kind.TooFar reports, are a step.
//   - An entity is in a View from the tick at which the client got it, if that had arrived, up to the
//     tick at which it was despawned or hidden. Both are also true of one that is gone since.
//   - No claim of a client has an effect on the views of another one, and none leads out of the
//     values that the History has: the share of two values is from 0 to 1, or that of an
//     extrapolation.
//   - The memory is bounded: that of a History by its depth, that of a Received by the groups of its
//     client, and by MaxDepartures.
//
// Nothing is allocated while neither the number of entities nor that of groups reaches a new maximum.
//
// # Not guaranteed
//
// A client tells of late frames in four packets. If all of them are lost, what was late counts as in time.
//
// # How to drive it
//
// The server, in each tick: History.Begin, then for each column Row and MarkPresent, and SetTeleports.
// The sender of a client: Received.Begin, Deliver, Acknowledge, Depart and Forget for its groups, Sent for each packet,
// LateFrame for each late frame that the client reports, and LateFramesReported after them, Arrived for each packet that is
// acknowledged, and AcksHandled after them. A query: View.Reset, then Add and AddPresent for entities in runs of slots, and
// AddDeparted, then Values.
//
// # Where things are
//
// The values of the last ticks are in history.go. What a client has received: received.go, and what it has lost,
// departures.go. How an entity moves between updates: movement.go, and alike.go for entities that move like the one
// before. The targets of a view, in runs: view.go, and index.go to find one. Their values: values.go, and special.go for
// entities that move on from no update, or beyond the last one.
package rewind
