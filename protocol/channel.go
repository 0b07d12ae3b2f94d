package protocol

import (
	"cmp"
	"time"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// ChannelConfig describes a channel of the game. Name, Mode and Direction must be the same on both
// sides.
type ChannelConfig struct {
	// Name has 1 to 64 bytes. No two channels may have the same one.
	Name string

	// Mode is how the channel delivers. The zero value is OrderedReliable.
	Mode Mode

	// Direction is which side may send. The zero value means Bidirectional.
	Direction Direction

	// Priority is relative to other channels, above 0 and at most 1e9. 0 means 1. Under a byte cap,
	// a channel of priority 10 sends about twice as often as one of 5.
	Priority float32

	// KeepUnsent keeps unreliable messages that a byte cap does not allow to be sent for later
	// frames. When more than 64 KiB wait, the oldest is dropped. Without KeepUnsent such messages
	// are dropped at once, so that all sent messages are new. Reliable messages are kept in any
	// case.
	KeepUnsent bool

	// SendEvery is the shortest time between two sends. 0 means no such limit.
	SendEvery time.Duration

	// ResendFactor times the usual time until an acknowledgement, which is the round trip and the
	// time that the acknowledgement waits for a packet, is how long a reliable message waits for its
	// acknowledgement before it is sent again. 0 means the default. Negative means that it is never
	// sent again because of the time.
	ResendFactor float32

	// ResendMin is the least time before such a resend. 0 means the default, negative means no
	// minimum.
	ResendMin time.Duration
}

// Channel is a channel of the game, for MessageRule.Via.
type Channel struct {
	p    *Protocol
	info *registry.Channel
}

// Name returns the channel's name.
func (c Channel) Name() string {
	if c.info == nil {
		return ""
	}
	return c.info.Name
}

// Channel registers a channel. A game that registers none has five default ones, one for each Mode.
func (p *Protocol) Channel(c ChannelConfig) Channel {
	subject := registry.KindChannel.String() + " " + c.Name
	if !p.touch(subject) {
		return Channel{}
	}
	c.Direction = cmp.Or(c.Direction, Bidirectional)
	c.Priority = cmp.Or(c.Priority, 1)
	info := &registry.Channel{
		Name: c.Name, Mode: registry.Mode(c.Mode), Direction: registry.Direction(c.Direction), Priority: c.Priority,
		KeepUnsent: c.KeepUnsent, SendEvery: c.SendEvery, ResendFactor: c.ResendFactor, ResendMin: c.ResendMin,
	}
	if problem := c.problem(); problem != "" {
		p.fail(ErrConfig, subject, "%s", problem)
		return Channel{p, info}
	}
	if p.taken.channels[c.Name] {
		p.fail(ErrTwice, subject, "registered twice: keep one, or choose another name")
		return Channel{p, info}
	}
	p.taken.channels[c.Name] = true
	p.channels = append(p.channels, info)
	return Channel{p, info}
}

func (c *ChannelConfig) problem() string {
	switch {
	case c.Name == "" || len(c.Name) > MaxNameLength:
		return "ChannelConfig.Name must have 1 to 64 bytes"
	case !registry.Mode(c.Mode).Valid():
		return "ChannelConfig.Mode must be one of the five modes"
	case !registry.Direction(c.Direction).Valid():
		return "ChannelConfig.Direction must be ServerToClient, ClientToServer or Bidirectional"
	case !validPriority(c.Priority):
		return "ChannelConfig.Priority must be a number above 0 and at most 1e9"
	case c.SendEvery < 0:
		return "ChannelConfig.SendEvery must be 0 or more"
	case c.ResendFactor != c.ResendFactor:
		return "ChannelConfig.ResendFactor must be a number"
	default:
		return ""
	}
}

// maxPriority keeps the product of a channel's and a message's priority within the range that a
// channel accepts.
const maxPriority = 1e9

func validPriority(p float32) bool { return p > 0 && p <= maxPriority }
