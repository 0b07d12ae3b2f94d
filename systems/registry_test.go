package systems

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/protocol"
)

// The registry and the channels each have their own list of modes, because neither
// may know the other. One number must mean one mode in both.
func TestModesOfTheRegistryAreThoseOfTheChannels(t *testing.T) {
	for mode := protocol.OrderedReliable; mode <= protocol.UnorderedUnreliable; mode++ {
		assert.Equal(t, channel.Mode(mode).String(), mode.String())
	}
}
