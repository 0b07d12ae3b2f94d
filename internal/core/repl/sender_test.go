package repl_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// sized is a source of one component with values of chosen sizes in bits.
type sized struct{ bits map[repl.Slot]int }

func (s sized) Encode(w *bits.Writer, slot repl.Slot, _ int, _ *repl.RefTable) {
	for left := s.bits[slot]; left > 0; left -= 64 {
		w.Bits(0, uint(min(left, 64)))
	}
}

// tick makes a change in a world, in a tick.
func tick(w *sender.World, change func()) {
	w.Begin(w.Tick() + 1)
	change()
	w.Commit()
}

// messages returns all action messages that a peer can be sent now, with names from first on.
func messages(p *sender.Peer, first uint16) (all [][]byte) {
	for {
		m := p.AppendActions(nil, 300)
		if len(m) == 0 {
			return all
		}
		p.ActionsSent(first + uint16(len(all)))
		all = append(all, m)
	}
}

// deliver sends a peer all action messages that it can be sent now, with names from first on, which arrive.
func deliver(p *sender.Peer, first uint16) {
	for i := range messages(p, first) {
		p.HandleDelivered(first + uint16(i))
	}
}

// A changed value is sent once, if nothing is lost, however long its acknowledgement takes. On a
// usual line it is sent hardly more often.
func TestAChangeIsSentOnce(t *testing.T) {
	for _, c := range []struct{ loss, most float64 }{{0, 1}, {0.05, 1.1}} {
		n := newNetwork(t, 5, 3, 0)
		n.delay, n.loss = 3, c.loss
		n.join()
		n.step(func() {
			for range 50 {
				n.spawnAt(group.Place{})
			}
		})
		for range 40 {
			n.step(func() {})
		}
		before, changes := n.world.Stats().Updates, 0
		for range 500 {
			n.step(func() {
				for slot, e := range n.model.entities {
					if e.mask.Has(1) && n.rng.IntN(10) == 0 {
						n.set(slot, 1, e.values[1]+1)
						changes++
					}
				}
			})
		}
		sent := float64(n.world.Stats().Updates-before) / float64(changes)
		assert.GreaterOrEqual(t, sent, 1.0)
		assert.LessOrEqual(t, sent, c.most, "loss %v", c.loss)
		n.loss = 0
		n.settle()
		n.requireEqual(n.peers[0])
	}
}

// Of a group, the oldest unacknowledged action and at most three after it are in flight. Further
// changes are sent together in one action.
func TestActionsWaitForTheOldest(t *testing.T) {
	n := newNetwork(t, 1, 3, 0)
	e := n.join()
	n.step(func() { n.spawn() })
	slot := repl.Slot(0)
	n.step(func() {})
	p := e.peer
	var under [][]byte
	for i := range 20 {
		tick(n.world, func() { n.reshape(slot, n.model.entities[slot]) })
		got := messages(p, uint16(100+i))
		under = append(under, got...)
		if i == 8 {
			p.HandleDelivered(101)
			p.HandleDelivered(102)
			p.HandleDelivered(103)
		}
	}
	require.Len(t, under, repl.MaxActionsInFlight)
	p.HandleDelivered(100)
	last := messages(p, 200)
	require.Len(t, last, 1)
	assert.True(t, len(messages(p, 300)) == 0 && !p.ActionsDue())
	for _, m := range append(under, last...) {
		require.NoError(t, e.copy.HandleActions(m))
	}
	for _, shown := range e.sink.entities {
		assert.Equal(t, n.model.entities[slot], shown.entity)
	}
}

// The end of a group, too, waits while four of its actions are in flight, or fragments of one that is too large
// for a packet. Ends beside it do not.
//
// Proves: R23
func TestAnEndWaitsForActionsInFlight(t *testing.T) {
	sizes := sized{map[repl.Slot]int{}}
	w := sender.NewWorld(sizes, 1)
	p := w.NewPeer()
	name := uint16(0)
	send := func(change func()) (groups int) {
		tick(w, change)
		for len(p.AppendActions(nil, 300)) > 0 {
			name++
			groups += p.ActionsSent(name)
		}
		return groups
	}
	deliver := func() {
		for n := range name {
			p.HandleDelivered(n + 1)
		}
	}
	require.Equal(t, 4, send(func() {
		for s := range repl.Slot(4) {
			w.Spawn(s, set.MaskOf(0))
		}
	}))
	deliver()
	sizes.bits[2] = 8 * 1200
	tick(w, func() { w.Change(0, []repl.Slot{2}) })
	p.Prepare()
	require.Empty(t, p.AppendUpdates(nil, 1000, 1))
	require.Equal(t, 1, send(func() {}), "as an action, which is sent in fragments")
	for range repl.MaxActionsInFlight {
		require.Equal(t, 1, send(func() { w.Reshape(1, set.MaskOf(0), set.Mask{}) }))
	}
	assert.Equal(t, 2, send(func() {
		for s := range repl.Slot(4) {
			w.Despawn(s)
		}
	}))
	assert.Zero(t, send(func() {}))
	deliver()
	assert.Equal(t, 2, send(func() {}))
	deliver()
	send(func() {})
	assert.True(t, p.Idle())
}

