package peer

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
)

// The channels that every connection has. Channels of the game follow them.
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

	// FirstMessages and the four channels after it carry the game's messages. There is one for each
	// channel.Mode, in the order of the modes.
	FirstMessages

	// FirstUser is the first channel that the game has added.
	FirstUser = FirstMessages + 5
)

// actionRoom is the greatest size of an action message with several groups. A message of this size
// is not fragmented.
const actionRoom = channel.FragmentSize

// maxActionBacklog bounds the bytes of actions that wait in the channel to be sent or acknowledged.
// Further structure waits in the sender, where later changes are merged into it, so that it is
// newer and smaller when it is sent.
const maxActionBacklog = 64 << 10

// MaxActionBytes bounds the memory of one peer's structure. A message may be queued while less than
// maxActionBacklog waits, and a message with a single group can be as long as any message, plus the
// channel's overhead for each of its fragments.
const MaxActionBytes = maxActionBacklog + 2*channel.MaxMessage

// maxResourceBacklog bounds the bytes of resources that wait in the channel to be sent or
// acknowledged before another one is queued. Of a resource that waits outside of the channel, only
// the newest value is sent.
const maxResourceBacklog = 64 << 10

// MaxResourceBytes bounds the memory of the resources that were queued for a peer and are not
// acknowledged.
const MaxResourceBytes = maxResourceBacklog + channel.MaxMessage

// maxFrameActions bounds the bytes of structure that are added for a peer in one frame, not
// counting groups that other groups of the frame depend on.
const maxFrameActions = 16 << 10

// maxFrameGroups bounds the number of groups in that structure; one message may exceed it. Bytes
// alone are no sufficient bound, because a group can be a few bits long, and each must be checked
// and encoded.
const maxFrameGroups = 1 << 11

// maxPackets bounds the packets to one peer in one frame, to about 280 KiB. The rest is sent in the
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
