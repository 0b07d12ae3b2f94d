package plain

import "time"

// DefaultTimeout is how long a peer may be silent before its connection ends.
const DefaultTimeout = 5 * time.Second

// Goodbyes is how often a disconnect packet should be sent. At 50 % loss, all of them are lost once
// in 1,000 disconnects, and then the timeout ends the connection.
const Goodbyes = 10

// sendInterval is the interval of hellos and keep-alives. With the default timeout, 49 may be lost
// in a row.
const sendInterval = 100 * time.Millisecond

// epoch is how long a server computes the same number for the same hello. It also accepts the
// number of the previous epoch, so an answer is valid for 10 to 20 s.
const epoch = 10 * time.Second

// endedLife is how long the numbers of ended connections are recorded, because an answer that
// arrives twice could reconnect a client that has left. After this time such an answer is invalid.
const endedLife = 2 * epoch

// How many numbers of ended connections can be recorded: for each slot, and at least. If more
// connections end within endedLife, no client is accepted for a while.
const (
	endedPerSlot = 16
	minEnded     = 1024
)
