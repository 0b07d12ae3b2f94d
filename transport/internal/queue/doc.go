// Package queue keeps datagrams between whoever brings them in and the loop
// that takes them out: the read side of every transport in this module.
//
// Queue has one limit for all. Intake, for a server's end, has one for strangers and
// room for each connected client, so that a flood of strangers costs clients nothing. It
// hands out in one round what waited when the round began, so that a frame ends.
//
// Both guarantee that memory stays below their limits times entangle.MaxDatagram, that
// the order of one sender's datagrams is kept, that the newest is dropped where there is
// no room, and that nothing is allocated once they have been as full as they get. An
// Intake hands out clients' datagrams before strangers', so the order of a sender is not
// kept over the moment in which it is admitted or dismissed. A ring starts over at its
// first slot whenever it runs empty, so a deep queue that is drained in every frame
// touches little memory.
//
// Drive them with Push from any goroutine, Pop from any goroutine, Close once.
package queue
