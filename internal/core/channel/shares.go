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
	// dropped: all waiting messages were dropped. The next message counts as having waited as long.
	dropped bool
}

// leastPriority is the lowest effective priority: below it, sums of steps would lose the small
// steps of high ones.
const leastPriority = 1e-4

// shareOf returns the index of a priority among a channel's shares.
func (ch *outChannel) shareOf(priority float32) uint8 {
	nearest := 0
	for i := range ch.shares {
		if ch.shares[i].priority == priority {
			return uint8(i)
		}
		if distance(ch.shares[i].priority, priority) < distance(ch.shares[nearest].priority, priority) {
			nearest = i
		}
	}
	if len(ch.shares) == maxShares {
		return uint8(nearest)
	}
	step := 1 / max(float64(ch.cfg.Priority)*float64(priority), leastPriority)
	ch.shares = append(ch.shares, share{priority: priority, step: step})
	return uint8(len(ch.shares) - 1)
}

func distance(a, b float32) float32 { return max(a-b, b-a) }

// joinShare adds a message to its share. A share that had no waiting messages does not catch up on
// bytes that other shares sent meanwhile, except for its last dropped piece.
func (p *plan) joinShare(msg *message) {
	s := msg.shareOf()
	if s.waiting == 0 {
		from := p.reached[msg.channel.cfg.Class]
		if s.dropped {
			from -= s.step
		}
		s.next = max(s.next, from)
	}
	s.dropped = false
	s.waiting += len(msg.pieces)
}

func (msg *message) shareOf() *share { return &msg.channel.shares[msg.share] }

// endOf returns the end of a piece in its share: the lower, the more urgent. A resent piece keeps its
// place, so it does not wait behind later ones.
func (msg *message) endOf(p *piece) float64 {
	if p.state != unsent {
		return msg.shareEnd
	}
	s := msg.shareOf()
	s.planned++
	return s.next + float64(s.planned)*s.step
}

// advanceShare advances the share of a message after the first send of a piece. The order of pieces
// does not matter: a short piece at the end of a message may fit into a packet before its turn.
func (p *plan) advanceShare(msg *message) {
	s := msg.shareOf()
	s.next += s.step
	s.waiting--
	c := msg.channel.cfg.Class
	p.reached[c] = max(p.reached[c], s.next)
}

// dropUnsent drops a message for lack of room. The messages behind it take its place.
func (s *sender) dropUnsent(msg *message) {
	if share := msg.shareOf(); share.waiting == msg.unsent {
		share.dropped = true
	}
	s.dequeue(msg)
	s.plan.stale = true
}

// DropUnsent drops the unreliable messages that were not begun in this instant, except on channels
// that keep them, and messages that wait for their channel's interval. Call it at the end of a frame
// with a byte budget, so that the next frame sends new data.
func (s *sender) DropUnsent(now time.Time) {
	at := s.clock.since(now)
	for _, ch := range s.channels {
		if ch.queue.count == 0 || ch.cfg.Mode.Reliable() || ch.cfg.KeepUnsent || !ch.maySend(at) {
			continue
		}
		for seq := ch.queue.front; seq < ch.queue.back && ch.queue.count > 0; seq++ {
			if msg := ch.queue.at(seq); msg != nil && !msg.begun {
				s.dropUnsent(msg)
				s.stats.DroppedUnsent++
			}
		}
	}
}
