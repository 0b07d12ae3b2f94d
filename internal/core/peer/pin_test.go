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
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// withChannels returns a pair with channels of a game.
func withChannels(t testing.TB, channels ...channel.Config) *pair {
	p := newPair(t, 1, 1)
	var err error
	p.server, err = peer.New(peer.Config{Registry: registry(1), Client: 7, World: p.world, Channels: channels, Inbox: &p.mail})
	require.NoError(t, err)
	p.client, err = peer.New(peer.Config{Registry: registry(1), Receiver: receiver.New(&p.shown, nil, 1), Channels: channels, Inbox: &p.mail})
	require.NoError(t, err)
	return p
}

// If a message with a network id waits for long, the id does not mean another entity when the
// message arrives.
func TestAWaitingMessageKeepsTheNamesOfItsTime(t *testing.T) {
	p := withChannels(t, channel.Config{ID: peer.FirstUser, Name: "slow", SendEvery: time.Hour})
	change := func(f func()) {
		p.also = f
		p.step()
		p.also = nil
		p.run(300)
	}
	p.run(20)
	change(func() { p.world.Spawn(1, set.MaskOf(0)) })
	name, ok := p.world.ID(1)
	require.True(t, ok)
	for range 2 { // the second message waits an hour
		require.NoError(t, p.server.Send(peer.FirstUser, []byte("about 1"), 0, p.now))
		p.step()
	}
	change(func() { p.world.Despawn(1) })
	change(func() { p.world.Spawn(2, set.MaskOf(0)) })
	other, _ := p.world.ID(2)
	assert.NotEqual(t, name, other)
	p.now = p.now.Add(time.Hour)
	p.run(20)
	assert.Len(t, p.mail.got, 2)
	change(func() { p.world.Spawn(3, set.MaskOf(0)) })
	third, _ := p.world.ID(3)
	assert.Equal(t, name, third)
}

// Network ids are not reused from the oldest unacknowledged message on, even if an earlier one has
// arrived. A client that always acknowledges the oldest message, and never all, is limited like one
// that acknowledges nothing.
//
// Proves: R39
func TestNamesAreHeldUpSinceTheOldestMessageThatWaits(t *testing.T) {
	p := withChannels(t,
		channel.Config{ID: peer.FirstUser, Name: "slow", SendEvery: 10 * time.Second},
		channel.Config{ID: peer.FirstUser + 1, Name: "slower", SendEvery: time.Hour})
	p.run(20)
	say := func(on channel.ID) { require.NoError(t, p.server.Send(on, []byte("who was there"), 0, p.now)) }
	pass := func(ticks int) {
		for range ticks {
			p.tickWith(func() { p.world.Spawn(1, set.MaskOf(0)) })
			p.tickWith(func() { p.world.Despawn(1) })
		}
	}
	say(peer.FirstUser)
	say(peer.FirstUser + 1)
	pass(1)
	say(peer.FirstUser) // waits for 10 s, and the next one for an hour
	pass(100)
	say(peer.FirstUser + 1)
	pass(50)
	require.Len(t, p.mail.got, 2)
	assert.InDelta(t, 150, p.server.HeldUp(), 2)
	pass(200)
	require.Len(t, p.mail.got, 3)
	assert.InDelta(t, 250, p.server.HeldUp(), 2)
}

// A joining client does not prevent the reuse of network ids that were freed before, even if it is
// sent something in the frame in which it joins, which is queued before the frame begins.
//
// Proves: R39
func TestAJoiningClientHoldsUpNoEarlierIDs(t *testing.T) {
	p := withChannels(t, channel.Config{ID: peer.FirstUser, Name: "greetings"})
	everybody := func(what func(repl.Slot)) {
		p.tick++
		p.world.Begin(p.tick)
		for s := range repl.Slot(sender.MaxHeldUp + 1) {
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
	assert.Zero(t, p.server.HeldUp())
}
