package channel

import "time"

// maxShares bounds the distinct priorities of one channel. Further ones use the nearest existing
// share.
const maxShares = 64

// share is the position of one priority of one channel in a weighted fair queue. Each sent piece
// advances it by the inverse of the priority, and the piece with the lowest end is sent first. For
// example, ten pieces of priority 10 are sent for every five of priority 5, and no piece waits
// forever.
type share struct {
	priority float32
	step     float64 // the advance of one piece
	next     float64 // where its next piece begins
	waiting  int     // pieces that were never sent
	planned  int     // of them, in the current plan
	// hungry: waiting messages were dropped. The next message counts as having waited as long.
	hungry bool
}

// leastPriority is the lowest effective priority: below it, sums of steps would lose the small
// steps of high ones.
const leastPriority = 1e-4

// shareOf returns the index of a priority among a channel's shares.
func (l *lane) shareOf(priority float32) uint8 {
	nearest := 0
	for i := range l.shares {
		if l.shares[i].priority == priority {
			return uint8(i)
		}
		if distance(l.shares[i].priority, priority) < distance(l.shares[nearest].priority, priority) {
			nearest = i
		}
	}
	if len(l.shares) == maxShares {
		return uint8(nearest)
	}
	step := 1 / max(float64(l.cfg.Priority)*float64(priority), leastPriority)
	l.shares = append(l.shares, share{priority: priority, step: step})
	return uint8(len(l.shares) - 1)
}

func distance(a, b float32) float32 { return max(a-b, b-a) }

// join adds a message to its share. A share that had no waiting messages does not catch up on bytes
// that other shares sent meanwhile, except for its last dropped piece.
func (m *Mux) join(msg *message) {
	s := msg.mine()
	if s.waiting == 0 {
		from := m.reached[msg.lane.cfg.Class]
		if s.hungry {
			from -= s.step
		}
		s.next = max(s.next, from)
	}
	s.hungry = false
	s.waiting += len(msg.pieces)
}

func (msg *message) mine() *share { return &msg.lane.shares[msg.share] }

// end returns the end of a piece in its share: the lower, the more urgent. A resent piece keeps its
// place, so it does not wait behind later ones.
func (msg *message) end(p *piece) float64 {
	if p.state != unsent {
		return msg.began
	}
	s := msg.mine()
	s.planned++
	return s.next + float64(s.planned)*s.step
}

// sent advances a share after the first send of a piece. The order of pieces does not matter: a
// short piece at the end of a message may fit into a packet before its turn.
func (m *Mux) sent(msg *message) {
	s := msg.mine()
	s.next += s.step
	s.waiting--
	c := msg.lane.cfg.Class
	m.reached[c] = max(m.reached[c], s.next)
}

// forgo drops a message for lack of room. The messages behind it take its place.
func (m *Mux) forgo(msg *message) {
	if s := msg.mine(); s.waiting == msg.unsent {
		s.hungry = true
	}
	m.dequeue(msg)
	m.plan.stale = true
}

// Shed drops the unreliable messages that were not begun in this instant, except on channels that
// keep them, and messages that wait for their channel's interval. Call it at the end of a frame
// with a byte budget, so that the next frame sends new data.
func (m *Mux) Shed(now time.Time) {
	at := m.since(now)
	for _, l := range m.channels {
		if l.queue.count > 0 && !l.cfg.Mode.Reliable() && !l.cfg.KeepUnsent && l.open(at) {
			m.shed(l)
		}
	}
}

func (m *Mux) shed(l *lane) {
	for seq := l.queue.front; seq < l.queue.back && l.queue.count > 0; seq++ {
		msg := l.queue.at(seq)
		if msg == nil || msg.begun {
			continue
		}
		m.forgo(msg)
		m.stats.DroppedUnsent++
	}
}
