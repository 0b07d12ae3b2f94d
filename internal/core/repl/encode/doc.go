// Package encode turns the groups of a world into bytes, each body once in a tick for all peers that it serves.
//
//   - A chunk (chunks.go) is the update of one group from one baseline, in one view: changed values. It serves all
//     baselines between which nothing of the group changed.
//   - A run (runs.go, blocks.go) is a packet's worth of chunks of public groups. A Copy of it is its bytes, for all peers
//     with baselines in one span. Groups that are due for some peers only are written chunk by chunk.
//   - A body (body.go, encode.go, retained.go) is an action of one group: a change of structure, a full or an end.
//   - A batch (batches.go) is the fulls of many groups of one entity each: when many entities spawn, or a peer joins.
//
// The contents of none of them depend on the peer, except for bodies with a Reader. [Source] gives the values.
package encode
