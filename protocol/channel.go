package protocol

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// ChannelConfig describes a channel of the game's own. Name, Mode and Direction
// must be the same on both sides.
type ChannelConfig struct {
	// Name, 1 to 64 bytes, one channel each.
	Name string

	// Mode is what the channel promises. The zero value is OrderedReliable.
	Mode Mode

	// Direction says who may send. The zero value means Bidirectional.
	Direction Direction

	// Priority relative to other channels, above 0 and at most 1e9. 0 means 1. Under a byte cap, a
	// channel of priority 10 sends about twice as often as one of 5.
	Priority float32

	// KeepUnsent keeps unreliable messages that found no room under a byte cap for later
	// frames; the oldest goes when 64 KiB wait. Without it such messages are dropped, and
	// the messages that are sent are always new. Reliable messages are kept in any case.
	KeepUnsent bool

	// SendEvery is the shortest time between two sends. 0 means no such limit.
	SendEvery time.Duration

	// ResendFactor times the round trip is how long a reliable message waits for
	// its acknowledgement before it is sent again. 0 means the default, negative
	// means never by time.
	ResendFactor float32

	// ResendMin is the shortest such wait. 0 means the default, negative means
	// none.
	ResendMin time.Duration
}

// Channel is a channel of the game's own, for MessageRule.Via.
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

// Channel registers a channel. A game that needs none has five default ones, one
// for each Mode.
func (p *Protocol) Channel(c ChannelConfig) Channel {
	subject := registry.KindChannel.String() + " " + c.Name
	if !p.touch(subject) {
		return Channel{}
	}
	if c.Direction == 0 {
		c.Direction = Bidirectional
	}
	if c.Priority == 0 {
		c.Priority = 1
	}
	info := &registry.Channel{
		Name: c.Name, Mode: registry.Mode(c.Mode), Direction: registry.Direction(c.Direction), Priority: c.Priority,
		KeepUnsent: c.KeepUnsent, SendEvery: c.SendEvery, ResendFactor: c.ResendFactor, ResendMin: c.ResendMin,
	}
	if problem := c.problem(); problem != "" {
		p.fail(ErrConfig, subject, "%s", problem)
		return Channel{p, info}
	}
	if p.byChannel[c.Name] {
		p.fail(ErrTwice, subject, "registered twice: keep one, or choose another name")
		return Channel{p, info}
	}
	p.byChannel[c.Name] = true
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

// maxPriority keeps the product of a channel's and a message's what a channel takes.
const maxPriority = 1e9

func validPriority(p float32) bool { return p > 0 && p <= maxPriority }
