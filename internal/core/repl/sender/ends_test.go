package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// sizedSource is a source of values of some bytes.
type sizedSource int

func (n sizedSource) Encode(w *bits.Writer, _ repl.Slot, _ int, _ *repl.RefTable) {
	for range n {
		w.Bits(7, 8)
	}
}

// twins is two equal worlds with a peer each. Only the first writes ends of several groups together.
type twins struct {
	t        *testing.T
	worlds   [2]*World
	peers    [2]*Peer
	tick     entangle.Tick
	number   uint16
	inFlight []uint16 // messages
	packets  []uint16
}

func newTwins(t *testing.T, source encode.Source) *twins {
	d := &twins{t: t}
	for i := range d.worlds {
		d.worlds[i] = NewWorld(source, 2)
		d.peers[i] = d.worlds[i].NewPeer()
	}
	d.worlds[1].Unshare()
	return d
}

// step runs a tick with a change, and returns the number of messages of actions that each peer is sent.
func (d *twins) step(change func(w *World, p *Peer)) (messages int) {
	d.tick++
	for i, w := range d.worlds {
		w.Begin(d.tick)
		change(w, d.peers[i])
		w.Commit()
	}
	for {
		b, twin := d.peers[0].AppendActions(nil, 1000), d.peers[1].AppendActions(nil, 1000)
		require.Equal(d.t, twin, b, "tick %d", d.tick)
		if len(b) == 0 {
			return messages
		}
		messages++
		d.number++
		d.inFlight = append(d.inFlight, d.number)
		for _, p := range d.peers {
			p.ActionsSent(d.number)
		}
	}
}

// update sends the updates of a tick in one packet.
func (d *twins) update() {
	pkt := uint16(d.tick)
	require.Equal(d.t, d.peers[1].AppendUpdates(nil, 1000, pkt), d.peers[0].AppendUpdates(nil, 1000, pkt), "tick %d", d.tick)
	d.packets = append(d.packets, pkt)
}

func (d *twins) deliver() {
	for _, m := range d.inFlight {
		for _, p := range d.peers {
			p.HandleDelivered(m)
		}
	}
	d.inFlight = nil
}

// reuse spawns entities under the handles of groups that have ended. Their updates are sent again if they are lost.
func (d *twins) reuse() {
	for range 200 { // until the handles are free
		d.step(nothing)
	}
	d.step(func(w *World, _ *Peer) {
		for s := range repl.Slot(3) {
			w.Spawn(10+s, set.MaskOf(1))
		}
	})
	d.deliver()
	d.step(func(w *World, _ *Peer) { w.Change(1, []repl.Slot{10, 11, 12}) })
	d.update()
	for _, p := range d.peers {
		p.HandleLost(uint16(d.tick))
	}
	d.step(nothing)
	d.update()
}

func nothing(*World, *Peer) {}

// The end of a group among other ends is sent as it is alone: in the same tick, with the same bytes, and again in the
// same ticks after a loss. The next groups under their handles are sent alike, too.
//
// Proves: R26
func TestEndsThatAreSentTogetherAreSentAsAlone(t *testing.T) {
	const middle = 1 // of three groups with consecutive handles
	type act = func(w *World, p *Peer)
	despawn := func(w *World, _ *Peer) {
		for s := range repl.Slot(4) {
			w.Despawn(s)
		}
	}
	for name, c := range map[string]struct {
		before, change act
		ticks          int // with before
		updates        bool
		waits          bool // the end of the middle group is not sent before the actions in flight are delivered
	}{
		"alike":     {change: despawn},
		"predicted": {before: func(_ *World, p *Peer) { p.Predict(middle, true) }, ticks: 1, change: despawn},
		"predicted, with as many actions as the others": {
			before: func(w *World, p *Peer) {
				p.Predict(middle, true)
				for _, s := range []repl.Slot{0, 2} {
					w.Reshape(s, set.MaskOf(1), set.MaskOf())
				}
			},
			ticks: 1, change: despawn,
		},
		"in view":    {before: func(_ *World, p *Peer) { p.SetView(middle, view.Hidden{Slot: middle, Comps: set.MaskOf(1)}) }, ticks: 1, change: despawn},
		"hidden":     {before: func(_ *World, p *Peer) { p.SetView(middle, view.Hidden{Slot: middle, Whole: true}) }, ticks: 1, change: despawn},
		"unsent":     {before: func(w *World, _ *Peer) { w.Change(1, []repl.Slot{middle}) }, ticks: 1, updates: true, change: despawn},
		"fragmented": {before: func(w *World, _ *Peer) { w.Change(0, []repl.Slot{middle}) }, ticks: 2, updates: true, change: despawn, waits: true},
		"many actions in flight": {
			before: func(w *World, _ *Peer) { w.Reshape(middle, set.MaskOf(1), set.MaskOf()) },
			ticks:  repl.MaxActionsInFlight, change: despawn, waits: true,
		},
		"younger": {before: func(w *World, _ *Peer) { w.Reshape(2, set.MaskOf(1), set.MaskOf()); w.Spawn(3, set.MaskOf(0)) }, ticks: 1, change: despawn},
		"goes on": {change: func(w *World, _ *Peer) { w.Despawn(0); w.Reshape(middle, set.MaskOf(), set.MaskOf(1)); w.Despawn(2) }},
		"moves": {change: func(w *World, _ *Peer) {
			w.Despawn(0)
			w.Move(middle, group.Place{Name: 1})
			w.Despawn(2)
		}},
		"orphaned": {change: func(w *World, _ *Peer) { w.Despawn(0); w.Abandon(middle); w.Despawn(2) }},
	} {
		t.Run(name, func(t *testing.T) {
			var source encode.Source = sizedSource(1)
			if name == "fragmented" {
				source = sizedSource(repl.MaxUpdateBytes)
			}
			d := newTwins(t, source)
			d.step(func(w *World, _ *Peer) {
				for s := range repl.Slot(3) {
					w.Spawn(s, set.MaskOf(0, 1))
				}
			})
			d.deliver()
			for range c.ticks {
				d.step(c.before)
				if c.updates {
					d.update()
				}
			}
			require.Positive(t, d.step(c.change))
			for _, p := range d.peers {
				p.HandleLost(0)
			}
			assert.Equal(t, c.waits, d.peers[0].ActionsDue())
			for range 10 {
				for {
					m, ok := d.peers[0].PollAgain()
					twin, also := d.peers[1].PollAgain()
					require.True(t, m == twin && ok == also)
					if !ok {
						break
					}
				}
				d.step(nothing)
			}
			d.deliver()
			assert.Empty(t, d.peers[0].AppendMark(nil, 100), "nothing is predicted any more")
			d.step(nothing)
			assert.False(t, d.peers[0].ActionsDue())
			d.deliver()
			for i, p := range d.peers {
				p.HandleAcked(d.packets...)
				assert.True(t, p.Idle(), i)
			}
			d.reuse()
		})
	}
}

// A peer does not join groups that have ended, also if another peer has not acknowledged that.
func TestAJoinCountsNoEndedGroup(t *testing.T) {
	w := NewWorld(sizedSource(1), 2)
	first := w.NewPeer()
	w.Begin(1)
	for s := range repl.Slot(3) {
		w.Spawn(s, set.MaskOf(0))
	}
	w.Commit()
	require.NotEmpty(t, first.AppendActions(nil, 1000))
	w.Begin(2)
	w.Despawn(1)
	w.Commit()
	second := w.NewPeer()
	second.Join()
	assert.Equal(t, Progress{Of: 2, Begun: true}, second.Joining())
}
