// Package snapshot stores the samples of interpolated entities, and computes what a client shows of
// them.
//
// A client shows interpolated entities in the past, between two samples. A sample has the values of
// an entity's columns at one server tick. A [Store] holds the samples of each entity in a [Slot],
// from the one that was shown last to the newest. The package does not know the type of the values:
// a [Kind] has functions for each column.
//
// The entities are in classes, by the number of ticks between two updates of an entity. Each class
// has a timeline of its own: the shown time, which its caller advances in each frame.
//
// # Guarantee
//
//   - An entity moves from sample A at tick a to the next sample B at tick b linearly in time: the
//     share of B at time t is (t - a) / (b - a). At b its values are those of B, byte for byte.
//   - With one sample, its values are shown. Before the tick of the first sample, nothing is.
//   - A sample has all columns of the entity: those that an update does not contain have the values
//     of the sample before. In the samples before a column was inserted, it has its first value.
//     So does one that was removed, in those before it was inserted again.
//   - If the shown time has passed the newest sample, the entity rests there. When the next sample
//     B arrives at time s, it moves from its shown value: the share of B is (t - s) / (b - s). B is
//     late if b is less than the ticks between two updates after s, or those of a second if these
//     are fewer. Then that many ticks take the place of b - s, so that the screen shows no step. What
//     Kind.Discrete copies is that of B at once. A sample that arrives while the entity moves to a late
//     one takes its place, so that the entity does not stay behind.
//   - An entity that rests, and of which it is known by Hold that it had not changed up to a tick, sets
//     off then, if that is later than s.
//   - While an entity rests, a column with Kind.Extrapolate continues in the direction of its last
//     two samples for that many ticks, unless it came to the last one from another value. Then it
//     comes back in as many ticks, and rests on its last value.
//   - A column with Kind.Curve is blended together with another one, by the share of the second
//     sample and the time between the two. Equal values rest. A movement that begins from shown values begins with
//     those of both columns. If an entity gets the other column or loses it on its way, it moves on
//     from its shown values.
//   - Each entity can have a function of its own for a column, which does not continue.
//   - Two values that Kind.TooFar reports are not blended: the older one is shown until the tick of
//     the newer one.
//   - An entity is not moved between two samples with different numbers of SetTeleports: the older one
//     is shown until the tick of the newer one, in all columns and without a way that begins again.
//   - An entity that gets another class goes on from its shown values, at the shown time of that class. One that is shown
//     beyond its newest sample continues there.
//   - The shown time never moves back. If the caller's time does, the shown time stays.
//   - No ticks make an entity use more memory than that of MaxSamples samples, and all entities
//     together no more than 64 MiB, or four samples of each if these are more.
//
// Nothing is allocated while neither the number of entities nor that of their samples reaches a new
// maximum.
//
// # How to drive it
//
// In each frame, first call AddSample for the updates that have arrived, then Advance for each
// class. Entities that Shown reports for the first time appear on the screen now. For each set of
// entities with the same columns, call Select, then Show for each column.
//
// The methods are:
//   - slots: Add, SetEvery, Remove;
//   - samples: AddSample, Hold, SetTeleports, TeleportAhead, RemoveColumns, Reinsert, Rebase;
//   - functions of single entities: SetFunction;
//   - time: Advance, Shown, Reset;
//   - display: Select, Show, and for a function of the game From, To and Share;
//   - memory and counters: Stats.
//
// # Where things are
//
// Slots and classes are in store.go. The memory of the samples is in ring.go, their arrival in
// sample.go, time in time.go and advance.go, and the display in show.go
// and function.go.
package snapshot
