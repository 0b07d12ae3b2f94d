// Package flight records what a peer was sent, until it is known whether it arrived: the groups of which each
// unreliable packet carried updates ([Packets]), and the actions in each reliable message ([Messages]).
//
// Packets are acknowledged or lost, and each reports its groups once. Messages are only ever delivered, since the
// channel resends them. A delivered action may still wait at the peer for other groups: it is reported when nothing
// that it can wait for is in flight any more. What that means for a group, such as a new baseline, is up to the
// caller. While packets get lost, short messages are repeated before their loss is detected (repeat.go).
// What is pending of one group is found in pending.go.
package flight
