package peer_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
)

// If a packet closes a gap, the messages that waited behind it are delivered as long as the end is
// Ready, in order and once each. While it is not Ready, packets are dropped unread, as if lost.
//
// Proves: Z21
func TestAnEndTakesInWhatItIsReadyFor(t *testing.T) {
	p := newPair(t, 1, 1)
	may := 0
	var err error
	p.server, err = peer.New(peer.Config{
		Registry: registry(1), Client: 7, World: p.world, Inbox: &p.mail,
		Ready: func() bool { return len(p.mail.got) <= may },
	})
	require.NoError(t, err)
	p.run(30)
	require.True(t, p.client.Open())
	gap := true
	p.drops = func(from *peer.Peer, payload []byte) bool {
		return gap && from == p.client && bytes.Contains(payload, []byte("message 000"))
	}
	var want []string
	say := func() {
		want = append(want, fmt.Sprintf("message %03d", len(want)))
		require.NoError(t, p.client.Send(peer.FirstMessages, []byte(want[len(want)-1]), 0, p.now))
		p.step()
	}
	for range 50 {
		say()
	}
	p.run(60)
	require.Empty(t, p.mail.got)
	gap = false
	for i := 0; len(p.mail.got) < 60; i++ {
		require.Less(t, i, 300)
		before := len(p.mail.got)
		may = before + 2
		require.NoError(t, p.server.Deliver(p.now))
		require.LessOrEqual(t, len(p.mail.got), may+1)
		say()
		require.LessOrEqual(t, len(p.mail.got), may+2, "and those of a packet")
	}
	may = -1
	taken, unready := p.server.Stats().PayloadsIn, p.server.Stats().Unready
	before := len(p.mail.got)
	for range 5 {
		say()
		require.NoError(t, p.server.Deliver(p.now))
	}
	assert.Len(t, p.mail.got, before)
	assert.Equal(t, taken, p.server.Stats().PayloadsIn)
	assert.GreaterOrEqual(t, p.server.Stats().Unready, unready+5)
	may = 1000
	p.run(120)
	assert.Equal(t, want, p.mail.got)
}

// The limit for relayed messages allows one and a half messages of the greatest length. A message
// beyond it is refused, which is no error.
//
// Proves: Z21
func TestTheShareForOthersHasRoomForTheLongestMessage(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(30)
	for by, c := range []struct {
		bytes int
		sent  bool
	}{{channel.MaxMessage, true}, {channel.MaxMessage, false}, {channel.MaxMessage / 2, true}, {channel.MaxMessage / 2, false}} {
		sent, err := p.server.Relay(peer.FirstMessages, make([]byte, c.bytes), 0, by)
		require.NoError(t, err)
		assert.Equal(t, c.sent, sent, c.bytes)
	}
	assert.False(t, p.server.Crowded())
	sent, err := p.server.Relay(peer.FirstMessages, make([]byte, channel.MaxMessage+1), 0, 0)
	assert.Error(t, err)
	assert.False(t, sent)
}
