package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

// watcher is a client of a world of which it is recorded what it has received.
type watcher struct {
	t       *testing.T
	world   *sender.World
	peer    *sender.Peer
	packet  uint16
	history *rewind.History
	view    rewind.View
}

func newWatcher(t *testing.T) *watcher {
	w := &watcher{t: t, world: sender.NewWorld(sized{}, 1)}
	w.world.StateIntervals(0) // so that the client shows all in the past
	w.world.RecordReceived(func(s repl.Slot) (rewind.Target, set.Mask) {
		return rewind.Target{Slot: uint32(s), Entity: uint64(s)}, set.Mask{}
	})
	w.history = rewind.NewHistory([]snapshot.Kind{{Size: 8}}, 60, 92)
	w.world.Begin(1000)
	w.world.Commit()
	w.peer = w.world.NewPeer()
	return w
}

// tick runs a tick with a change, of which nothing is sent.
func (w *watcher) tick(change func()) entangle.Tick {
	tick(w.world, change)
	now := w.world.Tick()
	w.history.Begin(now, 8)
	w.history.MarkSent()
	rewind.MarkPresent(w.history, 0, []uint32{0, 1, 2})
	w.peer.Received().Sent(uint16(now), now)
	w.peer.Received().Arrived(uint16(now))
	w.peer.Received().LateFramesReported()
	w.peer.Received().AcksHandled(true)
	return now
}

// run runs ticks, and delivers what is sent in each.
func (w *watcher) run(ticks int) {
	for range ticks {
		w.tick(func() {})
		w.send()
	}
}

// send delivers what there is to send.
func (w *watcher) send() {
	for range messages(w.peer, w.packet) {
		w.peer.HandleDelivered(w.packet)
		w.packet++
	}
}

func (w *watcher) shown(s repl.Slot) bool {
	_, ok := w.peer.ShownNow(s)
	return ok
}

// departed returns the entities that the client has lost since it showed a tick.
func (w *watcher) departed(at entangle.Tick) (all []uint64) {
	w.view.Reset(w.history, w.peer.Received())
	w.view.AddDeparted(screenAt(timesync.ShownAt(at, 0)))
	return append(all, w.view.Entities()...)
}

// screenAt is a client that shows everything as of a time, and has lost all that it has had.
type screenAt timesync.Shown

func (s screenAt) Time(int) timesync.Shown                            { return timesync.Shown(s) }
func (s screenAt) Find(rewind.Slot, uint64) (p rewind.Place, ok bool) { return p, false }

// A peer is shown what it was sent: an entity that joins its group from when that is sent, one of a group that is hidden
// until that is sent, and none of a group that is retained, until the group is sent again.
//
// Proves: L4
func TestAPeerIsShownWhatItWasSent(t *testing.T) {
	w := newWatcher(t)
	w.tick(func() {
		w.world.SpawnAt(0, set.MaskOf(0), den)
		require.True(t, w.peer.Show(0))
	})
	assert.False(t, w.shown(0))
	w.send()
	assert.True(t, w.shown(0))

	w.tick(func() { w.world.SpawnAt(1, set.MaskOf(0), den) })
	assert.True(t, w.shown(0))
	assert.False(t, w.shown(1), "that it has joined is not sent yet")
	w.send()
	assert.True(t, w.shown(1))

	w.tick(func() { require.True(t, w.peer.Retain(0)) })
	assert.False(t, w.shown(0), "it stands still on the screen")
	w.run(3)
	w.tick(func() { w.peer.Show(0) })
	assert.False(t, w.shown(0), "it is not sent yet")
	w.send()
	assert.True(t, w.shown(0))

	w.tick(func() { w.peer.Hide(0) })
	for s := range repl.Slot(2) {
		at, ok := w.peer.ShownNow(s)
		assert.True(t, ok && at.Ended, "that the client may not see it any more is not sent yet")
	}
	w.send()
	assert.False(t, w.shown(0) || w.shown(1))
	assert.False(t, w.shown(7), "there is no such entity")
}

// What a peer loses is recorded once, with the entities that it had: those of a retained group when that begins.
//
// Proves: L4
func TestAPeerLosesWhatItHad(t *testing.T) {
	w := newWatcher(t)
	w.tick(func() {
		w.world.SpawnAt(0, set.MaskOf(0), den)
		require.True(t, w.peer.Show(0))
	})
	w.run(20)
	retained := w.tick(func() { require.True(t, w.peer.Retain(0)) })
	w.run(6)
	assert.Equal(t, []uint64{0}, w.departed(retained-1))
	w.tick(func() { w.peer.Show(0) })
	w.run(10)
	assert.Equal(t, []uint64{0}, w.departed(retained-1), "that it was sent again is no second loss")
	assert.Empty(t, w.departed(retained+2), "it stood still")

	w.tick(func() { require.True(t, w.peer.Retain(0)) })
	w.run(6)
	ended := w.tick(func() { w.peer.Hide(0) })
	w.run(3)
	assert.Empty(t, w.departed(ended-1), "it stood still when it was hidden")
}

// An entity that joined a group, of which the peer was told only that it has ended, is not among its losses.
//
// Proves: L4
func TestAPeerLosesNothingThatItWasNotSent(t *testing.T) {
	w := newWatcher(t)
	w.tick(func() {
		w.world.SpawnAt(0, set.MaskOf(0), den)
		require.True(t, w.peer.Show(0))
	})
	w.run(20)
	joined := w.tick(func() { w.world.SpawnAt(1, set.MaskOf(0), den) })
	for range 2 {
		w.tick(func() {})
	}
	w.tick(func() { w.peer.Hide(0) })
	w.run(3)
	assert.Equal(t, []uint64{0}, w.departed(joined+1))
}

// A peer has the whole of a group unless a view hides some of it, and again without that view.
//
// Proves: L4
func TestAPeerHasTheWholeOfAGroupThatNothingHides(t *testing.T) {
	w := newWatcher(t)
	w.tick(func() {
		for s := range repl.Slot(2) {
			w.world.SpawnAt(s, set.MaskOf(0), group.Place{})
		}
	})
	assert.Zero(t, w.peer.HasWhole(0, 2), "it is not sent")
	w.send()
	assert.Equal(t, 2, w.peer.HasWhole(0, 2))
	w.tick(func() { require.True(t, w.peer.SetView(0, view.Hidden{Slot: 0, Comps: set.MaskOf(0)})) })
	w.run(3)
	assert.Zero(t, w.peer.HasWhole(0, 2))
	assert.Equal(t, 1, w.peer.HasWhole(1, 1))
	w.tick(func() { require.True(t, w.peer.SetView(0)) })
	w.run(3)
	assert.Equal(t, 2, w.peer.HasWhole(0, 2))
}
