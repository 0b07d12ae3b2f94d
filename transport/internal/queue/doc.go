// Package queue holds received datagrams until the game's loop takes them: the read
// side of every transport in this module.
//
// Queue, for a client's end, has one limit. Intake, for a server's end, has a limit for strangers
// and reserves room for each connected client, so that a flood of strangers costs clients nothing.
// It returns datagrams in rounds: a round returns only the datagrams that waited when it began, so
// that a frame ends however fast datagrams arrive.
//
// Both guarantee that memory stays below their limits times entangle.MaxDatagram, that datagrams of
// one sender keep their order, that the newest datagram is dropped when there is no room, and that
// nothing is allocated once the queues have reached their greatest length. An Intake returns
// datagrams of clients before those of strangers, so the order of a sender may change when it is
// admitted or dismissed. A ring starts over at its first slot whenever it runs empty, so a deep
// queue that is drained in every frame touches little memory.
//
// Push and Pop may be called from any goroutine, Close once.
package queue
