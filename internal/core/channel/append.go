package channel

import "time"

// smallestFrame is a channel byte and a length.
const smallestFrame = 2

// AppendFrames appends the frames that are due now to dst, the packet under construction with id
// pkt, most urgent first, in at most room bytes. rtt is the current round trip
// (packet.Tracker.RTT). eliciting reports that an appended frame needs the outcome of pkt: call
// HandleAcked or HandleLost.
//
// It may be called several times for one packet and for several packets at one instant; frames that
// did not fit come first in the next. Offer MinRoom bytes at least once per tick, or large messages
// starve.
func (m *Mux) AppendFrames(dst []byte, room int, pkt uint16, now time.Time, rtt time.Duration) (_ []byte, eliciting bool) {
	if m.count == 0 {
		return dst, false
	}
	at := m.since(now)
	m.refresh(at, rtt)
	m.unblock()
	left := 0
	for i, c := range m.plan.due {
		if room < smallestFrame {
			left += copy(m.plan.due[left:], m.plan.due[i:])
			break
		}
		f := c.msg.frame(c.index)
		size := frameSize(&f)
		if m.spent(c.class) || !m.mayBegin(c.msg) || size > room {
			c.msg.lane.blocked = true
			m.plan.due[left] = c
			left++
			continue
		}
		dst = m.pack(dst, c, pkt, at)
		room -= size
		m.spend(c.class, size)
		eliciting = eliciting || c.msg.tracked()
		m.packed(c.msg)
	}
	m.plan.trim(left)
	return dst, eliciting
}

func (p *plan) trim(n int) {
	clear(p.due[n:])
	p.due = p.due[:n]
}

func (m *Mux) unblock() {
	m.shut = false
	for _, l := range m.channels {
		l.blocked = false
	}
}

// mayBegin reports whether a piece of the message may be packed now. In an ordered channel no
// message begins before earlier ones, so the receiver never waits for a message that the window has
// no room for.
func (m *Mux) mayBegin(msg *message) bool {
	mode := msg.lane.cfg.Mode
	switch {
	case msg.begun:
		return true
	case msg.lane.blocked && mode.keepsOrder():
		return false
	case !mode.Reliable():
		return true
	case m.shut || m.window+msg.cost > ReliableWindow:
		m.shut = true
		return false
	}
	return true
}

// pack appends the frame of one piece and records its packet.
func (m *Mux) pack(dst []byte, c candidate, pkt uint16, at time.Duration) []byte {
	msg, l := c.msg, c.msg.lane
	if !msg.begun {
		msg.began = c.key
		m.begin(msg)
	}
	l.opened(at)
	piece := &msg.pieces[c.index]
	if piece.state == unsent {
		msg.unsent--
		m.sent(msg)
		l.unsent -= msg.pieceBytes(int(c.index))
		if msg.unsent == 0 {
			m.leaveShare(msg)
		}
	} else {
		m.stats.Resent++
	}
	*piece = pieceOf(at, pkt)
	if msg.tracked() {
		m.remember(pkt, ref{msg: msg, index: c.index})
	}
	m.stats.Frames++
	from := len(dst)
	dst = appendFrame(dst, msg.frame(c.index))
	m.last, m.lastBody = span{from, len(dst)}, 0
	return dst
}

func pieceOf(at time.Duration, pkt uint16) piece {
	return piece{at: at, packet: pkt, state: flying}
}

func (m *Mux) begin(msg *message) {
	l := msg.lane
	msg.begun = true
	if l.cfg.Mode.Reliable() {
		m.window += msg.cost
		msg.wire = uint16(msg.seq)
		return
	}
	if l.cfg.Mode.carriesID(len(msg.pieces) > 1) {
		msg.wire = l.nextWire
		l.nextWire++
	}
}

// packed drops an unreliable message from its queue once all of it is packed.
func (m *Mux) packed(msg *message) {
	if !msg.lane.cfg.Mode.Reliable() && msg.unsent == 0 {
		m.dequeue(msg)
	}
}
