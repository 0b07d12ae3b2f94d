package channel

import (
	"cmp"
	"fmt"
	"time"
)

// Sizes that both ends must agree on, in bytes unless stated otherwise.
const (
	// FragmentSize is the longest body of one frame of a message. A longer message is cut into
	// fragments of this size and a final one with the rest. Two fragments fit into a packet, so a
	// large message never has to wait for an empty packet.
	FragmentSize = 544

	// MinRoom is the number of bytes that any one frame fits into. If the caller never offers as
	// many to AppendFrames, large messages are never sent.
	MinRoom = FragmentSize + fragmentHead + maxLengthSize

	// MaxMessage is the longest message on a reliable channel. It bounds the buffer in which the
	// receiver reassembles a message.
	MaxMessage = 64 << 10

	// MaxUnreliableMessage is the longest message on an unreliable channel. Its 61 fragments rarely
	// all arrive anyway.
	MaxUnreliableMessage = 32 << 10

	// MaxFragments is the number of fragments of a message of MaxMessage.
	MaxFragments = (MaxMessage + FragmentSize - 1) / FragmentSize

	// Window is by how many messages a reliable channel may be ahead of the oldest unacknowledged
	// one. It is far less than half of the 65,536 ids, so old and new ids are never confused.
	Window = 1024

	// ReliableWindow bounds the total cost (see cost) of the reliable messages that have been begun
	// and that the receiver may still hold.
	ReliableWindow = 192 << 10

	// UnreliableWindow bounds the total cost of incomplete unreliable messages at the receiver.
	// Together with ReliableWindow this is 256 KiB per peer.
	UnreliableWindow = 64 << 10
)

// Bounds that the two ends need not agree on.
const (
	// ReassemblyTimeout is how long an incomplete unreliable message is kept. Its fragments were
	// sent within a few ticks of each other, so after this time the missing ones are lost.
	ReassemblyTimeout = 5 * time.Second

	// maxRecords is the number of packets for which a mux records their content. It equals the
	// largest number of packets in flight.
	maxRecords = 1024
)

// Limits bounds the queues of one mux. The zero value means the defaults.
type Limits struct {
	// ReliableQueue bounds the total cost in bytes of the reliable messages that wait to be sent or
	// acknowledged. A Send that would exceed it returns ErrQueueFull. 0 means DefaultReliableQueue;
	// any other value must be at least 128 KiB, so that the longest message fits.
	ReliableQueue int

	// UnreliableQueue bounds the total cost in bytes of the messages that wait on each unreliable
	// channel. If it would be exceeded, the oldest are dropped. 0 means DefaultUnreliableQueue; any
	// other value must be at least 64 KiB.
	UnreliableQueue int

	// Reports bounds the number of reports that wait for PollDelivered. If it would be exceeded,
	// the oldest are dropped. 0 means DefaultReports.
	Reports int
}

// Defaults of Limits.
const (
	// DefaultReliableQueue is about five times ReliableWindow. A peer that is further behind is
	// better disconnected.
	DefaultReliableQueue = 1 << 20
	// DefaultUnreliableQueue holds one message of the greatest length and some small ones. Messages
	// that wait behind more are out of date when they are sent.
	DefaultUnreliableQueue = 64 << 10
	// DefaultReports is several times the acknowledgements of one tick.
	DefaultReports = 4096
)

func (l Limits) withDefaults() Limits {
	l.ReliableQueue = cmp.Or(l.ReliableQueue, DefaultReliableQueue)
	l.UnreliableQueue = cmp.Or(l.UnreliableQueue, DefaultUnreliableQueue)
	l.Reports = cmp.Or(l.Reports, DefaultReports)
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

// Overheads that cost adds for the memory that a message and a fragment take besides their bytes,
// rounded up.
const (
	messageOverhead  = 128
	fragmentOverhead = 64
)

// cost is the memory of a message of n bytes at either end, in bytes. Sender and receiver must
// compute it in the same way, because the sender limits itself to the memory of the receiver.
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
