package channel

import "time"

// smallestFrame is the size of a frame with only a channel byte and a length.
const smallestFrame = 2

// AppendFrames appends the frames that are due now to dst, the packet with id pkt that is being
// built. It appends at most room bytes, the most urgent frames first. rtt is the usual time until
// an acknowledgement (packet.Tracker.ResendRTT). If eliciting is true, an appended frame needs the
// outcome of pkt: call HandleAcked or HandleLost with it.
//
// It may be called several times for one packet, and for several packets at the same time; frames
// that did not fit come first in the next packet. Offer MinRoom bytes at least once per tick;
// otherwise large messages are never sent.
func (s *sender) AppendFrames(dst []byte, room int, pkt uint16, now time.Time, rtt time.Duration) (_ []byte, eliciting bool) {
	if s.count == 0 {
		return dst, false
	}
	at := s.clock.since(now)
	s.refreshPlan(at, rtt)
	s.unblock()
	left := 0
	for i, c := range s.plan.due {
		if room < smallestFrame {
			left += copy(s.plan.due[left:], s.plan.due[i:])
			break
		}
		f := c.msg.frameOf(c.index)
		size := frameSize(&f)
		if s.budget.spent(c.class) || !s.mayBegin(c.msg) || size > room {
			c.msg.channel.blocked = true
			s.plan.due[left] = c
			left++
			continue
		}
		dst = s.pack(dst, c, pkt, at)
		room -= size
		s.budget.spend(c.class, size)
		eliciting = eliciting || c.msg.tracked()
		if !c.msg.channel.cfg.Mode.Reliable() && c.msg.unsent == 0 {
			s.dequeue(c.msg)
		}
	}
	s.plan.trim(left)
	return dst, eliciting
}

func (p *plan) trim(n int) {
	clear(p.due[n:])
	p.due = p.due[:n]
}

func (s *sender) unblock() {
	s.plan.windowFull = false
	for _, ch := range s.channels {
		ch.blocked = false
	}
}

// mayBegin reports whether a piece of the message may be packed now. In an ordered channel no
// message begins before the earlier ones, so a message that ReliableWindow holds back cannot be
// missing in front of messages that the receiver already keeps.
func (s *sender) mayBegin(msg *message) bool {
	mode := msg.channel.cfg.Mode
	switch {
	case msg.begun:
		return true
	case msg.channel.blocked && mode.keepsOrder():
		return false
	case !mode.Reliable():
		return true
	case s.plan.windowFull || s.window+msg.cost > ReliableWindow:
		s.plan.windowFull = true
		return false
	}
	return true
}

// pack appends the frame of one piece and records in which packet the piece is.
func (s *sender) pack(dst []byte, c candidate, pkt uint16, at time.Duration) []byte {
	msg, ch := c.msg, c.msg.channel
	if !msg.begun {
		msg.shareEnd = c.key
		s.beginMessage(msg)
	}
	ch.sentAt, ch.nextSend = at, at+ch.cfg.SendEvery
	one := &msg.pieces[c.index]
	if one.state == unsent {
		msg.unsent--
		s.plan.advanceShare(msg)
		ch.unsent -= msg.pieceBytes(int(c.index))
		if msg.unsent == 0 {
			s.relayed.removeUnsent(msg)
		}
	} else {
		s.stats.Resent++
	}
	*one = piece{at: at, packet: pkt, state: inFlight}
	if msg.tracked() {
		s.recordPiece(pkt, pieceRef{msg: msg, index: c.index})
	}
	s.stats.Frames++
	f := msg.frameOf(c.index)
	s.last = lastFrame{from: len(dst), body: -1}
	if f.hasLength() {
		s.last.body = len(f.body)
	}
	dst = appendFrame(dst, f)
	s.last.to = len(dst)
	return dst
}

// beginMessage assigns the id that the frames of a message carry, before its first frame is packed.
func (s *sender) beginMessage(msg *message) {
	ch := msg.channel
	msg.begun = true
	if ch.cfg.Mode.Reliable() {
		s.window += msg.cost
		msg.wire = uint16(msg.seq)
		return
	}
	if ch.cfg.Mode.carriesID(len(msg.pieces) > 1) {
		msg.wire = ch.nextWire
		ch.nextWire++
	}
}
