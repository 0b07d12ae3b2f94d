package channel

import (
	"fmt"
	"time"
)

// sender is the sending direction of a mux: messages that wait to be sent or are in flight, and the
// order in which they are packed.
type sender struct {
	// The fields that every packet needs come first, together: most packets hold no message.
	count    int // messages in all queues
	queued   int // cost of reliable messages that wait or are not acknowledged
	window   int // cost of the begun ones among them; see ReliableWindow
	last     lastFrame
	external uint64 // bit i: channel i is an External one on which this end may send
	stamp    Stamp
	clock    clock
	records  records
	reports  reports
	stats    SendStats

	limits   Limits
	channels []*outChannel
	byID     []*outChannel
	relayed  relayed
	pool     *pool
	messages messagePool
	plan     plan
	budget   budget
}

// outChannel is the sending direction of one channel.
type outChannel struct {
	cfg Config

	queue    queue
	shares   []share
	backlog  int    // bytes of the bodies in queue
	unsent   int    // bytes of backlog that were never packed
	waiting  int    // messages with a body in queue
	cost     int    // of the unreliable messages in queue
	nextWire uint16 // id of the next unreliable message that is begun
	sentAt   time.Duration
	nextSend time.Duration // the earliest, by Config.SendEvery
	blocked  bool          // in this AppendFrames: nothing further may begin
}

func (s *sender) addChannel(cfg Config) {
	ch := &outChannel{cfg: cfg, sentAt: -1}
	s.channels = append(s.channels, ch)
	if n := int(cfg.ID) + 1; n > len(s.byID) {
		s.byID = append(s.byID, make([]*outChannel, n-len(s.byID))...)
	}
	s.byID[cfg.ID] = ch
	if cfg.Mode == External && cfg.Direction != ReceiveOnly {
		s.external |= 1 << cfg.ID
	}
}

// lookup returns the channel with an id, nil if there is none.
func (s *sender) lookup(id ID) *outChannel {
	if int(id) >= len(s.byID) {
		return nil
	}
	return s.byID[id]
}

// Send copies body into the queue of a channel and returns its number there.
// priority is relative to other messages and multiplied by the channel's; 0
// means 1. On an unreliable channel that is full the oldest messages are dropped
// and counted; on a reliable one the error is ErrQueueFull.
func (s *sender) Send(id ID, body []byte, priority float32, now time.Time) (MessageID, error) {
	ch, err := s.checkSend(id, body, priority)
	if err != nil {
		return 0, err
	}
	return s.queueMessage(ch, body, priority, own)
}

// own is the source of this end's own messages.
const own = -1

// queueMessage queues a copy of body. from is own, or the source of a relayed message.
func (s *sender) queueMessage(ch *outChannel, body []byte, priority float32, from int) (MessageID, error) {
	price := cost(len(body))
	if !ch.cfg.Mode.Reliable() {
		s.makeRoom(ch, price)
		ch.cost += price
	} else if s.QueuedOwn()+price > s.limits.ReliableQueue {
		return 0, ErrQueueFull
	} else {
		s.queued += price
	}
	if priority == 0 {
		priority = 1
	}
	msg := s.messages.get(len(body))
	msg.channel, msg.body, msg.cost, msg.stamp, msg.share = ch, s.pool.copyOf(body), price, s.stamp, ch.shareOf(priority)
	if msg.source = own; from != own {
		s.relayed.countMessage(msg, from)
	}
	s.plan.joinShare(msg)
	ch.queue.push(msg)
	s.count++
	ch.backlog += len(body)
	ch.unsent += len(body)
	ch.waiting++
	s.plan.stale = true
	s.stats.Sent++
	return msg.seq, nil
}

func (s *sender) checkSend(id ID, body []byte, priority float32) (*outChannel, error) {
	ch := s.lookup(id)
	switch {
	case ch == nil:
		return nil, ErrNoChannel
	case ch.cfg.Direction == ReceiveOnly:
		return nil, ErrDirection
	case ch.cfg.Mode == External:
		return nil, ErrExternal
	case len(body) > ch.cfg.Mode.maxMessage():
		return nil, fmt.Errorf("%w: %d bytes on channel %q, at most %d", ErrTooLarge, len(body), ch.cfg.Name, ch.cfg.Mode.maxMessage())
	case !validPriority(priority):
		return nil, ErrPriority
	}
	return ch, nil
}

// makeRoom drops the oldest messages of an unreliable channel until one of the given cost fits.
func (s *sender) makeRoom(ch *outChannel, price int) {
	for ch.cost+price > s.limits.UnreliableQueue {
		s.dropUnsent(ch.queue.at(ch.queue.front))
		s.stats.DroppedFull++
	}
}

// Stamp is the state of the owner's counters when a message was queued. Both numbers increase and
// may wrap around.
type Stamp struct{ Tick, Ends uint32 }

// Stamp marks the messages that are queued from now on, for Oldest.
func (s *sender) Stamp(stamp Stamp) { s.stamp = stamp }

// Oldest returns the stamp of the oldest unacknowledged reliable message. ok is false if there is
// none.
func (s *sender) Oldest() (oldest Stamp, ok bool) {
	if s.queued == 0 {
		return Stamp{}, false
	}
	for _, ch := range s.channels {
		if !ch.cfg.Mode.Reliable() || ch.queue.count == 0 {
			continue
		}
		if at := ch.queue.at(ch.queue.front).stamp; !ok || s.stamp.Tick-at.Tick > s.stamp.Tick-oldest.Tick {
			oldest, ok = at, true
		}
	}
	return oldest, ok
}
