// Package flight remembers what a peer was sent until it is known whether it arrived: the groups in
// each packet of values ([Packets]), and the actions in each reliable message ([Messages]). What the
// fate of a packet or message means for a group is up to the caller.
package flight
