package channel

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// ID identifies a channel on the wire and in the API, from 0 to MaxID.
type ID uint8

// MaxID is the largest channel id: it takes six bits of the channel byte, and the other two are
// flags.
const MaxID ID = 63

// Mode is the delivery guarantee of a channel.
type Mode uint8

const (
	// OrderedReliable delivers every message once, in the order they were sent.
	OrderedReliable Mode = iota
	// UnorderedReliable delivers every message once, as soon as it arrives.
	UnorderedReliable
	// SequencedReliable delivers the newest message for certain, and an older one
	// only if it arrives before anything newer.
	SequencedReliable
	// SequencedUnreliable sends once, and delivers only messages newer than the last one delivered.
	SequencedUnreliable
	// UnorderedUnreliable sends once, and delivers every message that arrives, when it arrives.
	UnorderedUnreliable
	// External has only frames: the caller writes bodies directly into the packet with BeginFrame
	// and EndFrame, and keeps, orders and resends their content itself. At the receiver, Poll
	// returns the bodies of each packet that arrives.
	External

	modes
)

// Reliable reports whether messages are sent again until they are acknowledged.
func (m Mode) Reliable() bool { return m <= SequencedReliable }

// Sequenced reports whether messages older than the last delivered are dropped.
func (m Mode) Sequenced() bool { return m == SequencedReliable || m == SequencedUnreliable }

// keepsOrder reports whether messages are packed in the order of Send.
func (m Mode) keepsOrder() bool { return m == OrderedReliable || m.Sequenced() }

// String returns the name of the constant.
func (m Mode) String() string {
	names := [modes]string{
		"OrderedReliable", "UnorderedReliable", "SequencedReliable",
		"SequencedUnreliable", "UnorderedUnreliable", "External",
	}
	if m >= modes {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return names[m]
}

// Direction is the direction of a channel's messages, seen from this end. The two ends of a one-way
// channel have opposite directions.
type Direction uint8

const (
	// Both sends and receives.
	Both Direction = iota
	// SendOnly refuses incoming frames.
	SendOnly
	// ReceiveOnly refuses Send.
	ReceiveOnly

	directions
)

// Config describes one channel. Both ends must agree on ID and Mode, and have opposite
// directions.
type Config struct {
	ID   ID     // unique, at most MaxID
	Name string // for errors
	Mode Mode
	// Direction of messages seen from this end.
	Direction Direction
	// Class selects the channel's byte budget.
	Class Class
	// Priority is relative to other channels of the same Class, and is multiplied by the priority
	// of each message. 0 means 1.
	Priority float32
	// KeepUnsent makes DropUnsent keep the unreliable messages of this channel that have not been
	// sent.
	KeepUnsent bool
	// SendEvery is the shortest time between two sends of this channel, resends included; messages
	// that are queued in between wait. 0 or less lets the channel send in every packet.
	SendEvery time.Duration
	// ResendFactor times the usual time until an acknowledgement is how long a reliable message
	// waits for its acknowledgement before it is resent, although its packet does not yet count as
	// lost. 0 means DefaultResendFactor. With a negative value, messages are resent only if their
	// packet counts as lost.
	ResendFactor float32
	// ResendMin is the least time of that wait. 0 means DefaultResendMin, negative means no
	// minimum.
	ResendMin time.Duration
	// ReportDelivery makes PollDelivered report the messages that the peer has received in full.
	ReportDelivery bool
}

// Defaults of Config.
const (
	// DefaultResendFactor is greater than 1, because the time until an acknowledgement varies by
	// the time until the peer's next tick. A message without one after this time is most likely
	// lost.
	DefaultResendFactor = 1.5
	// DefaultResendMin is the time of two ticks at 60 Hz, about 33 ms, plus the delay of an
	// acknowledgement.
	DefaultResendMin = 60 * time.Millisecond
)

func (c Config) withDefaults() Config {
	c.Priority = cmp.Or(c.Priority, 1)
	c.ResendFactor = cmp.Or(c.ResendFactor, DefaultResendFactor)
	c.ResendMin = cmp.Or(c.ResendMin, DefaultResendMin)
	c.ResendMin = max(c.ResendMin, 0)
	c.SendEvery = max(c.SendEvery, 0)
	return c
}

// ErrConfig is wrapped by the errors of Init, which name the channel and the invalid field.
var ErrConfig = errors.New("channel: bad configuration")

func (c Config) validate() error {
	switch {
	case c.ID > MaxID:
		return c.mistake("ID", "must be at most 63")
	case c.Mode >= modes:
		return c.mistake("Mode", "must be one of the constants of Mode")
	case c.Class >= classCount:
		return c.mistake("Class", "must be one of the constants of Class")
	case c.Direction >= directions:
		return c.mistake("Direction", "must be Both, SendOnly or ReceiveOnly")
	case !validPriority(c.Priority):
		return c.mistake("Priority", "must be a finite number, 0 or more")
	case c.ResendFactor != c.ResendFactor:
		return c.mistake("ResendFactor", "must be a number")
	case c.Mode == External && c.ReportDelivery:
		return c.mistake("ReportDelivery", "is not for External channels: their owner keeps what packets carry")
	}
	return nil
}

func (c Config) mistake(field, sentence string) error {
	return fmt.Errorf("%w: channel %d %q: %s %s", ErrConfig, c.ID, c.Name, field, sentence)
}

func validPriority(p float32) bool { return p >= 0 && p <= maxPriority }

// maxPriority keeps products of two priorities and an age finite.
const maxPriority = 1e12
