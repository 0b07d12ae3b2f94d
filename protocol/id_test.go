package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/protocol"
)

// The id of a game must not change, because programs that are older than the server may write it
// into tokens.
func TestTheIDOfAGameStays(t *testing.T) {
	assert.Equal(t, uint64(0x6957bf491d8fedf1), protocol.ID("ball"))
	assert.NotEqual(t, protocol.ID("ball"), protocol.ID("balls"))
}
