package channel

import "time"

// maxShares bounds the priorities of one channel that are kept apart. Further ones count
// to the nearest that is there.
const maxShares = 64

// share is what the messages of one priority in one channel have had. Each piece that is
// sent moves it on by the inverse of the priority, and the piece that ends first is sent
// first: so ten pieces of priority 10 leave for five of priority 5, and none waits for
// ever.
type share struct {
	priority float32
	step     float64 // by which a piece moves it on
	next     float64 // where its next piece begins
	waiting  int     // pieces that were never sent
	planned  int     // of them, while a plan is made
	// hungry: what waited was dropped. What comes next has waited as long.
	hungry bool
}

// leastPriority is as low as a priority counts: below it, sums of steps would lose what
// the high ones add.
const leastPriority = 1e-4

// shareOf returns the place of a priority among a channel's shares.
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

// join lets a message wait in its share. A share that nothing waited in has no claim to
// what was sent of others meanwhile, but for the piece of it that was dropped last.
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

// end returns where a piece ends in its share: the lower, the more urgent. One that is sent
// again is where it was, so it does not wait behind what came after it.
func (msg *message) end(p *piece) float64 {
	if p.state != unsent {
		return msg.began
	}
	s := msg.mine()
	s.planned++
	return s.next + float64(s.planned)*s.step
}

// sent moves a share on by a piece that was never sent before. Which one does not count:
// a short one at the end of a message finds room before its turn.
func (m *Mux) sent(msg *message) {
	s := msg.mine()
	s.next += s.step
	s.waiting--
	c := msg.lane.cfg.Class
	m.reached[c] = max(m.reached[c], s.next)
}

// forgo gives up a message for lack of room. Its place is that of what waits behind it.
func (m *Mux) forgo(msg *message) {
	if s := msg.mine(); s.waiting == msg.unsent {
		s.hungry = true
	}
	m.dequeue(msg)
	m.plan.stale = true
}

// Shed drops the unreliable messages that were not begun in this instant, but for those of
// channels that keep them and those that wait for their channel's interval. Call it at the
// end of a frame under an allowance: what is sent next is then new.
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
