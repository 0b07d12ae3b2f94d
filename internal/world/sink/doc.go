// Package sink writes the output of the replication receiver into an Arche world.
//
// [Applier] applies the records that the receiver has put in order. All data of one group at one
// tick is decoded into a buffer first and then written at once, so that no system or listener sees
// a partial group. For predicted entities it also keeps the confirmed state, which package predict
// uses.
//
// Bytes from the server are checked before anything is allocated for them. The numbers of entities,
// component sets and relation targets are limited.
package sink
