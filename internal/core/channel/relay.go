package channel

// relayed counts the cost of the messages of SendRelayed.
type relayed struct {
	unsent   int   // of messages that were not sent yet in full, unreliable ones included
	bySource []int // unsent, by source
	queued   int   // the part of sender.queued
}

// SendRelayed is Send for messages that are relayed to the peer from other peers. source identifies
// the peer that sent it by a small number. Relayed messages may use limit bytes of the queue, in
// cost, so that they neither delay this end's own messages for long nor fill the queue. A source
// may use twice as much of it as is free: one source alone fills two thirds, and even if many
// flood, there is room for a source of few messages. A message that does not fit is refused with
// ErrRelayFull.
func (s *sender) SendRelayed(id ID, body []byte, priority float32, limit, source int) error {
	ch, err := s.checkSend(id, body, priority)
	if err != nil {
		return err
	}
	price := cost(len(body))
	if !s.relayed.fits(price, limit, source) || s.queued+price > s.limits.ReliableQueue/2 {
		return ErrRelayFull
	}
	_, err = s.queueMessage(ch, body, priority, source)
	return err
}

// fits reports whether a message of a source fits within limit.
func (r *relayed) fits(price, limit, source int) bool {
	for len(r.bySource) <= source {
		r.bySource = append(r.bySource, 0)
	}
	free := limit - r.unsent
	return price <= free && r.bySource[source]+price <= 2*free-2*price
}

// countMessage counts a message of a source.
func (r *relayed) countMessage(msg *message, source int) {
	msg.source, msg.relayed = int32(source), true
	r.unsent += msg.cost
	r.bySource[source] += msg.cost
	if msg.channel.cfg.Mode.Reliable() {
		r.queued += msg.cost
	}
}

// removeUnsent stops counting a message as unsent, if it is a relayed one.
func (r *relayed) removeUnsent(msg *message) {
	if msg.source != own {
		r.unsent -= msg.cost
		r.bySource[msg.source] -= msg.cost
		msg.source = own
	}
}

// removeQueued stops counting a message that will not be resent.
func (r *relayed) removeQueued(msg *message) {
	r.removeUnsent(msg)
	if msg.relayed && msg.channel.cfg.Mode.Reliable() {
		r.queued -= msg.cost
	}
}