// A handle is not reused before every peer has acknowledged all actions of the group, whether it
// was despawned or orphaned.
func TestAHandleIsTakenUntilItsEndIsAcknowledged(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	a, b := w.NewPeer(), w.NewPeer()
	group := func(s repl.Slot) repl.Handle { id, _ := w.ID(s); return id.Group }
	tick(w, func() { w.Spawn(0, set.MaskOf(0)); w.Spawn(1, set.MaskOf(0)) })
	messages(a, 0)
	messages(b, 0)
	tick(w, func() { w.Despawn(0); w.Abandon(1) })
	require.Len(t, messages(a, 10), 1)
	require.Len(t, messages(b, 10), 1)
	a.HandleDelivered(0)
	a.HandleDelivered(10)
	b.HandleDelivered(10) // the end overtook the full
	for range 1000 {
		tick(w, func() {})
	}
	tick(w, func() { w.Spawn(2, set.MaskOf(0)) })
	assert.EqualValues(t, 2, group(2))
	b.HandleDelivered(0)
	for range 1000 {
		tick(w, func() {})
	}
	tick(w, func() { w.Spawn(3, set.MaskOf(0)); w.Spawn(4, set.MaskOf(0)) })
	assert.ElementsMatch(t, []repl.Handle{0, 1}, []repl.Handle{group(3), group(4)})
}

// A peer that disconnects no longer keeps any handle from being reused.
func TestAHandleIsFreeWhenItsLastHolderGoes(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	tick(w, func() { w.Spawn(0, set.MaskOf(0)) })
	messages(p, 0)
	tick(w, func() { w.Despawn(0) })
	p.Close()
	for range 1000 {
		tick(w, func() {})
	}
	tick(w, func() { w.Spawn(1, set.MaskOf(0)) })
	id, ok := w.ID(1)
	assert.True(t, ok)
	assert.Zero(t, id.Group)
}

// The peers keep orphaned entities as they had them, and receive nothing more about them.
func TestWhatIsAbandonedStaysAsItIs(t *testing.T) {
	for _, place := range []group.Place{{}, {Name: 1}} {
		n := newNetwork(t, 1, 3, 0)
		e := n.join()
		n.step(func() { n.spawnAt(place); n.spawnAt(place) })
		n.step(func() {})
		before := maps.Clone(e.sink.entities)
		require.Len(t, before, 2)
		for slot := range repl.Slot(2) {
			n.step(func() {
				n.abandon(slot)
			})
			for range 3 {
				n.step(func() {})
			}
			assert.Equal(t, before, e.sink.kept(), "after %d", slot)
		}
		assert.Zero(t, e.copy.Len())
		assert.True(t, e.peer.Idle())
	}
}

// No message is longer than a channel allows. A group that needs a longer one is not sent at all,
// and is reported once for each change of its structure.
func TestAGroupThatIsTooLargeIsReportedAndNotSent(t *testing.T) {
	refused := 0
	for below := 0; below < 1600; below += 40 {
		source := sized{map[repl.Slot]int{0: (repl.MaxGroupBytes - below) * 8}}
		w := sender.NewWorld(source, 1)
		p, other := w.NewPeer(), w.NewPeer()
		tick(w, func() { w.Spawn(0, set.MaskOf(0)) })
		sent := messages(p, 0)
		messages(other, 0)
		tick(w, func() { w.Change(0, []repl.Slot{0}) })
		sent = append(sent, messages(p, 10)...)
		assert.Equal(t, len(sent) == 0, w.Stats().TooLarge > 0)
		if len(sent) > 0 {
			require.LessOrEqual(t, len(sent[0]), channel.MaxMessage)
			continue
		}
		refused++
		slot, ok := w.PollRefused()
		assert.True(t, ok)
		assert.Zero(t, slot)
		_, ok = w.PollRefused()
		assert.False(t, ok)
		assert.Empty(t, p.AppendUpdates(nil, 1000, 1))
		source.bits[0] = 8
		tick(w, func() { w.Reshape(0, set.MaskOf(0), set.Mask{}) })
		assert.Len(t, messages(p, 20), 1)
	}
	assert.Positive(t, refused)
	assert.Less(t, refused, 40)
}

// An update that does not fit into a packet is sent as an action, one at a time.
//
// Proves: P9
func TestAnUpdateLargerThanAPacketIsAnAction(t *testing.T) {
	source := sized{map[repl.Slot]int{0: 2000 * 8}}
	w := sender.NewWorld(source, 1)
	p := w.NewPeer()
	tick(w, func() { w.Spawn(0, set.MaskOf(0)) })
	require.Len(t, messages(p, 0), 1)
	p.HandleDelivered(0)
	tick(w, func() { w.Change(0, []repl.Slot{0}) })
	assert.Empty(t, messages(p, 1))
	assert.Empty(t, p.AppendUpdates(nil, entangle.MaxPayload, 1))
	all := messages(p, 2)
	require.Len(t, all, 1)
	assert.Greater(t, len(all[0]), 2000)
	for range 5 { // no newer one begins before this one is sent completely
		tick(w, func() { w.Change(0, []repl.Slot{0}) })
		assert.Empty(t, messages(p, 3))
		assert.Empty(t, p.AppendUpdates(nil, entangle.MaxPayload, 1))
	}
	p.HandleDelivered(2)
	tick(w, func() {})
	assert.Empty(t, p.AppendUpdates(nil, entangle.MaxPayload, 1))
	assert.Len(t, messages(p, 4), 1)
}

