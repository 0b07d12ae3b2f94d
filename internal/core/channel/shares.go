package channel

import "time"

// maxShares is the most distinct priorities of one channel. A message with a further priority uses
// the share with the nearest priority.
const maxShares = 64

// share is the position of one priority of one channel in a weighted fair queue. Each piece that is
// sent advances the position by the inverse of the priority. The next piece to send is the one
// after which its share has the lowest position. For example, ten pieces of priority 10 are sent
// for every five of priority 5, and no piece waits forever.
type share struct {
	priority float32
	step     float64 // by how much one piece advances the position
	next     float64 // the position
	waiting  int     // number of pieces that were never sent
	planned  int     // number of these that are in the current plan
	// dropped is true if no message waits because the last one was dropped for lack of room. The
	// next message takes the position of the dropped one; see joinShare.
	dropped bool
}

// leastPriority is the lowest effective priority. With a lower one, a step would be so long that
// adding the short steps of high priorities to such a position would be lost to rounding.
const leastPriority = 1e-4

// shareOf returns the index of the share for a priority among the channel's shares. It adds one if
// there is none.
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
// position that the other shares of its class have reached, so that it gains nothing from the time
// without messages. If its last message was dropped, it moves up only to one piece before that
// position.
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

// endOf returns the position of the message's share after a piece: the lower, the more urgent. For
// a piece that is resent it returns the position after the message's first piece, so that the piece
// does not wait behind those of later messages.
func (msg *message) endOf(p *piece) float64 {
	if p.state != unsent {
		return msg.shareEnd
	}
	s := msg.shareOf()
	s.planned++
	return s.next + float64(s.planned)*s.step
}

// advanceShare advances the share of a message by one step when a piece of the message is sent for
// the first time. All pieces advance it equally, so it does not matter if the short last piece of a
// message is sent before others because it still fits into a packet.
func (p *plan) advanceShare(msg *message) {
	s := msg.shareOf()
	s.next += s.step
	s.waiting--
	c := msg.channel.cfg.Class
	p.reached[c] = max(p.reached[c], s.next)
}

// dropUnsent drops a message for lack of room. The position of its share does not advance, so the
// messages behind it move up.
func (s *sender) dropUnsent(msg *message) {
	if share := msg.shareOf(); share.waiting == msg.unsent {
		share.dropped = true
	}
	s.dequeue(msg)
	s.plan.stale = true
}

// DropUnsent drops the unreliable messages of which no piece was sent. It keeps those on channels
// with Config.KeepUnsent, and on channels that may not send now because of Config.SendEvery. Call
// it at the end of a frame of the app that has a byte budget, so that the next frame sends new
// data.
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
