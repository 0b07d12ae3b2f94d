// Package encode turns the groups of a world into bits. It encodes each content once per tick, and peers share the
// result.
//
//   - A chunk (chunks.go) is the update of one group from one baseline in one view: changed values. It serves all
//     baselines between which nothing of the group changed.
//   - A run (runs.go) is a list of public groups with chunks that fill a packet together. A Copy (blocks.go) is the bytes of a run for
//     all peers with baselines in one span. Groups that are due only for some peers are written by AppendRun, chunk by
//     chunk.
//   - A body (body.go, encode.go, retained.go) is the contents of an action of one group: a change, a full or a gone.
//   - A batch (batches.go) is the fulls of many groups of one entity each, for when many entities spawn or a peer joins.
//
// Chunks, runs, bodies and batches are the same for every peer with the same baseline and view, except bodies with a Key.Peer. The
// package decides nothing about when or to which peer something is sent.
//
// A [Source] writes the values: encodeUpdate finds the components that changed after the baseline, and encodeValue calls
// Source.Encode, or Differ.EncodeFrom for a difference.
//
// The caller calls Begin in each tick once all changes are known, and may then encode. Only one
// goroutine may encode at a time, but when all that a tick needs is encoded, AppendRun may run for several peers at
// once.
package encode
