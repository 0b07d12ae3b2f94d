// Package sink is the way from the replication receiver into an Arche world.
//
// [Copy] applies what the receiver has put in order. All that belongs to one group at one tick
// is decoded beside the world first and then written in one go, so that no system or listener
// meets half of it. For predicted entities it also keeps the confirmed state, of which package
// predict makes use.
//
// Bytes of the server are checked before anything is allocated for them; entities, component
// sets and targets are bounded.
package sink
