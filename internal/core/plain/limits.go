package plain

import "time"

// DefaultTimeout is how long a peer may be silent.
const DefaultTimeout = 5 * time.Second

// Goodbyes is how often the end of a connection should be said: at 50 % loss all of them
// are lost once in 1,000 times, and then the timeout does it.
const Goodbyes = 10

// sendInterval is how often a hello is repeated, and a keep-alive due: with the default
// timeout, 49 may be lost in a row.
const sendInterval = 100 * time.Millisecond

// epoch is how long a server makes one number of the same hello; the one before counts as
// well. So an answer is good for 10 to 20 s.
const epoch = 10 * time.Second

// endedLife is how long the numbers of ended connections are kept, or an answer that
// arrives twice could connect a client that has left. By then it is no answer any more.
const endedLife = 2 * epoch

// Numbers of ended connections that are kept: as many for each slot, and in all at least.
// If there are more in endedLife, nobody is let in for a while.
const (
	endedPerSlot = 16
	minEnded     = 1024
)
