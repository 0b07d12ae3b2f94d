package channel

import "time"

// maxShares bounds the distinct priorities of one channel. A message of a further priority uses the
// share whose priority is nearest.
const maxShares = 64

// share is the position of one priority of one channel in a weighted fair queue. Each piece that is
// sent advances the position by the inverse of the priority. The piece is sent first with which its
// share would reach the lowest position. For example, ten pieces of priority 10 are sent for every
// five of priority 5, and no piece waits forever.
type share struct {
	priority float32
	step     float64 // the advance of one piece
	next     float64 // the position
	waiting  int     // pieces that were never sent
	planned  int     // how many of them the current plan lists
	// dropped: no message waits, since the last one was dropped for lack of room. The next message
	// takes its place; see joinShare.
	dropped bool
}

// leastPriority is the lowest effective priority. A lower one would have so long a step that short
// steps, of high priorities, would be lost to rounding when they are added to it.
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

// joinShare adds a message to its share. A share without waiting messages first moves up to the
// position that the other shares have reached, so it gains nothing from the time without messages.
// If its last message was dropped, it stays behind that position by up to one piece.
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

// endOf returns the position that its share would have after a piece: the lower, the more urgent. A
// piece that is resent has the position that its message had when it was begun, so it does not wait
// behind the pieces of later messages.
func (msg *message) endOf(p *piece) float64 {
	if p.state != unsent {
		return msg.shareEnd
	}
	s := msg.shareOf()
	s.planned++
	return s.next + float64(s.planned)*s.step
}

// advanceShare advances the share of a message by one step, when a piece of the message is sent for
// the first time. It does not matter which piece this is: the last piece of a message may be short
// enough to fit into a packet before its turn.
func (p *plan) advanceShare(msg *message) {
	s := msg.shareOf()
	s.next += s.step
	s.waiting--
	c := msg.channel.cfg.Class
	p.reached[c] = max(p.reached[c], s.next)
}

// dropUnsent drops a message for lack of room. Its share does not advance, so the messages behind it
// move up.
func (s *sender) dropUnsent(msg *message) {
	if share := msg.shareOf(); share.waiting == msg.unsent {
		share.dropped = true
	}
	s.dequeue(msg)
	s.plan.stale = true
}

// DropUnsent drops the unreliable messages of which no piece was sent. It keeps those on channels
// with Config.KeepUnsent, and on channels that may not send now because of Config.SendEvery. Call it
// at the end of a frame with a byte budget, so that the next frame sends new data.
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
