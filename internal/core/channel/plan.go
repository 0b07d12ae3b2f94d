package channel

import (
	"slices"
	"time"
)

// candidate is a piece that is due, with its urgency.
type candidate struct {
	msg   *message
	key   float64 // the position of its share after this piece; see share
	order int32   // position in the scan, which breaks ties, so that equal calls produce equal bytes
	index uint8
	class Class
}

// plan lists the pieces that are due at one time, most urgent first. All packets of that time are
// filled from it.
type plan struct {
	due   []candidate
	at    time.Duration
	stale bool // a message or piece changed since the list was made
	made  bool
	// reached is, for each class, the highest position that one of its shares has reached.
	reached [classCount]float64
	// windowFull is true if a message waits for ReliableWindow in the current AppendFrames, so that
	// no later reliable message begins before it.
	windowFull bool
}

// refreshPlan recomputes the plan if it is for another time or a message has changed.
func (s *sender) refreshPlan(at, rtt time.Duration) {
	p := &s.plan
	if p.made && !p.stale && p.at == at {
		return
	}
	clear(p.due)
	p.due, p.at, p.stale, p.made = p.due[:0], at, false, true
	for _, ch := range s.channels {
		if ch.queue.count > 0 && ch.maySend(at) {
			p.addDue(ch, rtt)
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

// maySend reports whether SendEvery lets the channel send at this time.
func (ch *outChannel) maySend(at time.Duration) bool { return at >= ch.nextSend || at == ch.sentAt }

// sendLimit returns the number after the newest message that may be sent now.
func (ch *outChannel) sendLimit() MessageID {
	if ch.cfg.Mode.Reliable() {
		return min(ch.queue.back, ch.queue.front+Window)
	}
	return ch.queue.back
}

// addDue adds the pieces of a channel that are due.
func (p *plan) addDue(ch *outChannel, rtt time.Duration) {
	from, wait := len(p.due), ch.resendAfter(rtt)
	for i := range ch.shares {
		ch.shares[i].planned = 0
	}
	for seq := ch.queue.front; seq < ch.sendLimit(); seq++ {
		msg := ch.queue.at(seq)
		if msg == nil || msg.done {
			continue
		}
		for i := range msg.pieces {
			if msg.pieces[i].due(p.at, wait) {
				p.due = append(p.due, candidate{
					msg: msg, index: uint8(i), order: int32(len(p.due)), class: ch.cfg.Class, key: msg.endOf(&msg.pieces[i]),
				})
			}
		}
	}
	if ch.cfg.Mode.keepsOrder() {
		raiseWaitedFor(p.due[from:])
	}
}

// raiseWaitedFor raises the urgency of messages to that of later messages, which wait for them.
func raiseWaitedFor(due []candidate) {
	for i := len(due) - 2; i >= 0; i-- {
		due[i].key = min(due[i].key, due[i+1].key)
	}
}

func (c *piece) due(at, wait time.Duration) bool {
	switch c.state {
	case unsent, overdue:
		return true
	case inFlight:
		return wait >= 0 && at-c.at >= wait
	default:
		return false
	}
}

// resendAfter is how long a reliable piece waits for its acknowledgement; negative means forever.
func (ch *outChannel) resendAfter(rtt time.Duration) time.Duration {
	if ch.cfg.ResendFactor < 0 || !ch.cfg.Mode.Reliable() {
		return -1
	}
	return max(ch.cfg.ResendMin, time.Duration(ch.cfg.ResendFactor*float32(rtt)))
}
