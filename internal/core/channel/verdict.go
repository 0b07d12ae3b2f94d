package channel

// HandleAcked records that the peer has acknowledged packet pkt (packet.Tracker.TakeAcked).
func (m *Mux) HandleAcked(pkt uint16) {
	for c := m.records.take(pkt); c != nil; c = m.records.giveBack(c) {
		for _, r := range c.refs[:c.n] {
			m.acked(r)
		}
	}
}

// HandleLost records that packet pkt counts as lost (packet.Tracker.PollLost): its reliable pieces
// are due again at once, unless a later packet carries them.
func (m *Mux) HandleLost(pkt uint16) {
	for c := m.records.take(pkt); c != nil; c = m.records.giveBack(c) {
		for _, r := range c.refs[:c.n] {
			m.lost(r, pkt)
		}
	}
}

// remember records that pkt carries a piece. An older packet in the same slot, neither acknowledged
// nor lost, is counted as lost.
func (m *Mux) remember(pkt uint16, r ref) {
	if old := m.records.conflict(pkt); old != nil {
		m.HandleLost(old.packet)
	}
	m.records.add(pkt, r)
	r.msg.refs++
}

func (m *Mux) acked(r ref) {
	msg := r.msg
	msg.refs--
	if one := &msg.pieces[r.index]; one.state != acknowledged {
		one.state = acknowledged
		msg.unacked--
		m.plan.stale = true
		if msg.unacked == 0 && !msg.done {
			m.delivered(msg)
			return
		}
	}
	m.recycle(msg)
}

func (m *Mux) lost(r ref, pkt uint16) {
	msg := r.msg
	msg.refs--
	one := &msg.pieces[r.index]
	if msg.lane.cfg.Mode.Reliable() && one.state == flying && one.packet == pkt {
		one.state = overdue
		m.plan.stale = true
	}
	m.recycle(msg)
}

// delivered completes a message that the peer has received in full.
func (m *Mux) delivered(msg *message) {
	l := msg.lane
	if l.cfg.ReportDelivery {
		m.stats.DroppedReports += m.reports.push(Report{Channel: l.cfg.ID, Message: msg.seq})
	}
	switch l.cfg.Mode {
	case OrderedReliable:
		m.settle(msg)
		m.advance(l)
	case UnorderedReliable:
		m.settle(msg)
		m.dequeue(msg)
	case SequencedReliable:
		m.supersede(l, msg.seq)
		m.settle(msg)
		m.dequeue(msg)
	default:
		m.recycle(msg)
	}
}

// settle frees the data that a reliable message needed for being resent.
func (m *Mux) settle(msg *message) {
	msg.done = true
	m.queued -= msg.cost
	m.dropBody(msg)
}

// advance moves the window of an ordered channel past completed messages. The receiver may hold
// messages after a gap, so the window waits for the gap.
func (m *Mux) advance(l *lane) {
	for l.queue.front < l.queue.back {
		msg := l.queue.at(l.queue.front)
		if !msg.done {
			return
		}
		m.dequeue(msg)
	}
}

// supersede completes messages older than a delivered one: the peer would drop them.
func (m *Mux) supersede(l *lane, seq MessageID) {
	for l.queue.front < seq {
		old := l.queue.at(l.queue.front)
		m.settle(old)
		m.dequeue(old)
		m.stats.Superseded++
	}
}

// Report identifies a message that the peer has received in full.
type Report struct {
	Channel ID
	Message MessageID
}

// reports is a queue of bounded length.
type reports struct {
	limit int
	list  []Report
	read  int
}

// push appends r and returns how many older ones it dropped for it.
func (q *reports) push(r Report) (dropped uint64) {
	if len(q.list)-q.read >= q.limit {
		q.read++
		dropped = 1
	}
	if q.read > 0 && len(q.list) == cap(q.list) {
		q.list = q.list[:copy(q.list, q.list[q.read:])]
		q.read = 0
	}
	q.list = append(q.list, r)
	return dropped
}

// PollDelivered returns the next message of a channel with ReportDelivery of which the peer
// acknowledged every packet; ok is false when there is none.
func (m *Mux) PollDelivered() (id ID, msg MessageID, ok bool) {
	q := &m.reports
	if q.read == len(q.list) {
		q.list, q.read = q.list[:0], 0
		return 0, 0, false
	}
	r := q.list[q.read]
	q.read++
	return r.Channel, r.Message, true
}
