package channel

// relayed counts the cost of the messages that SendRelayed queued.
type relayed struct {
	unsent   int   // cost of the messages that were not sent in full yet, unreliable ones included
	bySource []int // cost of the unsent messages of each source
	queued   int   // the relayed part of sender.queued
}

// SendRelayed is Send for a message that is relayed from another peer to this one. source is a
// small number that identifies the other peer. All relayed messages together may use limit bytes of
// cost, so that they do not delay this end's own messages for long. The messages of one source may
// use at most twice the bytes that are still free of that limit. So one source alone can use two
// thirds of it, and a source of few messages finds space even while many others flood. It returns
// ErrRelayFull if the message does not fit.
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

// fits reports whether a message of a source, with a cost of price, fits within limit.
func (r *relayed) fits(price, limit, source int) bool {
	for len(r.bySource) <= source {
		r.bySource = append(r.bySource, 0)
	}
	free := limit - r.unsent
	return price <= free && r.bySource[source]+price <= 2*free-2*price
}

// countMessage adds the cost of a message of a source.
func (r *relayed) countMessage(msg *message, source int) {
	msg.source, msg.relayed = int32(source), true
	r.unsent += msg.cost
	r.bySource[source] += msg.cost
	if msg.channel.cfg.Mode.Reliable() {
		r.queued += msg.cost
	}
}

// removeUnsent stops counting a message as unsent if it is relayed.
func (r *relayed) removeUnsent(msg *message) {
	if msg.source != own {
		r.unsent -= msg.cost
		r.bySource[msg.source] -= msg.cost
		msg.source = own
	}
}

// removeQueued stops counting a relayed message that will not be resent.
func (r *relayed) removeQueued(msg *message) {
	r.removeUnsent(msg)
	if msg.relayed && msg.channel.cfg.Mode.Reliable() {
		r.queued -= msg.cost
	}
}
