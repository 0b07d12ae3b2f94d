package rewind

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// A record holds which of the newest 64 updates arrived, the one before these, and of the newest 32 by which packet,
// whatever the order of the acknowledgements is. Of an older one the first packet of the tick stands for all, and a tick
// without an update has no packet of another tick.
//
// Proves: L1
func TestARecordEqualsPlainTwin(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 33))
		const ticks = 300
		first := entangle.Tick(rng.Uint32())
		var r Received
		r.Begin(Group{}, first)
		r.LateFramesReported()
		r.AcksHandled(true)
		rec := r.record(Group{})
		ids := map[entangle.Tick]uint16{} // the first packet of each tick
		by := map[entangle.Tick]uint16{}  // the packet of each update
		var waiting []entangle.Tick       // updates that are not acknowledged yet
		id, seldom, newest := uint16(rng.Uint32()), 1+rng.IntN(30), first
		for tick := first; tick != first+ticks; tick++ {
			ids[tick] = id
			packets := 1 + rng.IntN(5)
			for range packets {
				r.Sent(id, tick)
				id++
			}
			if tick == first {
				by[tick] = ids[tick]
				r.Arrived(by[tick])
				r.Deliver(Group{}, tick)
			} else if rng.IntN(seldom) == 0 {
				by[tick] = ids[tick] + uint16(rng.IntN(packets))
				waiting = append(waiting, tick)
			}
			for k := len(waiting) - 1; k >= 0; k-- {
				if of := waiting[k]; rng.IntN(12) == 0 || tick.Sub(of) > 60 || tick == first+ticks-1 {
					r.Arrived(by[of])
					r.Acknowledge(Group{}, of)
					if newest.Before(of) {
						newest = of
					}
					waiting = append(waiting[:k], waiting[k+1:]...)
				}
			}
		}
		require.Equal(t, newest, rec.newest)
		prior := first
		for tick := range by {
			if newest.Sub(tick) >= 64 && prior.Before(tick) {
				prior = tick
			}
		}
		assert.Equal(t, prior, rec.prior, "seed %d", seed)
		for back := range 64 {
			tick := newest - entangle.Tick(back)
			if tick.Before(first) || (first+ticks-1).Sub(tick) >= tickRows {
				break
			}
			sent, there := by[tick]
			require.Equal(t, there, rec.mask>>back&1 > 0, "seed %d, %d ticks ago", seed, back)
			switch p := r.packetBy(rec, tick); {
			case there && back < heldPackets:
				require.Equal(t, sent, p.id, "seed %d, %d ticks ago", seed, back)
			case back >= heldPackets:
				require.Equal(t, ids[tick], p.id, "seed %d, %d ticks ago", seed, back)
			case p != nil:
				require.Equal(t, tick, p.tick)
			}
		}
	}
}

// If the updates of an entity are far apart, a view has the value of the newest update that arrived before its time.
//
// Proves: L1
func TestAnUpdateOfLongAgoIsShown(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(40); tick <= 180; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch tick {
		case 40:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 100, 110, 120, 180:
			w.receive(tick)
		}
		w.endFrame(float64(tick)-3.5, false)
	}
	v, ok := w.at(mark, 115)
	assert.True(t, ok)
	assert.InDelta(t, 1100, v, 1e-3)
}

// The samples of an entity with late updates are found for others too, if they depend on the same. They differ if the entity
// joined the group later, or is shown with another interval or at another time, and when the client has told of more late
// frames.
//
// Proves: L1
func TestSamplesAreFoundAgainForOthers(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 124; tick++ {
		w.run(tick, 10*float64(tick), 0)
		if tick == 100 {
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		} else if tick%4 == 0 && tick < 120 {
			w.receive(tick)
		}
		w.screen(float64(tick) + 1.5)
	}
	type entity struct {
		every  int
		joined entangle.Tick
		at     float64
	}
	show := func(entities ...entity) (v float64) {
		w.view.Reset(w.History, &w.Received)
		for _, e := range entities {
			require.True(t, w.add(e.every, e.joined, shown(e.at)))
		}
		values, absent := w.view.Values(spot)
		require.Len(t, absent, len(entities))
		return number(values[8*(len(entities)-1):])
	}
	first := entity{1, 100, 117.75}
	assert.Equal(t, show(first), show(first, first))
	for _, other := range []entity{{1, 116, 117.75}, {6, 100, 117.75}, {1, 100, 113.5}} {
		assert.NotEqual(t, show(first), show(other))
		assert.Equal(t, show(other), show(first, other), "%v", other)
		assert.Equal(t, show(first), show(other, first), "%v", other)
	}
	before := show(first)
	for k := range w.packets {
		w.packets[k].late = false
	}
	assert.NotEqual(t, before, show(first), "as if none had been late")
}

// Packets that are acknowledged together are sorted by their arrival: what was late came after all that had arrived before
// its frame, and before what came later and was in time.
//
// Proves: L1, L4
func TestPacketsAreSortedByArrival(t *testing.T) {
	for _, c := range []struct {
		what        string
		frames      []timesync.LateFrame
		acked, want []uint16
	}{
		{"none was late", nil, []uint16{65535, 0, 2}, []uint16{65535, 0, 2}},
		{"one was late, and the next was not", []timesync.LateFrame{{Newest: 1, Later: 1}}, []uint16{0, 1, 2, 3, 4}, []uint16{0, 1, 2, 3, 4}},
		{"one was overtaken", []timesync.LateFrame{{Newest: 2, Overtaken: 0b10}}, []uint16{65535, 0, 1, 2, 3}, []uint16{65535, 1, 2, 0, 3}},
		{"two were overtaken by two", []timesync.LateFrame{{Newest: 1, Later: 0b1010}, {Newest: 5, Overtaken: 0b1}, {Newest: 5, Overtaken: 0b100}}, []uint16{1, 2, 3, 4, 5, 6}, []uint16{1, 3, 5, 4, 2, 6}},
	} {
		var r Received
		for _, id := range c.acked {
			r.Sent(id, 100)
		}
		for i := range c.frames {
			r.LateFrame(&c.frames[i])
		}
		r.SortByArrival(c.acked)
		assert.Equal(t, c.want, c.acked, c.what)
	}
}
