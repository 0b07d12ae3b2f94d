package peer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// What a message names that waits for long is not another entity when it arrives.
func TestAWaitingMessageKeepsTheNamesOfItsTime(t *testing.T) {
	p := newPair(t, 1, 1)
	slow := []channel.Config{{ID: peer.FirstUser, Name: "slow", SendEvery: time.Hour}}
	var err error
	p.server, err = peer.New(peer.Config{Registry: registry(1), Client: 7, World: p.world, Channels: slow, Inbox: &p.mail})
	require.NoError(t, err)
	p.client, err = peer.New(peer.Config{Registry: registry(1), Copy: receiver.New(&p.shown, nil, 1), Channels: slow, Inbox: &p.mail})
	require.NoError(t, err)
	change := func(f func()) {
		p.also = f
		p.step()
		p.also = nil
		p.run(300)
	}
	p.run(20)
	change(func() { p.world.Spawn(1, repl.MaskOf(0)) })
	name, ok := p.world.ID(1)
	require.True(t, ok)
	for range 2 { // the second waits an hour
		require.NoError(t, p.server.Send(peer.FirstUser, []byte("about 1"), 0, p.now))
		p.step()
	}
	change(func() { p.world.Despawn(1) })
	change(func() { p.world.Spawn(2, repl.MaskOf(0)) })
	other, _ := p.world.ID(2)
	assert.NotEqual(t, name, other)
	p.now = p.now.Add(time.Hour)
	p.run(20)
	assert.Len(t, p.mail.got, 2)
	change(func() { p.world.Spawn(3, repl.MaskOf(0)) })
	third, _ := p.world.ID(3)
	assert.Equal(t, name, third)
}
