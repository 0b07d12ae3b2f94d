package channel

import (
	"errors"
	"fmt"
	"time"
)

// MessageID counts the messages of one channel, from 0, in the order of Send.
type MessageID uint64

// Mux is the channels of one peer: messages that wait to be sent, are in flight, or have arrived.
// It is not safe for concurrent use.
type Mux struct {
	// The fields that every packet needs come first, together: most packets hold no message.
	count  int // messages in all queues
	queued int // cost of reliable messages that wait or are not acknowledged
	// shared is the cost of those of SendShared that wait to be sent, unreliable ones included, and
	// sharedQueued the part of queued that is of SendShared.
	shared, sharedQueued int
	sharedBy             []int // shared, by sender
	last                 span  // the last frame of the packet under construction
	// lastBody is the length of its body if it is an external frame, else 0.
	lastBody int
	external uint64 // bit i: channel i is one of frames that this end may send
	stamp    Stamp
	begun    bool
	inbound  [MaxID + 1]inbound
	records  records
	reports  reports
	memory   memory
	inbox    inbox
	complete complete
	stats    Stats
	work     uint64
	start    time.Time // of the first call; times are kept relative to it

	limits   Limits
	channels []*lane
	byID     [MaxID + 1]*lane

	pool     pool
	messages messagePool
	plan     plan

	window int // cost of reliable messages begun; see ReliableWindow
	// left is the rest of this frame's byte budget, if it is limited.
	left    Bytes
	limited bool
	// reached is the position that the shares of each class have reached.
	reached [classCount]float64
	shut    bool // in this AppendFrames: a message waits for the window, so none may overtake it
}

// span is the position of a frame in the packet under construction; empty: none.
type span struct{ from, to int }

// lane is one channel of a mux, in both directions.
type lane struct {
	cfg   Config
	index uint8 // in Mux.channels

	queue    queue
	shares   []share
	backlog  int    // bytes of the bodies in queue
	unsent   int    // bytes of backlog that were never packed
	waiting  int    // messages with a body in queue
	cost     int    // of the unreliable messages in queue
	nextWire uint16 // id of the next unreliable message that is begun
	openedAt time.Duration
	opensAt  time.Duration
	blocked  bool // in this AppendFrames: nothing further may begin

	arrivals arrivals
}

// NewMux returns the channels of one connection. The error wraps ErrConfig and names the invalid
// field.
func NewMux(configs []Config, limits Limits) (*Mux, error) {
	if err := limits.validate(); err != nil {
		return nil, err
	}
	m := &Mux{limits: limits.withDefaults()}
	m.reports.limit = m.limits.Reports
	for _, cfg := range configs {
		if err := cfg.validate(); err != nil {
			return nil, err
		}
		if m.byID[cfg.ID] != nil {
			return nil, cfg.mistake("ID", "is taken by another channel")
		}
		l := &lane{cfg: cfg.withDefaults(), index: uint8(len(m.channels)), openedAt: -1}
		m.channels = append(m.channels, l)
		m.byID[cfg.ID], m.inbound[cfg.ID] = l, inboundOf(&cfg)
		if cfg.Mode == External && cfg.Direction != ReceiveOnly {
			m.external |= 1 << cfg.ID
		}
	}
	return m, nil
}

// Errors of Send. All but ErrQueueFull are mistakes of the caller.
var (
	// ErrNoChannel: NewMux had no channel with this id.
	ErrNoChannel = errors.New("channel: no channel has this id: add it to the configuration of both ends")
	// ErrDirection: the channel only receives.
	ErrDirection = errors.New("channel: this end may not send on this channel: its direction is ReceiveOnly")
	// ErrExternal: the channel has no messages.
	ErrExternal = errors.New("channel: an External channel takes frames, not messages: use BeginFrame and EndFrame")
	// ErrTooLarge: longer than MaxMessage or MaxUnreliableMessage.
	ErrTooLarge = errors.New("channel: message too large: split it")
	// ErrPriority: negative, infinite, or not a number.
	ErrPriority = errors.New("channel: a message's priority must be a finite number, 0 or more")
	// ErrQueueFull: the peer does not acknowledge reliable messages, or more slowly than they are
	// sent. Nothing was queued: disconnect the peer.
	ErrQueueFull = errors.New("channel: reliable queue full: the peer is too slow, disconnect it")
	// ErrShareFull: the share for relayed messages to the peer is full. Nothing was queued.
	ErrShareFull = errors.New("channel: the share of the queue for what others say is full: refuse it")
)

