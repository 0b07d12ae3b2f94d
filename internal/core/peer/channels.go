package peer

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
)

// The channels that every connection has. A game's own come after them.
const (
	Control channel.ID = iota
	Actions
	Updates
	// Requests carries requests and their responses.
	Requests
	// Resources carries the values of resources, at most one of each at a time.
	Resources
	// Clock carries the measurements that steer a client's clock; see Config.Clock.
	Clock
	// Inputs carries the inputs of players; see Config.Inputs.
	Inputs

	// FirstMessages and the four after it carry a game's messages in the default
	// channel of their mode, in the order of channel.Mode.
	FirstMessages

	// FirstUser is the first channel of the game's own.
	FirstUser = FirstMessages + 5
)

// actionRoom is the largest size of an action message with several groups: it needs no fragments.
const actionRoom = channel.FragmentSize

// maxActionBacklog bounds the bytes of actions that wait in the channel or for
// their acknowledgement. Further structure stays in the sender's columns, where
// it coalesces: it then leaves newer and smaller.
const maxActionBacklog = 64 << 10

// MaxActionBytes bounds the memory of one peer's structure: a message is queued while less than
// maxActionBacklog waits, and a single group can be as large as any message, plus the channel's
// overhead for each of its fragments.
const MaxActionBytes = maxActionBacklog + 2*channel.MaxMessage

// maxResourceBacklog bounds the bytes of resources that wait in the channel or for their
// acknowledgement before another is queued. Resources that wait outside coalesce.
const maxResourceBacklog = 64 << 10

// MaxResourceBytes bounds the memory of a peer's in-flight resources.
const MaxResourceBytes = maxResourceBacklog + channel.MaxMessage

// maxFrameActions bounds the bytes of structure that one frame adds for a peer, not counting groups on
// which other groups of the frame depend.
const maxFrameActions = 16 << 10

// maxFrameGroups bounds the number of groups in that structure, exceeded by at most one message: a
// group can be a few bits long, and each must be checked and encoded.
const maxFrameGroups = 1 << 11

// maxPackets bounds the packets to one peer in one frame: some 280 KiB. The rest is sent in the
// next frame.
const maxPackets = 256

// builtin returns the channels of every connection.
func builtin() []channel.Config {
	configs := []channel.Config{
		{ID: Control, Name: "control", Mode: channel.OrderedReliable, Class: channel.Control, ReportDelivery: true},
		{ID: Actions, Name: "actions", Mode: channel.UnorderedReliable, Class: channel.Structure, ReportDelivery: true},
		{ID: Updates, Name: "updates", Mode: channel.External},
		{ID: Requests, Name: "requests", Mode: channel.OrderedReliable},
		{ID: Resources, Name: "resources", Mode: channel.UnorderedReliable, ReportDelivery: true},
		{ID: Clock, Name: "clock", Mode: channel.External},
		{ID: Inputs, Name: "inputs", Mode: channel.External},
	}
	for mode := channel.OrderedReliable; mode <= channel.UnorderedUnreliable; mode++ {
		configs = append(configs, channel.Config{ID: FirstMessages + channel.ID(mode), Name: mode.String(), Mode: mode})
	}
	return configs
}
