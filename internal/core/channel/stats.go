package channel

// Stats counts what happened since the connection began.
type Stats struct {
	Sent           uint64 // messages queued by Send
	Frames         uint64 // frames packed, repeats and external ones included
	Resent         uint64 // frames packed again
	Superseded     uint64 // reliable messages that a newer one of their sequence made needless
	DroppedFull    uint64 // unreliable messages dropped because their queue was full
	DroppedUnsent  uint64 // unreliable messages dropped because their frame had no room for them
	DroppedReports uint64 // reports dropped because nobody polled them

	Delivered  uint64 // messages and external frames given out by Poll
	Duplicates uint64 // reliable messages or fragments received again
	Stale      uint64 // messages older than the last delivered of their sequence
	Expired    uint64 // unreliable messages that stayed incomplete
	Evicted    uint64 // unreliable messages that were incomplete when room was needed
	Refused    uint64 // packets with ErrMalformed, ErrUnknownChannel or ErrRefused
	Violations uint64 // packets with ErrWindow or ErrFragment
}

// Stats returns the counters.
func (m *Mux) Stats() Stats { return m.stats }

// Work returns how much the peer made this end do, in units: one for each frame that was taken
// in, and keepWork more for a fragment, and for a message that came too early on an ordered channel.
func (m *Mux) Work() uint64 { return m.work }

// keepWork is what it takes to keep a fragment or an early message, beside its frame.
const keepWork = 2

// Pending returns how many messages wait to be sent or acknowledged. Unreliable
// ones count until they are packed.
func (m *Mux) Pending() int {
	n := 0
	for _, l := range m.channels {
		n += l.waiting
	}
	return n
}

// Backlog returns the bytes of a channel's messages that wait to be sent or
// acknowledged; 0 for a channel that does not exist.
func (m *Mux) Backlog(id ID) int {
	if id > MaxID || m.byID[id] == nil {
		return 0
	}
	return m.byID[id].backlog
}

// Unsent returns the bytes of a channel's messages of which nothing was sent yet, and
// UnsentAll those of all channels.
func (m *Mux) Unsent(id ID) int {
	if id > MaxID || m.byID[id] == nil {
		return 0
	}
	return m.byID[id].unsent
}

// UnsentAll returns Unsent of all channels.
func (m *Mux) UnsentAll() (n int) {
	for _, l := range m.channels {
		n += l.unsent
	}
	return n
}

// Queued returns the cost in bytes of the reliable messages that wait to be sent or
// acknowledged; Send refuses what would bring it over Limits.ReliableQueue, but for those of
// SendShared.
func (m *Mux) Queued() int { return m.queued }

// QueuedOwn returns what of Queued is not of SendShared.
func (m *Mux) QueuedOwn() int { return m.queued - m.sharedQueued }

// Held returns the cost in bytes of incomplete and early messages received; at
// most ReliableWindow + UnreliableWindow.
func (m *Mux) Held() int { return m.memory.reliable + m.memory.unreliable }
