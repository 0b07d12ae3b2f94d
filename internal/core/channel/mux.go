package channel

import (
	"errors"
	"time"
)

// MessageID is the number of a message of its channel. They count from 0 in the order of Send.
type MessageID uint64

// Mux holds the channels of one peer. Its two directions share their configuration and a pool of
// buffers. It is not safe for concurrent use and must not be copied.
type Mux struct {
	sender
	receiver
	pool pool
}

// Init configures the channels of one connection. Call it before any other method. The error wraps
// ErrConfig and names the invalid field.
func (m *Mux) Init(configs []Config, limits Limits) error {
	if err := limits.validate(); err != nil {
		return err
	}
	limits = limits.withDefaults()
	m.sender.limits, m.sender.pool = limits, &m.pool
	m.reports.limit = limits.Reports
	m.held.pool = &m.pool
	for _, cfg := range configs {
		if err := cfg.validate(); err != nil {
			return err
		}
		if m.inbound[cfg.ID] != noChannel {
			return cfg.mistake("ID", "is taken by another channel")
		}
		m.sender.addChannel(cfg.withDefaults())
		m.receiver.addChannel(&cfg)
	}
	return nil
}

// clock converts times to durations since its first call, because comparing durations is cheaper.
type clock struct {
	start time.Time
	begun bool
}

func (c *clock) since(now time.Time) time.Duration {
	if !c.begun {
		c.start, c.begun = now, true
	}
	return now.Sub(c.start)
}

// Errors of Send and SendRelayed. All but ErrQueueFull and ErrRelayFull are mistakes of the caller.
var (
	// ErrNoChannel means that Init had no channel with this id.
	ErrNoChannel = errors.New("channel: no channel has this id: add it to the configuration of both ends")
	// ErrDirection means that this end only receives on the channel.
	ErrDirection = errors.New("channel: this end may not send on this channel: its direction is ReceiveOnly")
	// ErrExternal means that the channel is External and has no messages.
	ErrExternal = errors.New("channel: an External channel takes frames, not messages: use BeginFrame and EndFrame")
	// ErrTooLarge means that the body is longer than MaxMessage or MaxUnreliableMessage.
	ErrTooLarge = errors.New("channel: message too large: split it")
	// ErrPriority means that the priority is negative, too large or not a number.
	ErrPriority = errors.New("channel: a message's priority must be a finite number, 0 or more")
	// ErrQueueFull means that the peer acknowledges reliable messages not at all, or more slowly
	// than they are sent. The message was not queued. Disconnect the peer.
	ErrQueueFull = errors.New("channel: reliable queue full: the peer is too slow, disconnect it")
	// ErrRelayFull means that the part of the queue for relayed messages is full. The message was
	// not queued.
	ErrRelayFull = errors.New("channel: the part of the queue for relayed messages is full: refuse the message")
)
