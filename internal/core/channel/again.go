package channel

// Again has a reliable message go once more with the next packets, though it may arrive yet,
// for what must not wait until it counts as lost. It is named by the low bits of its id. Nothing
// happens to one that is acknowledged, not sent yet, or more than one piece.
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
