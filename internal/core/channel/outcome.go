package channel

// HandleAcked records that the peer has acknowledged packet pkt (packet.Tracker.TakeAcked).
func (s *sender) HandleAcked(pkt uint16) {
	for c := s.records.removePacket(pkt); c != nil; c = s.records.giveBack(c) {
		for _, r := range c.refs[:c.n] {
			s.ackPiece(r)
		}
	}
}

// HandleLost records that packet pkt counts as lost (packet.Tracker.PollLost). The reliable pieces
// in it are due again at once, except those that a later packet carries.
func (s *sender) HandleLost(pkt uint16) {
	for c := s.records.removePacket(pkt); c != nil; c = s.records.giveBack(c) {
		for _, r := range c.refs[:c.n] {
			s.losePiece(r, pkt)
		}
	}
}

// recordPiece records that packet pkt carries a piece. If the slot of pkt still has an older
// packet, which was neither acknowledged nor lost, that one is handled as lost.
func (s *sender) recordPiece(pkt uint16, r pieceRef) {
	if old := s.records.conflict(pkt); old != nil {
		s.HandleLost(old.packet)
	}
	s.records.addPiece(pkt, r)
	r.msg.refs++
}

func (s *sender) ackPiece(r pieceRef) {
	msg := r.msg
	msg.refs--
	if one := &msg.pieces[r.index]; one.state != acknowledged {
		one.state = acknowledged
		msg.unacked--
		s.plan.stale = true
		if msg.unacked == 0 && !msg.done {
			s.finishMessage(msg)
			return
		}
	}
	s.recycle(msg)
}

func (s *sender) losePiece(r pieceRef, pkt uint16) {
	msg := r.msg
	msg.refs--
	one := &msg.pieces[r.index]
	if msg.channel.cfg.Mode.Reliable() && one.state == inFlight && one.packet == pkt {
		one.state = overdue
		s.plan.stale = true
	}
	s.recycle(msg)
}

// finishMessage completes a message that the peer has received in full.
func (s *sender) finishMessage(msg *message) {
	ch := msg.channel
	if ch.cfg.ReportDelivery {
		s.stats.DroppedReports += s.reports.add(Report{Channel: ch.cfg.ID, Message: msg.seq})
	}
	switch ch.cfg.Mode {
	case OrderedReliable:
		s.markDone(msg)
		s.advanceWindow(ch)
	case UnorderedReliable:
		s.markDone(msg)
		s.dequeue(msg)
	case SequencedReliable:
		s.supersede(ch, msg.seq)
		s.markDone(msg)
		s.dequeue(msg)
	default:
		s.recycle(msg)
	}
}

// markDone frees what a reliable message needed for being resent.
func (s *sender) markDone(msg *message) {
	msg.done = true
	s.queued -= msg.cost
	s.dropBody(msg)
}

// advanceWindow moves the window of an ordered channel past completed messages. It stops at the
// first incomplete one, because the receiver may hold the messages behind it.
func (s *sender) advanceWindow(ch *outChannel) {
	for ch.queue.front < ch.queue.back {
		msg := ch.queue.at(ch.queue.front)
		if !msg.done {
			return
		}
		s.dequeue(msg)
	}
}

// supersede completes the messages older than a delivered one, because the peer would drop them.
func (s *sender) supersede(ch *outChannel, seq MessageID) {
	for ch.queue.front < seq {
		old := ch.queue.at(ch.queue.front)
		s.markDone(old)
		s.dequeue(old)
		s.stats.Superseded++
	}
}

// Report identifies a message that the peer has received in full.
type Report struct {
	Channel ID
	Message MessageID
}

// reports is a queue of Report values with a bounded length.
type reports struct {
	limit int
	list  []Report
	read  int
}

// add appends r. It returns how many reports it dropped because the queue was full: the oldest, or
// none.
func (q *reports) add(r Report) (dropped uint64) {
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

// PollDelivered returns the next message, on a channel with ReportDelivery, that the peer has
// received in full. ok is false if there is none.
func (s *sender) PollDelivered() (id ID, msg MessageID, ok bool) {
	q := &s.reports
	if q.read == len(q.list) {
		q.list, q.read = q.list[:0], 0
		return 0, 0, false
	}
	r := q.list[q.read]
	q.read++
	return r.Channel, r.Message, true
}
