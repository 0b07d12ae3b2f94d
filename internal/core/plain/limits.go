package plain

import "time"

// DefaultTimeout is how long a peer may be silent.
const DefaultTimeout = 5 * time.Second

// Goodbyes is how often a disconnect packet should be sent: at 50 % loss all of them are lost
// once in 1,000 times, and then the timeout ends the connection.
const Goodbyes = 10

// sendInterval is how often a hello is repeated, and a keep-alive due: with the default
// timeout, 49 may be lost in a row.
const sendInterval = 100 * time.Millisecond

// epoch is how long a server computes the same number for the same hello; the number of the
// previous epoch counts as well. So an answer is valid for 10 to 20 s.
const epoch = 10 * time.Second

// endedLife is how long the numbers of ended connections are kept, since an answer that
// arrives twice could reconnect a client that has left. After that the answer has expired.
const endedLife = 2 * epoch

// Numbers of ended connections that are kept: per slot, and at least. If more connections end
// within endedLife, no client is accepted for a while.
const (
	endedPerSlot = 16
	minEnded     = 1024
)
