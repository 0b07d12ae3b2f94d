package message

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/stretchr/testify/assert"
)

// The registry and the channels each have a list of modes, because neither imports the other. A
// number must mean the same mode in both.
func TestModesOfTheRegistryAreThoseOfTheChannels(t *testing.T) {
	for mode := protocol.OrderedReliable; mode <= protocol.UnorderedUnreliable; mode++ {
		assert.Equal(t, channel.Mode(mode).String(), mode.String())
	}
}

// All options of a game's channel reach the configuration of the channel.
func TestAChannelIsMadeAsTheGameSays(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	p.Channel(protocol.ChannelConfig{
		Name: "news", Mode: protocol.SequencedUnreliable, Direction: protocol.ServerToClient,
		Priority: 3, KeepUnsent: true, SendEvery: 1, ResendFactor: 2, ResendMin: 4,
	})
	want := channel.Config{
		ID: peer.FirstUser, Name: "news", Mode: channel.SequencedUnreliable, Direction: channel.SendOnly,
		Priority: 3, KeepUnsent: true, SendEvery: 1, ResendFactor: 2, ResendMin: 4,
	}
	assert.Equal(t, []channel.Config{want}, Channels(p, true))
	want.Direction = channel.ReceiveOnly
	assert.Equal(t, []channel.Config{want}, Channels(p, false))
}
