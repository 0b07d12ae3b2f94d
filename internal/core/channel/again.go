package channel

// Again resends a reliable message with the next packets, although it may still arrive, for
// messages that must not wait until they count as lost. low is the low bits of its id. It does
// nothing for a message that is acknowledged, not sent yet, or fragmented.
func (m *Mux) Again(id ID, low uint16) {
	l := m.byID[id]
	seq := l.queue.front + MessageID(low-uint16(l.queue.front))
	if seq >= l.last() {
		return
	}
	msg := l.queue.at(seq)
	if msg == nil || msg.done || len(msg.pieces) > 1 || msg.pieces[0].state != flying {
		return
	}
	msg.pieces[0].state = overdue
	m.plan.stale = true
}
