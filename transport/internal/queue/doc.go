// Package queue keeps datagrams between whoever brings them in and the loop
// that takes them out: the read side of every transport in this module.
//
// It guarantees that memory stays below its limit times entangle.MaxDatagram,
// that order is kept, that the newest is dropped when it is full, and that
// nothing is allocated once it has been as full as it gets. It starts over at
// its first slot whenever it runs empty, so a deep queue that is drained in
// every frame touches little memory.
//
// Drive it with Push from any goroutine, Pop from any goroutine, Close once.
package queue
