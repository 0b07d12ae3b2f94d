package channel

// Resend makes a reliable message due at once, although its packet does not count as lost yet. It
// is for messages that must not wait for that. low is the low 16 bits of the message's id. It does
// nothing if the message is acknowledged, not sent yet, or fragmented.
func (s *sender) Resend(id ID, low uint16) {
	ch := s.byID[id]
	seq := ch.queue.front + MessageID(low-uint16(ch.queue.front))
	if seq >= ch.sendLimit() {
		return
	}
	msg := ch.queue.at(seq)
	if msg == nil || msg.done || len(msg.pieces) > 1 || msg.pieces[0].state != inFlight {
		return
	}
	msg.pieces[0].state = overdue
	s.plan.stale = true
}
