package peer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

// What one header acknowledges has arrived with several packets: each entity with the one that it was sent in.
//
// Proves: L1, L4
func TestEachEntityArrivesWithItsPacket(t *testing.T) {
	p := newPair(t, 1, 1)
	p.world.RecordReceived(func(s repl.Slot) (rewind.Target, set.Mask) {
		return rewind.Target{Slot: uint32(s), Entity: uint64(s)}, set.Mask{}
	})
	p.run(30)
	require.True(t, p.server.Open())
	var sent uint16
	p.drops = func(from *peer.Peer, b []byte) bool {
		h, _, err := packet.ParseHeader(b)
		require.NoError(t, err)
		if from == p.server && h.Kind == packet.Data {
			sent = h.ID
		}
		return from == p.client
	}
	first := p.tick + 1
	for s := range repl.Slot(2) {
		p.also = func() {
			p.source.values[s] = 1
			p.world.Spawn(s, set.MaskOf(0))
		}
		p.step()
	}
	p.also, p.drops = nil, nil
	received := p.server.Replication().Received()
	received.LateFrame(&timesync.LateFrame{Screen: timesync.Screen{Base: timesync.ShownAt(p.tick+1, 0), Packets: 1}, Newest: sent - 1, Later: 1})
	p.run(5)
	received.LateFramesReported()
	received.AcksHandled(true)

	history := rewind.NewHistory([]snapshot.Kind{{Size: 8}}, 60, 30)
	for tick := first - 5; !p.tick.Before(tick); tick++ {
		history.Begin(tick, 2)
		history.MarkSent()
		rewind.MarkPresent(history, 0, []uint32{0, 1})
	}
	var view rewind.View
	shows := func(s repl.Slot, after entangle.Tick) bool {
		view.Reset(history, received)
		g, joined, ok := p.world.GroupOf(s)
		require.True(t, ok)
		return view.Add(&rewind.Entities{Slot: uint32(s), Group: g, Every: 1, Names: []uint64{7}, Joined: []entangle.Tick{joined}}, timesync.ShownAt(first+after, 0)) > 0
	}
	assert.True(t, shows(0, 1), "it was not late")
	assert.False(t, shows(1, 1), "it came when the screen showed a later time")
	assert.True(t, shows(1, 3))
}

// A group that takes several packets has arrived with the one that arrived last, also if that was not sent last.
//
// Proves: L4
func TestAGroupArrivesWithTheLastOfItsPackets(t *testing.T) {
	const members = 2000
	for _, late := range []int{0, 1} {
		p := newPair(t, 1, 1)
		p.world.RecordReceived(func(s repl.Slot) (rewind.Target, set.Mask) {
			return rewind.Target{Slot: uint32(s), Entity: uint64(s)}, set.Mask{}
		})
		p.run(30)
		var sent []uint16
		p.drops = func(from *peer.Peer, b []byte) bool {
			h, _, err := packet.ParseHeader(b)
			require.NoError(t, err)
			if from == p.server && h.Kind == packet.Data {
				sent = append(sent, h.ID)
			}
			return from == p.client
		}
		p.also = func() {
			for s := range repl.Slot(members) {
				p.source.values[s] = uint32(s) * 0x9e3779b9
				p.world.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1})
			}
		}
		p.step()
		p.also, p.drops = nil, nil
		first := p.tick
		require.GreaterOrEqual(t, len(sent), 2)
		received := p.server.Replication().Received()
		last := sent[len(sent)-1]
		f := timesync.LateFrame{Screen: timesync.Screen{Base: timesync.ShownAt(p.tick+2, 0), Packets: 1}, Newest: last - 1, Later: 1}
		if late == 0 { // the others have overtaken it
			f.Newest, f.Later, f.Overtaken = last, 0, 1<<(last-sent[0]-1)
		}
		received.LateFrame(&f)
		p.run(8)
		received.LateFramesReported()
		received.AcksHandled(true)

		history := rewind.NewHistory([]snapshot.Kind{{Size: 8}}, 60, 30)
		for tick := first - 5; !p.tick.Before(tick); tick++ {
			history.Begin(tick, members)
			history.MarkSent()
			rewind.MarkPresent(history, 0, []uint32{0})
		}
		g, joined, ok := p.world.GroupOf(0)
		require.True(t, ok)
		var view rewind.View
		for after, want := range map[entangle.Tick]bool{1: false, 3: true} {
			view.Reset(history, received)
			n := view.Add(&rewind.Entities{Group: g, Every: 1, Names: []uint64{7}, Joined: []entangle.Tick{joined}}, timesync.ShownAt(first+after, 0))
			assert.Equal(t, want, n == 1, "%d ticks later, packet %d late", after, late)
		}
	}
}

// A packet that reports late frames does so for all that it acknowledges. Without a report it is not known on which screen
// that arrived first.
//
// Proves: L1, L4
func TestAReportIsOfWhatItsPacketAcknowledges(t *testing.T) {
	for _, reports := range []bool{false, true} {
		p := newPair(t, 1, 1)
		p.world.RecordReceived(func(s repl.Slot) (rewind.Target, set.Mask) {
			return rewind.Target{Slot: uint32(s), Entity: uint64(s)}, set.Mask{}
		})
		p.run(30)
		require.True(t, p.server.Open())
		received := p.server.Replication().Received()
		p.mail.also = received.LateFramesReported
		require.NoError(t, p.client.Send(peer.FirstMessages, nil, 0, p.now)) // of what came before
		p.run(2)
		p.also = func() {
			p.source.values[0] = 1
			p.world.Spawn(0, set.MaskOf(0))
		}
		if reports {
			require.NoError(t, p.client.Send(peer.FirstMessages, nil, 0, p.now))
		}
		p.step()
		p.also = nil
		require.Len(t, p.shown.values, 1)
		first := p.tick
		if !reports {
			p.run(5) // until it is acknowledged
		}

		history := rewind.NewHistory([]snapshot.Kind{{Size: 8}}, 60, 30)
		for tick := first - 5; tick != first+8; tick++ {
			history.Begin(tick, 1)
			history.MarkSent()
			rewind.MarkPresent(history, 0, []uint32{0})
		}
		g, joined, ok := p.world.GroupOf(0)
		require.True(t, ok)
		var view rewind.View
		view.Reset(history, received)
		n := view.Add(&rewind.Entities{Group: g, Every: 1, Names: []uint64{7}, Joined: []entangle.Tick{joined}}, timesync.ShownAt(first+1, 0))
		assert.Equal(t, reports, n == 1)
	}
}
