package channel

import (
	"fmt"
	"time"
)

// sender is the sending direction of a mux: it holds the messages that wait to be sent or are in
// flight, and decides in which order they are packed.
type sender struct {
	// The fields that every packet needs come first, side by side in memory: most packets carry no
	// message.
	count    int // number of messages in all queues
	queued   int // cost of reliable messages that wait or are not acknowledged
	window   int // cost of those of them that have begun; see ReliableWindow
	last     lastFrame
	external uint64 // bit i is set if channel i is External and this end may send on it
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
	backlog  int    // bytes of all bodies in queue
	unsent   int    // those bytes of backlog that were never packed
	waiting  int    // number of messages in queue that still have their body
	cost     int    // total cost of the messages in queue, for an unreliable channel
	nextWire uint16 // id of the next unreliable message that is begun
	sentAt   time.Duration
	nextSend time.Duration // the earliest time of the next send, by Config.SendEvery
	blocked  bool          // in the current AppendFrames, no message of the channel may begin any more
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

// lookup returns the channel with an id, or nil if there is none.
func (s *sender) lookup(id ID) *outChannel {
	if int(id) >= len(s.byID) {
		return nil
	}
	return s.byID[id]
}

// Send copies body into the queue of a channel and returns the number of the message there.
// priority is relative to other messages and is multiplied by the channel's priority; 0 means 1. If
// the queue of an unreliable channel is full, the oldest messages are dropped and counted; if that
// of a reliable one is full, the error is ErrQueueFull.
func (s *sender) Send(id ID, body []byte, priority float32, now time.Time) (MessageID, error) {
	ch, err := s.checkSend(id, body, priority)
	if err != nil {
		return 0, err
	}
	return s.queueMessage(ch, body, priority, own)
}

// own is the source of messages that are not relayed.
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
	msg.channel, msg.body, msg.cost, msg.share = ch, s.pool.copyOf(body), price, ch.shareOf(priority)
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

// makeRoom drops the oldest messages of an unreliable channel until a message of cost price fits.
func (s *sender) makeRoom(ch *outChannel, price int) {
	for ch.cost+price > s.limits.UnreliableQueue {
		s.dropUnsent(ch.queue.at(ch.queue.front))
		s.stats.DroppedFull++
	}
}
