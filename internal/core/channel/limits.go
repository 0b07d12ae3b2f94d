package channel

import (
	"fmt"
	"time"
)

// Sizes that both ends must agree on, in bytes unless stated otherwise.
const (
	// FragmentSize is the largest body of one frame of a message. Longer messages
	// travel as fragments of this size and one rest. Two fragments fill a packet,
	// so a large message never waits for an empty one.
	FragmentSize = 544

	// MinRoom is the room that AppendFrames needs for any one frame: a caller that
	// never offers as much starves large messages.
	MinRoom = FragmentSize + fragmentHead + maxLengthSize

	// MaxMessage is the longest message on a reliable channel: a single packet never makes the
	// receiver reassemble 64 KiB or more.
	MaxMessage = 64 << 10

	// MaxUnreliableMessage is the longest message on an unreliable channel. Its 61 fragments rarely
	// all arrive anyway.
	MaxUnreliableMessage = 32 << 10

	// MaxFragments is the number of fragments of a message of MaxMessage.
	MaxFragments = (MaxMessage + FragmentSize - 1) / FragmentSize

	// Window is how many messages a reliable channel may be ahead of the oldest unacknowledged one:
	// far less than half of the 65,536 ids, so that old and new ids are never confused.
	Window = 1024

	// ReliableWindow bounds the cost (see cost) of all reliable messages that are
	// begun and may still occupy memory at the receiver.
	ReliableWindow = 192 << 10

	// UnreliableWindow bounds the cost of incomplete unreliable messages at the
	// receiver. With ReliableWindow it makes 256 KiB per peer.
	UnreliableWindow = 64 << 10
)

// Bounds of one end only.
const (
	// ReassemblyTimeout is how long an incomplete unreliable message is kept: its
	// fragments left within a few ticks of each other, or are lost.
	ReassemblyTimeout = 5 * time.Second

	// maxRecords is the number of packets for which a mux keeps a record of the content. It equals
	// the largest number of packets in flight.
	maxRecords = 1024
)

// Limits bounds the queues of one mux. The zero value means the defaults.
type Limits struct {
	// ReliableQueue bounds all reliable messages that wait or are not acknowledged, in bytes of
	// cost. Beyond it Send returns ErrQueueFull. 0 means DefaultReliableQueue; at least 128 KiB
	// otherwise, so that the longest message fits.
	ReliableQueue int

	// UnreliableQueue bounds the messages that wait on each unreliable channel, in
	// bytes of cost. Beyond it the oldest are dropped. 0 means
	// DefaultUnreliableQueue; at least 64 KiB otherwise.
	UnreliableQueue int

	// Reports bounds the reports that wait for PollDelivered. Beyond it the oldest
	// are dropped. 0 means DefaultReports.
	Reports int
}

// Defaults of Limits.
const (
	// DefaultReliableQueue is ten times the most that is in flight: a peer that far behind is
	// better disconnected.
	DefaultReliableQueue = 1 << 20
	// DefaultUnreliableQueue holds one longest message and some small ones; messages that wait
	// longer than that are out of date.
	DefaultUnreliableQueue = 64 << 10
	// DefaultReports is several times the acknowledgements of one tick.
	DefaultReports = 4096
)

func (l Limits) withDefaults() Limits {
	if l.ReliableQueue == 0 {
		l.ReliableQueue = DefaultReliableQueue
	}
	if l.UnreliableQueue == 0 {
		l.UnreliableQueue = DefaultUnreliableQueue
	}
	if l.Reports == 0 {
		l.Reports = DefaultReports
	}
	return l
}

func (l Limits) validate() error {
	switch {
	case l.ReliableQueue != 0 && l.ReliableQueue < 128<<10:
		return fmt.Errorf("%w: Limits.ReliableQueue must be 0 (default) or at least 128 KiB", ErrConfig)
	case l.UnreliableQueue != 0 && l.UnreliableQueue < 64<<10:
		return fmt.Errorf("%w: Limits.UnreliableQueue must be 0 (default) or at least 64 KiB", ErrConfig)
	case l.Reports < 0:
		return fmt.Errorf("%w: Limits.Reports must not be negative", ErrConfig)
	}
	return nil
}

// Overheads in cost: the implementation's memory besides the bytes, rounded up.
const (
	messageOverhead  = 128
	fragmentOverhead = 64
)

// cost is the memory of a message of n bytes at either end, in bytes. Sender and receiver must
// compute it alike: the sender keeps within the receiver's memory.
func cost(n int) int {
	if n <= FragmentSize {
		return messageOverhead + classSize(n)
	}
	return fragmentedCost(fragmentCount(n))
}

func fragmentedCost(fragments int) int {
	return messageOverhead + fragments*(fragmentOverhead+FragmentSize)
}

func fragmentCount(n int) int {
	return max(1, (n+FragmentSize-1)/FragmentSize)
}
