// Package repl holds the words and the wire of replication that its two halves
// share: sender (what a world's owner sends) and receiver (what a peer makes of
// it). Neither half knows which side of a connection it stands on, and neither
// ever sees a component: they work on slots, component numbers and bits.
//
// # Groups
//
// What arrives together is a group. A group has a [Handle], and its entities are
// members with a number each. Everything that is sent of a group is a record:
//
//   - an update holds changed values. It travels unreliably and names its base:
//     it holds all that changed in (base, tick], so it applies onto any state of
//     the group that is at least as new as the base.
//   - an action changes structure: members and components appear and vanish. It
//     travels reliably, is applied in the order of its sequence, and carries the
//     values that changed up to its tick, so that there is no state between.
//   - a full is an action that states the whole group; the receiver makes its
//     copy equal. It starts a group, and it is the one answer to every doubt.
//   - a gone is the action that ends a group.
//
// An update needs no sequence: an action moves the base, so what is sent after it
// applies to nothing that lacks it.
//
// # Names
//
// An entity keeps one [ID] for life, from the group that it was first in, wherever
// it moves. Both sides mean the same entity by it. A move has two halves, the action
// of the group that lets go and that of the group that takes in; the second names
// the first as a [Need], and they are applied in one step.
//
// # Guarantee
//
// A receiver's copy of a group is always the sender's group as it was at one
// past tick, and never goes back to an earlier one.
//
// # Not guaranteed
//
// Two groups may be at different ticks. Not every tick's state is seen: a
// receiver goes from one to a later one. An entity that moves may for a while be in
// no group at the receiver; it is then as it was when it left.
package repl
