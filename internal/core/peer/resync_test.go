package peer_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// unappliable returns an updates frame with a change of a member that the group does not have in p's
// world, so that the client requests the group in full.
func (p *pair) unappliable(at group.Place) (tick entangle.Tick, frame []byte) {
	w := sender.NewWorld(&p.source, 1)
	other := w.NewPeer()
	w.Begin(p.tick - 5)
	for s := range repl.Slot(2) {
		w.SpawnAt(s, set.MaskOf(0), at)
	}
	w.Commit()
	if at.Private {
		other.Show(1)
	}
	other.AppendActions(nil, 1000)
	other.ActionsSent(1)
	w.Begin(p.tick + 1)
	w.Change(0, []repl.Slot{1})
	w.Commit()
	return p.tick + 1, other.AppendUpdates(nil, 1000, 1)
}

// A group that a client cannot update any more is sent to it in full, whether the group is public
// or private.
func TestAGroupThatAClientCannotFollowIsSentInFull(t *testing.T) {
	for name, at := range map[string]group.Place{"public": {Name: 1}, "private": {Name: 1, Private: true}} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, 1, 1)
			copied := receiver.New(&p.shown, 1)
			client, err := peer.New(peer.Config{Registry: registry(1), Receiver: copied, Inbox: &inbox{}})
			require.NoError(t, err)
			p.client = client
			p.run(30)
			p.source.values[1] = 5
			p.also = func() {
				p.world.SpawnAt(1, set.MaskOf(0), at)
				if p.also = nil; at.Private {
					p.server.Replication().Show(1)
				}
			}
			p.run(30)
			require.Len(t, p.shown.values, 1)

			require.NoError(t, copied.HandleUpdates(p.unappliable(at)))
			require.EqualValues(t, 1, copied.Stats().Resyncs)
			p.run(60)
			assert.EqualValues(t, 1, p.world.Stats().Resyncs, "it was asked for, and sent in full")
			assert.Equal(t, p.source.values, p.shown.values)
		})
	}
}

// A group that is resent in full costs its client work by the number of members, also after the
// connection was closed.
//
// Proves: Z21
func TestAGroupThatIsAskedForAgainCostsByItsMembers(t *testing.T) {
	work := func(members repl.Slot) int {
		p := newPair(t, 1, 1)
		p.run(30)
		p.also = func() {
			for s := range members {
				p.source.values[s] = uint32(s)
				p.world.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1})
			}
			p.also = nil
		}
		p.run(30)
		before := p.server.Work()
		require.NoError(t, p.server.HandlePayload(controlPacket(t, []byte{3, 0, 0, 0, 0}, p.now), p.now))
		p.run(5)
		after := p.server.Work()
		p.server.Close()
		assert.Equal(t, after, p.server.Work())
		return int(after - before)
	}
	assert.Equal(t, 3*10, work(11)-work(1))
}

// A client may request a group in full by any handle that can exist, and by no other.
func TestAResyncNamesHandles(t *testing.T) {
	for _, test := range []struct {
		handle uint32
		ok     bool
	}{
		{0, true},
		{uint32(repl.Private) - 1, true},
		{uint32(repl.Private), true},
		{uint32(repl.EndOfHandles) - 1, true},
		{uint32(repl.EndOfHandles), false},
		{1<<32 - 1, false},
	} {
		p := newPair(t, 1, 1)
		p.run(30)
		body := binary.LittleEndian.AppendUint32([]byte{3}, test.handle)
		err := p.server.HandlePayload(controlPacket(t, body, p.now), p.now)
		if test.ok {
			assert.NoError(t, err, "handle %d", test.handle)
		} else {
			assert.ErrorIs(t, err, peer.ErrControl, "handle %d", test.handle)
		}
	}
}

// controlPacket returns a payload with the second control message of a client.
func controlPacket(t *testing.T, body []byte, now time.Time) []byte {
	var mux channel.Mux
	err := mux.Init([]channel.Config{{ID: peer.Control, Name: "control", Mode: channel.OrderedReliable, Class: channel.Control}}, channel.Limits{})
	require.NoError(t, err)
	for _, b := range [][]byte{{0}, body} { // the first body stands for the hello, which has arrived
		_, err = mux.Send(peer.Control, b, 0, now)
		require.NoError(t, err)
	}
	payload := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: 1000})
	payload, _ = mux.AppendFrames(payload, 500, 1, now, time.Second)
	return mux.Finish(payload)
}
