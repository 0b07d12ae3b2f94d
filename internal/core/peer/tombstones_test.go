package peer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// withChannels returns a pair with channels of a game.
func withChannels(t testing.TB, channels ...channel.Config) *pair {
	p := newPair(t, 1, 1)
	var err error
	p.server, err = peer.New(peer.Config{Registry: registry(1), Client: 7, World: p.world, Channels: channels, Inbox: &p.mail})
	require.NoError(t, err)
	p.client, err = peer.New(peer.Config{Registry: registry(1), Receiver: receiver.New(&p.shown, 1), Channels: channels, Inbox: &p.mail})
	require.NoError(t, err)
	return p
}

// What ended before a client joined leaves no tombstone for it, even if it is sent something in the frame
// in which it joins, which is queued before the frame begins.
//
// Proves: R39
func TestAJoiningClientLeavesNoTombstones(t *testing.T) {
	p := withChannels(t, channel.Config{ID: peer.FirstUser, Name: "greetings"})
	everybody := func(what func(repl.Slot)) {
		p.tick++
		p.world.Begin(p.tick)
		for s := range repl.Slot(sender.MaxTombstones + 1) {
			what(s)
		}
		p.world.Commit()
	}
	everybody(func(s repl.Slot) { p.world.Spawn(s, set.MaskOf(0)) })
	everybody(p.world.Despawn)
	for !p.server.Open() {
		p.step()
	}
	require.NoError(t, p.server.Send(peer.FirstUser, []byte("welcome"), 0, p.now))
	p.run(10)
	require.NoError(t, p.slow)
	assert.Equal(t, []string{"welcome"}, p.mail.got)
	assert.Zero(t, p.server.Tombstones())
}
