package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/protocol"
)

// The id is written into tokens by programs that may be older than the server.
func TestTheIDOfAGameStays(t *testing.T) {
	assert.Equal(t, uint64(0x6957bf491d8fedf1), protocol.ID("ball"))
	assert.NotEqual(t, protocol.ID("ball"), protocol.ID("balls"))
}
