package channel

import (
	"slices"
	"time"
)

// candidate is a piece that is due, and its urgency.
type candidate struct {
	msg   *message
	key   float64 // its end in its share
	order int32   // of the scan: breaks ties, so that equal calls give equal bytes
	index uint8
	class Class
}

// plan lists the pieces that are due at one instant, most urgent first. All packets of that instant
// are filled from it.
type plan struct {
	due   []candidate
	at    time.Duration
	stale bool // the listed pieces have changed
	made  bool
}

// refresh recomputes the plan if time passed or anything changed.
func (m *Mux) refresh(at, rtt time.Duration) {
	p := &m.plan
	if p.made && !p.stale && p.at == at {
		return
	}
	clear(p.due)
	p.due, p.at, p.stale, p.made = p.due[:0], at, false, true
	for _, l := range m.channels {
		if l.queue.count > 0 && l.open(at) {
			m.planLane(l, at, rtt)
		}
	}
	slices.SortFunc(p.due, moreUrgent)
}

func moreUrgent(a, b candidate) int {
	switch {
	case a.class != b.class:
		return int(b.class) - int(a.class)
	case a.key < b.key:
		return -1
	case a.key > b.key:
		return 1
	}
	return int(a.order - b.order)
}

// open reports whether SendEvery lets the channel send at this instant.
func (l *lane) open(at time.Duration) bool { return at >= l.opensAt || at == l.openedAt }

func (l *lane) opened(at time.Duration) {
	l.openedAt, l.opensAt = at, at+l.cfg.SendEvery
}

// last returns the number after the newest message that may be in flight.
func (l *lane) last() MessageID {
	if l.cfg.Mode.Reliable() {
		return min(l.queue.back, l.queue.front+Window)
	}
	return l.queue.back
}

func (m *Mux) planLane(l *lane, at, rtt time.Duration) {
	p := &m.plan
	from, wait := len(p.due), l.resendAfter(rtt)
	for i := range l.shares {
		l.shares[i].planned = 0
	}
	for seq := l.queue.front; seq < l.last(); seq++ {
		msg := l.queue.at(seq)
		if msg == nil || msg.done {
			continue
		}
		for i := range msg.pieces {
			if msg.pieces[i].due(at, wait) {
				p.due = append(p.due, candidate{
					msg: msg, index: uint8(i), order: int32(len(p.due)), class: l.cfg.Class, key: msg.end(&msg.pieces[i]),
				})
			}
		}
	}
	if l.cfg.Mode.keepsOrder() {
		inherit(p.due[from:])
	}
}

// inherit raises the urgency of messages to that of the messages that wait for them.
func inherit(due []candidate) {
	for i := len(due) - 2; i >= 0; i-- {
		due[i].key = min(due[i].key, due[i+1].key)
	}
}

func (c *piece) due(at, wait time.Duration) bool {
	switch c.state {
	case unsent, overdue:
		return true
	case flying:
		return wait >= 0 && at-c.at >= wait
	default:
		return false
	}
}

// resendAfter is how long a reliable piece waits for its acknowledgement; negative means forever.
func (l *lane) resendAfter(rtt time.Duration) time.Duration {
	if l.cfg.ResendFactor < 0 || !l.cfg.Mode.Reliable() {
		return -1
	}
	return max(l.cfg.ResendMin, time.Duration(l.cfg.ResendFactor*float32(rtt)))
}

// Due reports whether AppendFrames would have something to append.
func (m *Mux) Due(now time.Time, rtt time.Duration) bool {
	m.refresh(m.since(now), rtt)
	m.unblock()
	for _, c := range m.plan.due {
		if !m.spent(c.class) && m.mayBegin(c.msg) {
			return true
		}
		c.msg.lane.blocked = true
	}
	return false
}