// No frame is longer than its limit, no message of several groups is longer than its limit, and
// everything is sent in the end.
func TestNothingIsLongerThanItsRoom(t *testing.T) {
	for room := 1; room < entangle.MaxPayload; room += 1 + room/16 {
		n := newNetwork(t, uint64(room), 20, 0)
		e := n.join()
		tick(n.world, func() {
			for slot := range repl.Slot(60) {
				if alike := room%2 == 0; !alike {
					n.spawnAt(group.Place{})
					continue
				}
				e := entity{mask: set.MaskOf(0)}
				e.values[0] = uint32(slot)
				n.put(slot, e, group.Place{})
			}
		})
		send := func(more int) {
			for m := e.peer.AppendActions(nil, room); len(m) > 0; m = e.peer.AppendActions(nil, room) {
				e.peer.ActionsSent(0)
				e.peer.HandleDelivered(0)
				before := e.copy.Len()
				require.NoError(t, e.copy.HandleActions(m))
				if len(m) > room {
					require.Equal(t, before+more, e.copy.Len())
				}
			}
		}
		send(1)
		require.Equal(t, 60, e.copy.Len())
		tick(n.world, func() {
			for slot, was := range n.model.entities {
				n.write(slot, was)
			}
		})
		for pkt := uint16(1); ; pkt++ {
			frame := e.peer.AppendUpdates([]byte("head"), room, pkt)
			if len(frame) == len("head") {
				break
			}
			require.LessOrEqual(t, len(frame)-len("head"), room)
			require.NoError(t, e.copy.HandleUpdates(n.world.Tick(), frame[len("head"):]))
			e.peer.HandleAcked(pkt)
		}
		if room > 110 { // every update of such an entity fits
			n.requireEqual(e)
		}
		tick(n.world, func() {
			for slot := range n.model.entities {
				n.world.Despawn(slot)
			}
		})
		send(-1)
		require.Zero(t, e.copy.Len())
	}
}

// A peer that joins late is sent everything that exists, and nothing that does not exist any more.
func TestAPeerThatComesLate(t *testing.T) {
	n := newNetwork(t, 3, 13, 0)
	n.join()
	for range 100 {
		n.step(func() { n.randomChange() })
	}
	late := n.join()
	n.step(n.resumeAll)
	n.step(func() {})
	n.requireEqual(late)
}

// A world without any registered component still has entities.
func TestEntitiesWithoutComponents(t *testing.T) {
	w := sender.NewWorld(sized{}, 0)
	p := w.NewPeer()
	sink := newCopySink(0)
	c := receiver.New(sink, 0)
	tick(w, func() { w.Spawn(0, set.Mask{}); w.Spawn(1, set.Mask{}) })
	for _, m := range messages(p, 0) {
		require.NoError(t, c.HandleActions(m))
	}
	assert.Equal(t, 2, c.Len())
	tick(w, func() { w.Despawn(1) })
	for _, m := range messages(p, 10) {
		require.NoError(t, c.HandleActions(m))
	}
	assert.Len(t, sink.entities, 1)
}

// An entity in a reused slot is not reported to have lost the components of the slot's previous
// entity. In a world that begins late in the cycle of ticks, it is not reported to have lost
// components that it never had.
func TestNoComponentIsRemovedThatWasNeverSent(t *testing.T) {
	for _, start := range []entangle.Tick{0, 1 << 31, 1<<32 - 10} {
		t.Run(fmt.Sprint(start), func(t *testing.T) {
			w := sender.NewWorld(sized{}, 3)
			p := w.NewPeer()
			w.Begin(start)
			w.Spawn(0, set.MaskOf(0))
			w.Commit()
			messages(p, 0)
			tick(w, func() { w.Reshape(0, set.MaskOf(1), set.Mask{}) })
			m := messages(p, 10)
			require.Len(t, m, 1)
			var r bits.Reader
			r.Reset(m[0])
			heads := repl.Heads{Tick: entangle.Tick(r.Bits(32))}
			assert.False(t, r.Bool(), "no units")
			var rec repl.Record
			_, ok := heads.Read(&r, &rec)
			require.True(t, ok)
			assert.Equal(t, repl.Change, rec.Kind)
			assert.False(t, r.Bool(), "of predicting nothing")
			assert.False(t, r.Bool(), "no references")
			assert.False(t, r.Bool(), "no leavers")
			assert.True(t, r.Bool(), "alone")
			assert.False(t, r.Bool(), "nothing went")
			var comps set.Mask
			sets := repl.NewSets(3)
			require.True(t, sets.Read(&r, &comps))
			assert.Equal(t, set.MaskOf(1), comps)
		})
	}
}