// Send copies body into the queue of a channel and returns its number there.
// priority is relative to other messages and multiplied by the channel's; 0
// means 1. On an unreliable channel that is full the oldest messages are dropped
// and counted; on a reliable one the error is ErrQueueFull.
func (m *Mux) Send(id ID, body []byte, priority float32, now time.Time) (MessageID, error) {
	l, err := m.sender(id, body, priority)
	if err != nil {
		return 0, err
	}
	return m.send(l, body, priority, own)
}

// SendShared is Send for messages that are relayed from other senders to the peer. by identifies
// the sender by a small number. They have a share of the queue, in bytes of cost, so that they
// neither delay this end's own messages for long nor fill the queue. No sender has more than twice
// the free part of the share: one alone fills two thirds, and however many flood, there is room for
// a sender of few messages. A message that does not fit is refused with ErrShareFull.
func (m *Mux) SendShared(id ID, body []byte, priority float32, share, by int) error {
	l, err := m.sender(id, body, priority)
	if err != nil {
		return err
	}
	for len(m.sharedBy) <= by {
		m.sharedBy = append(m.sharedBy, 0)
	}
	price, left := cost(len(body)), share-m.shared
	if price > left || m.sharedBy[by]+price > 2*left-2*price || m.queued+price > m.limits.ReliableQueue/2 {
		return ErrShareFull
	}
	_, err = m.send(l, body, priority, by)
	return err
}

// own is the sender number of this end's own messages.
const own = -1

func (m *Mux) send(l *lane, body []byte, priority float32, by int) (MessageID, error) {
	price := cost(len(body))
	if !l.cfg.Mode.Reliable() {
		m.makeRoom(l, price)
		l.cost += price
	} else if m.queued-m.sharedQueued+price > m.limits.ReliableQueue {
		return 0, ErrQueueFull
	} else {
		m.queued += price
	}
	if priority == 0 {
		priority = 1
	}
	msg := m.messages.get(len(body))
	msg.lane, msg.body, msg.cost, msg.stamp, msg.share = l, m.pool.copyOf(body), price, m.stamp, l.shareOf(priority)
	msg.by, msg.shared = int32(by), by != own
	if msg.shared {
		m.shared += price
		m.sharedBy[by] += price
		if l.cfg.Mode.Reliable() {
			m.sharedQueued += price
		}
	}
	m.join(msg)
	l.queue.push(msg)
	m.count++
	l.backlog += len(body)
	l.unsent += len(body)
	l.waiting++
	m.plan.stale = true
	m.stats.Sent++
	return msg.seq, nil
}

func (m *Mux) sender(id ID, body []byte, priority float32) (*lane, error) {
	if id > MaxID || m.byID[id] == nil {
		return nil, ErrNoChannel
	}
	l := m.byID[id]
	switch {
	case l.cfg.Direction == ReceiveOnly:
		return nil, ErrDirection
	case l.cfg.Mode == External:
		return nil, ErrExternal
	case len(body) > l.cfg.Mode.maxMessage():
		return nil, fmt.Errorf("%w: %d bytes on channel %q, at most %d", ErrTooLarge, len(body), l.cfg.Name, l.cfg.Mode.maxMessage())
	case !validPriority(priority):
		return nil, ErrPriority
	}
	return l, nil
}

// makeRoom drops the oldest messages of an unreliable channel until one of the given cost fits.
func (m *Mux) makeRoom(l *lane, price int) {
	for l.cost+price > m.limits.UnreliableQueue {
		oldest := l.queue.at(l.queue.front)
		m.forgo(oldest)
		m.stats.DroppedFull++
	}
}

// Stamp is the state of the owner's counters when a message was queued. Both numbers increase and
// may wrap around.
type Stamp struct{ Tick, Ends uint32 }

// Stamp marks the messages that are queued from now on, for Oldest.
func (m *Mux) Stamp(stamp Stamp) { m.stamp = stamp }

// Oldest returns the stamp of the oldest unacknowledged reliable message. ok is false if there is
// none.
func (m *Mux) Oldest() (oldest Stamp, ok bool) {
	if m.queued == 0 {
		return Stamp{}, false
	}
	for _, l := range m.channels {
		if !l.cfg.Mode.Reliable() || l.queue.count == 0 {
			continue
		}
		if at := l.queue.at(l.queue.front).stamp; !ok || m.stamp.Tick-at.Tick > m.stamp.Tick-oldest.Tick {
			oldest, ok = at, true
		}
	}
	return oldest, ok
}

func (m *Mux) since(now time.Time) time.Duration {
	if !m.begun {
		m.start, m.begun = now, true
	}
	return now.Sub(m.start)
}
