package channel

// Resend resends a reliable message with the next packets, although it may still arrive, for
// messages that must not wait until they count as lost. low is the low bits of its id. It does
// nothing for a message that is acknowledged, not sent yet, or fragmented.
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
