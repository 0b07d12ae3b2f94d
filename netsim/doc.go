// Package netsim runs a whole network in one process and on one virtual clock: a
// server, its clients, and a line to each of them, as bad as a test wants it.
//
// # What is here
//
//   - Clock stands still until it is advanced.
//   - Network is a transport on that clock. Every player has a Line, with a Link
//     that says how it behaves in each direction, and that can be cut.
//   - Script is a test written as a conversation, with the trace that it is
//     expected to leave; verbs say what its commands do.
//
// # What it guarantees
//
// A run follows from its seed and from what is called: the same seed and the same
// calls give the same datagrams at the same times. Nothing sleeps: an hour of
// play takes as long as computing it.
//
// # What it does not
//
// It has no sockets and no threads, so it finds neither what depends on the
// operating system nor races.
package netsim
