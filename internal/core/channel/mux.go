package channel

import (
	"errors"
	"time"
)

// MessageID counts the messages of one channel, from 0, in the order of Send.
type MessageID uint64

// Mux is the channels of one peer. Its two directions share their configuration and a pool of
// buffers. It is not safe for concurrent use, and must not be copied.
type Mux struct {
	sender
	receiver
	pool pool
}

// Init configures the channels of one connection, before any other call. The error wraps ErrConfig
// and names the invalid field.
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

// clock turns times into the time since its first call: comparing durations is cheaper.
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

// Errors of Send. All but ErrQueueFull are mistakes of the caller.
var (
	// ErrNoChannel: Init had no channel with this id.
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
	// ErrRelayFull: the part of the queue for relayed messages is full. Nothing was queued.
	ErrRelayFull = errors.New("channel: the part of the queue for relayed messages is full: refuse the message")
)
