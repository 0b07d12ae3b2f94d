package channel

// Stats counts events since the connection began.
type Stats struct {
	SendStats
	ReceiveStats
}

// SendStats counts the events of sending.
type SendStats struct {
	Sent           uint64 // messages queued by Send
	Frames         uint64 // frames packed, including resent and external ones
	Resent         uint64 // frames packed again
	Superseded     uint64 // reliable messages completed because the peer received a newer one of their sequence
	DroppedFull    uint64 // unreliable messages dropped because their queue was full
	DroppedUnsent  uint64 // unreliable messages dropped by DropUnsent
	DroppedReports uint64 // reports dropped because PollDelivered was not called in time
}

// ReceiveStats counts the events of receiving.
type ReceiveStats struct {
	Delivered  uint64 // messages and external frames returned by Poll
	Duplicates uint64 // reliable messages or fragments received again
	Stale      uint64 // messages dropped because a newer one of their sequence had been delivered
	Expired    uint64 // unreliable messages dropped because they stayed incomplete for too long
	Evicted    uint64 // incomplete unreliable messages dropped to make room for others
	Refused    uint64 // packets refused with ErrMalformed, ErrUnknownChannel or ErrRefused
	Violations uint64 // packets that caused ErrWindow or ErrFragment
}

// Stats returns the counters.
func (m *Mux) Stats() Stats { return Stats{m.sender.stats, m.receiver.stats} }

// Work returns how many units of work the peer has caused at this end: one for each accepted frame,
// and keepWork more if the frame is a fragment or a message that arrived too early on an ordered
// channel.
func (r *receiver) Work() uint64 { return r.work }

// keepWork is the work of keeping a fragment or an early message, in addition to that of its frame.
const keepWork = 2

// Backlog returns how many bytes of a channel's messages wait to be sent or acknowledged. It
// returns 0 for a channel that does not exist.
func (s *sender) Backlog(id ID) int {
	if ch := s.lookup(id); ch != nil {
		return ch.backlog
	}
	return 0
}

// Unsent returns how many bytes of a channel's messages were never sent. It returns 0 for a channel
// that does not exist.
func (s *sender) Unsent(id ID) int {
	if ch := s.lookup(id); ch != nil {
		return ch.unsent
	}
	return 0
}

// UnsentAll returns the sum of Unsent over all channels.
func (s *sender) UnsentAll() (n int) {
	for _, ch := range s.channels {
		n += ch.unsent
	}
	return n
}

// Queued returns the cost in bytes of the reliable messages that wait to be sent or acknowledged.
// Send returns ErrQueueFull if a message would raise QueuedOwn above Limits.ReliableQueue.
func (s *sender) Queued() int { return s.queued }

// QueuedOwn returns the part of Queued that was not queued by SendRelayed.
func (s *sender) QueuedOwn() int { return s.queued - s.relayed.queued }

// Held returns the cost in bytes of the incomplete and early messages that were received. It is at
// most ReliableWindow + UnreliableWindow.
func (r *receiver) Held() int { return r.held.reliable + r.held.unreliable }
