package channel

// Stats counts events since the connection began.
type Stats struct {
	SendStats
	ReceiveStats
}

// SendStats counts the events of sending.
type SendStats struct {
	Sent           uint64 // messages queued by Send
	Frames         uint64 // frames packed, resent and external ones included
	Resent         uint64 // frames packed again
	Superseded     uint64 // reliable messages that a newer one of their sequence replaced
	DroppedFull    uint64 // unreliable messages dropped because their queue was full
	DroppedUnsent  uint64 // unreliable messages dropped because their frame had no room for them
	DroppedReports uint64 // reports dropped because nobody polled them
}

// ReceiveStats counts the events of receiving.
type ReceiveStats struct {
	Delivered  uint64 // messages and external frames returned by Poll
	Duplicates uint64 // reliable messages or fragments received again
	Stale      uint64 // messages older than the last delivered of their sequence
	Expired    uint64 // unreliable messages that stayed incomplete
	Evicted    uint64 // unreliable messages that were incomplete when room was needed
	Refused    uint64 // packets with ErrMalformed, ErrUnknownChannel or ErrRefused
	Violations uint64 // packets with ErrWindow or ErrFragment
}

// Stats returns the counters.
func (m *Mux) Stats() Stats { return Stats{m.sender.stats, m.receiver.stats} }

// Work returns the units of work that the peer caused at this end: one for each accepted frame, and
// keepWork more for a fragment, and for a message that arrived too early on an ordered channel.
func (r *receiver) Work() uint64 { return r.work }

// keepWork is the cost of keeping a fragment or an early message, in addition to its frame.
const keepWork = 2

// Pending returns how many messages wait to be sent or acknowledged. Unreliable ones count until
// they are packed.
func (s *sender) Pending() int {
	n := 0
	for _, ch := range s.channels {
		n += ch.waiting
	}
	return n
}

// Backlog returns the bytes of a channel's messages that wait to be sent or
// acknowledged; 0 for a channel that does not exist.
func (s *sender) Backlog(id ID) int {
	if ch := s.lookup(id); ch != nil {
		return ch.backlog
	}
	return 0
}

// Unsent returns the bytes of a channel's messages of which no part was sent yet; 0 for a channel
// that does not exist.
func (s *sender) Unsent(id ID) int {
	if ch := s.lookup(id); ch != nil {
		return ch.unsent
	}
	return 0
}

// UnsentAll returns Unsent of all channels.
func (s *sender) UnsentAll() (n int) {
	for _, ch := range s.channels {
		n += ch.unsent
	}
	return n
}

// Queued returns the cost in bytes of the reliable messages that wait to be sent or acknowledged.
// Send refuses a message that would bring it over Limits.ReliableQueue, not counting those of
// SendRelayed.
func (s *sender) Queued() int { return s.queued }

// QueuedOwn returns the part of Queued that is not of SendRelayed.
func (s *sender) QueuedOwn() int { return s.queued - s.relayed.queued }

// Held returns the cost in bytes of incomplete and early messages received; at
// most ReliableWindow + UnreliableWindow.
func (r *receiver) Held() int { return r.held.reliable + r.held.unreliable }
