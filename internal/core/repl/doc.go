// Package repl holds the types and the wire format of replication that its two halves share: sender
// (writes the world for each peer) and receiver (builds a replica from it). Neither half knows
// which side of a connection it is on, and neither ever reads a component: they work on slots,
// component numbers and bits.
//
// # Groups
//
// Entities that are always sent together form a group. A group has a [Handle], and its entities are
// members with a number each. Everything sent for a group is a record:
//
//   - an update holds changed values. It travels unreliably and names its baseline:
//     it holds all changes in (baseline, tick], so it applies onto any state of
//     the group that is at least as new as the baseline.
//   - an action changes structure: members and components appear and vanish. It
//     travels reliably, has a baseline as well, and carries the
//     values that changed up to its tick, so that there is no state between.
//   - a full is an action that states the whole group; the receiver makes its
//     copy equal. It starts a group, and shows more of one to a peer.
//     It is the only record without a baseline.
//   - a gone is the action that ends a group. Its baseline is the tick of the action before.
//
// Records need no sequence: an action moves the baseline, so nothing that is sent later applies to a
// replica without that action.
//
// # Names
//
// An entity keeps one [ID] for life, from its first group, wherever it moves. The id means the same
// entity on both sides. A move has two halves, the action of the old group that removes the entity
// and that of the new group that takes it in. Groups that moves connect form a unit ([UnitHead]), and its
// actions are applied in one step. If a half was sent before, the unit names that as a [Need].
//
// # Guarantee
//
// A receiver's replica of a group always equals the sender's group at one past tick, and never goes
// back to an earlier one.
//
// # Not guaranteed
//
// Two groups may be at different ticks. A receiver does not go through every tick: it goes from one
// to a later one.
package repl
