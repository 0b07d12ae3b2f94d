package rewind

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

// An entity that has left its group is shown by what was received of the group then, however often the place of
// the group is used again.
//
// Proves: L1, L4
func TestDeparturesKeepWhatWasReceived(t *testing.T) {
	w := even(kinds(), 0)
	for _, entity := range []uint64{7, 8} {
		w.Depart(w.group, Target{Slot: 5, Entity: entity}, 1, 100, 118, set.Mask{}, false)
	}
	for range 2 {
		w.Received.Begin(w.group, 119)
		assert.Nil(t, w.departure(w.record(w.group).parted))
	}
	v, ok := w.at(spot, 113.5)
	assert.True(t, ok)
	assert.InDelta(t, 1135, v, 1e-3)
	assert.Equal(t, 2, w.view.Len())
}

// Departures of other groups are left alone when a group begins, also after the oldest are forgotten.
func TestABeginningKeepsOnlyItsDepartures(t *testing.T) {
	var r Received
	for n := range 3 * MaxDepartures / 2 {
		g := Group{Index: n % 5}
		if n < 5 {
			r.Begin(g, 100)
		}
		r.Depart(g, Target{}, 1, 100, 100+entangle.Tick(n), set.Mask{}, false)
	}
	r.Begin(Group{Index: 3}, 9000)
	kept, other := 0, 0
	for i := range r.departures.Len() {
		if d := r.departures.At(i); d.kept && d.group.Index == 3 {
			kept++
		} else if d.kept || d.group.Index == 3 {
			other++
		}
	}
	assert.InDelta(t, MaxDepartures/5, kept, 1)
	assert.Zero(t, other)
}

// An entity that joined a group late, and has left it, was not there before.
//
// Proves: L4
func TestADepartedEntityWasThereSinceItJoined(t *testing.T) {
	w := even(kinds(), 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 8}, 1, 112, 118, set.Mask{}, false)
	w.at(spot, 111.5)
	assert.Equal(t, 1, w.view.Len(), "the one that is there since tick 100")
	w.at(spot, 112.5)
	assert.Equal(t, 2, w.view.Len())
}

// Nobody is shown as of before it joined the group, also if the first update since then is forgotten.
//
// Proves: L4
func TestNothingIsShownAsOfBeforeItJoined(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 181; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 180:
			w.receive(tick)
		}
		w.screen(float64(tick) - 3.5)
	}
	w.view.Reset(w.History, &w.Received)
	assert.True(t, w.add(1, 104, shown(150)))
	values, _ := w.view.Values(spot)
	assert.InDelta(t, 1040, number(values), 1e-3)
}

// An update waits for the changes of structure before it, and for each of them.
//
// Proves: L1
func TestUpdatesWaitForTheStructure(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 320; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 300, 306:
			w.Received.Change(w.group, tick)
		default:
			w.receive(tick)
		}
		if tick == 318 {
			w.deliver(w.group, 300)
		}
		w.screen(float64(tick) - 5.5)
	}
	for time, want := range map[float64]float64{299: 2990, 301.5: 2990, 303.5: 2990, 310.5: 2990} {
		v, ok := w.at(spot, time)
		assert.True(t, ok)
		assert.InDelta(t, want, v, 1e-3, "at %v", time)
	}
	v, _ := w.at(spot, 314)
	assert.InDelta(t, 3050, v, 1e-3, "the second change has not arrived")
}

// If structure is missing for so long that all updates which are held wait for it, the one on the screen is forgotten,
// and the entity is left out.
//
// Proves: L1
func TestUpdatesWaitForTheStructureForLong(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 390; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 300:
			w.Received.Change(w.group, tick)
		default:
			w.receive(tick)
		}
		w.screen(float64(tick) - 5.5)
		if tick == 340 {
			v, ok := w.at(spot, 330)
			assert.True(t, ok)
			assert.InDelta(t, 2990, v, 1e-3)
		}
	}
	_, ok := w.at(spot, 380)
	assert.False(t, ok)
}

// What an update waited for is an update itself.
//
// Proves: L1
func TestALateStructureIsAnUpdate(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 120; tick++ {
		value := 10 * float64(tick)
		if tick == 110 {
			value = 5000
		}
		w.run(tick, value, 0)
		switch {
		case tick == 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case tick == 110:
			w.Received.Change(w.group, tick)
		case tick == 113:
			w.receive(tick)
			w.deliver(w.group, 110)
		default:
			w.receive(tick)
		}
		w.screen(float64(tick) - 8.5)
	}
	v, ok := w.at(spot, 109.5)
	assert.True(t, ok)
	assert.InDelta(t, (1090+5000)/2, v, 1e-3)
}

// Of several frames in which packets of a tick arrived, the first counts.
//
// Proves: L1
func TestTheFirstFrameOfATickCounts(t *testing.T) {
	w := even(kinds(), 0)
	for tick := entangle.Tick(100); tick <= 120; tick++ {
		w.packet(tick)
	}
	w.screen(121)
	v, _ := w.at(spot, 115)
	assert.InDelta(t, 1150, v, 1e-3)
}

// Where the packets of a tick arrived in several late frames, an update arrived in that of its own packet.
//
// Proves: L1
func TestAnUpdateArrivesWithItsOwnPacket(t *testing.T) {
	const second = 900 // id of another packet of tick 108
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 116; tick++ {
		w.run(tick, float64(tick-100)*10, 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 108:
			w.Sent(second, tick)
		case 112:
			w.receive(108)
		case 114:
			w.packet(second)
		}
		w.screen(float64(tick) - 8)
	}
	for id := uint16(200); id < 400; id += 2 { // a late frame counts once, however many packets it has
		w.Sent(id, w.now)
		w.Sent(id+1, w.now)
		w.LateFrame(&timesync.LateFrame{Screen: timesync.Screen{Base: shown(108), Packets: 1}, Newest: id - 1, Later: 3})
	}
	for time, want := range map[float64]float64{103: 0, 105: 20, 107: 60, 108: 80} {
		v, _ := w.at(spot, time)
		assert.InDelta(t, want, v, 1e-3, "at %v", time)
	}
}

// Ids of packets begin again after 65536. What arrived with an earlier packet did not come with the later one of its id,
// and a late frame tells of no packet but those that have its ids.
//
// Proves: L1
func TestAPacketWithAFormerIdIsAnother(t *testing.T) {
	const again = 100 + 1<<16
	w := newWorld(kinds())
	w.run(100, 1000, 0)
	w.Received.Begin(w.group, 100)
	w.deliver(w.group, 100)
	w.endFrame(90, false)
	for tick := entangle.Tick(101); tick < again-20; tick++ {
		w.Sent(uint16(tick), tick)
	}
	w.late = timesync.LateFrames{}
	for tick := entangle.Tick(again - 20); tick <= again+10; tick++ {
		w.run(tick, 10*float64(tick), 0)
		w.receive(tick)
		w.endFrame(float64(tick)-3.5, tick == again)
		w.LateFrame(&timesync.LateFrame{Screen: timesync.Screen{Base: shown(float64(tick)), Packets: 1}, Newest: uint16(tick) - packetRows - 1, Later: 1})
	}
	for _, time := range []float64{again - 10, again + 5} {
		v, ok := w.at(spot, time)
		assert.True(t, ok)
		assert.InDelta(t, 10*time, v, 1e-3)
	}
}

// An acknowledgement may come before the client tells of its late frames. Until it does, the update counts as one that has
// not arrived: it may have come in a frame after the one of the view.
//
// Proves: L1
func TestAnAcknowledgementDoesNotSayInWhichFrame(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 110; tick++ {
		w.run(tick, max(0, float64(tick)-105)*10, 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 110:
			w.receive(tick)
		}
		if tick < 110 {
			w.endFrame(float64(tick)-4, false)
		}
	}
	v, ok := w.at(spot, 105)
	assert.True(t, ok)
	assert.Zero(t, v)
	w.endFrame(105.5, true)
	v, _ = w.at(spot, 105)
	assert.Zero(t, v, "it came after this screen")
	v, _ = w.at(spot, 109)
	assert.InDelta(t, 50*3.5/4.5, v, 1e-3)
}

// The acknowledgement of an end may come before the client reports its late frames. Then the screen may have shown the
// end already, and the view leaves the entity out. The same holds for an entity that the client may have got again.
//
// Proves: L4
func TestAnAcknowledgedEndMayBeOnTheScreen(t *testing.T) {
	w := even(kinds(), 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 111, set.Mask{}, false)
	w.run(121, 0, 0)
	_, ok := w.departedAt(114)
	assert.True(t, ok, "the end has not arrived")
	w.packet(111)
	w.Deliver(w.group, 111)
	_, ok = w.departedAt(114)
	assert.False(t, ok)
	w.screen(113)
	_, ok = w.departedAt(112.5)
	assert.True(t, ok, "it came when the screen showed 113")
	other := Group{Index: 9}
	w.run(122, 0, 0)
	w.Received.Begin(other, 122)
	w.client = client{has: true, place: Place{Group: other, Joined: 122}}
	_, ok = w.departedAt(111)
	assert.True(t, ok)
	w.deliver(other, 122)
	_, ok = w.departedAt(111)
	assert.False(t, ok)
}

// A client ignores an update that a newer one of its group has overtaken. One that only a packet with other groups has
// overtaken is not ignored.
//
// Proves: L1
func TestAnOvertakenUpdateIsLeftOut(t *testing.T) {
	for by, want := range map[entangle.Tick][2]float64{105: {3010, 3030}, 106: {1030, 1050}} {
		w := newWorld(kinds())
		for tick := entangle.Tick(100); tick <= 110; tick++ {
			value := 10 * float64(tick)
			if tick == 104 {
				value = 5000
			}
			w.run(tick, value, 0)
			switch tick {
			case 100:
				w.Received.Begin(w.group, tick)
				w.deliver(w.group, tick)
			case 102:
				w.receive(tick)
			case 106:
				w.packet(by)
				if by == tick {
					w.Acknowledge(w.group, by)
				}
				w.endFrame(float64(tick)-7.5, false)
				w.receive(104)
				if by != tick {
					w.receive(tick)
				}
			}
			w.endFrame(float64(tick)-7.5, false)
		}
		for i, time := range []float64{103, 105} {
			v, ok := w.at(spot, time)
			assert.True(t, ok)
			assert.InDelta(t, want[i], v, 1e-3, "at %v, overtaken by the packet of %d", time, by)
		}
	}
}

// More movements that begin on the way of another one than are kept do not begin at a value of something else.
//
// Proves: L1
func TestManyLateUpdatesBeginAtSamples(t *testing.T) {
	w := newWorld(kinds())
	w.every = 8
	for tick := entangle.Tick(100); tick <= 130; tick++ {
		w.run(tick, 10*float64(tick), 0)
		if tick == 100 {
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		} else if tick <= 108 {
			w.receive(tick)
		}
		w.screen(float64(tick) + 10)
	}
	for i := range 8 {
		binary.NativeEndian.PutUint64(w.values(spot, w.scratch(uint32(i)), 1), math.Float64bits(1e9))
	}
	w.view.Reset(w.History, &w.Received)
	assert.True(t, w.add(8, 0, shown(118.9)))
	values, _ := w.view.Values(spot)
	assert.Equal(t, maxLegs, w.view.mover.n)
	assert.True(t, number(values) >= 1000 && number(values) <= 1080, "%v", number(values))
}

// A component that is removed is shown up to the tick in which that is sent, also if the news have not arrived.
//
// Proves: L4
func TestARemovedComponentIsShownUntilThatIsSent(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 120; tick++ {
		w.History.Begin(tick, 8)
		if tick%5 == 0 {
			w.MarkSent()
		}
		if tick < 112 {
			MarkPresent(w.History, spot, []uint32{5})
		}
		if tick == 100 {
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		}
		w.screen(float64(tick) - 5)
	}
	_, ok := w.at(spot, 114.5)
	assert.True(t, ok, "tick 115 is the first that is sent without it")
	_, ok = w.at(spot, 115)
	assert.False(t, ok)
}

// The newest tick may begin again after a view of it.
func TestATickMayBeginAgain(t *testing.T) {
	h := NewHistory(kinds()[:1], tickRate, depth)
	for tick := entangle.Tick(100); tick <= 120; tick++ {
		for range 1 + tick/120*2 {
			h.Begin(tick, 8)
			if !tick.Before(118) {
				MarkPresent(h, spot, []uint32{5})
				h.SetTeleports(5, 1)
			}
		}
	}
	assert.False(t, h.has(spot, 117, 5))
	assert.True(t, h.has(spot, 118, 5))
	assert.False(t, h.jumped(118, 120, 5))
	assert.True(t, h.jumped(117, 120, 5))
}

// An entity that was to go to another group of the client, and did not arrive there, or only later, is gone.
//
// Proves: L4
func TestAMoveThatLedNowhereIsAnEnd(t *testing.T) {
	w := even(kinds(), 0)
	other := Group{Index: 9}
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 117, set.Mask{}, true)
	w.Received.Begin(other, 117)
	for _, c := range []struct {
		joined    entangle.Tick // 0: it is in no group
		has, gone bool
	}{{117, true, false}, {0, false, true}, {119, true, true}} {
		w.client = client{now: shown(113), has: c.has, place: Place{Group: other, Joined: c.joined}}
		w.view.Reset(w.History, &w.Received)
		w.view.AddDeparted(&w.client)
		assert.Equal(t, 1, w.view.Len())
		assert.Equal(t, c.gone, w.view.Target(0).Gone)
	}
}

// A client that gets a departed entity again does not show the former one any more, although its end was to be shown
// later.
//
// Proves: L4
func TestADepartedEntityEndsWhenItReturns(t *testing.T) {
	for i, again := range []bool{false, true, false} { // it goes, and returns, a second time
		w := newWorld(kinds())
		other := Group{Index: 9}
		joins := i == 2 // the client has that group for long
		for tick := entangle.Tick(100); tick <= 125; tick++ {
			w.run(tick, 10*float64(tick), 0)
			switch tick {
			case 100:
				w.Received.Begin(w.group, tick)
				w.deliver(w.group, tick)
				if joins {
					w.Received.Begin(other, tick)
					w.deliver(other, tick)
				}
			case 115:
				w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, tick, set.Mask{}, true)
			case 117:
				if joins {
					w.Received.Change(other, tick)
				} else {
					w.Received.Begin(other, tick)
				}
			case 118:
				w.packet(117)
				w.Deliver(other, 117)
				if again {
					w.Depart(other, Target{Slot: 5, Entity: 7}, 1, 117, tick, set.Mask{}, false)
				}
			}
			if tick != 117 {
				w.receive(tick)
			}
			w.screen(float64(tick) - 6)
		}
		w.client = client{has: !again, place: Place{Group: other, Joined: 117}}
		_, ok := w.departedAt(111)
		assert.True(t, ok, "its return had not arrived")
		_, ok = w.departedAt(113)
		assert.False(t, ok, "its return had arrived")
	}
}

// A departed entity is left out if its return may have arrived with a packet after which it counted as waiting for another.
//
// Proves: L4
func TestADepartedEntityMayEndWhenItsReturnWaits(t *testing.T) {
	for _, delivered := range []entangle.Tick{121, 124} {
		w := even(kinds(), 0)
		other := Group{Index: 9}
		w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 115, set.Mask{}, false)
		w.Received.Begin(other, 121)
		w.client = client{has: true, place: Place{Group: other, Joined: 121}}
		for tick := entangle.Tick(121); tick <= 125; tick++ {
			w.run(tick, 0, 0)
			if tick == 121 {
				w.packet(tick)
				w.Wait(other, 121)
			}
			if tick == delivered {
				w.deliver(other, 121)
			}
			w.endFrame(110, false)
			_, ok := w.departedAt(114)
			assert.Equal(t, delivered == 121, ok, "tick %d, delivered in %d", tick, delivered)
		}
	}
}

// A return that was not late has ended nothing before its time: the end of the former entity had been shown.
//
// Proves: L4
func TestAReturnInTimeEndsNothing(t *testing.T) {
	w := even(kinds(), 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 112, set.Mask{}, false)
	w.run(121, 0, 0)
	w.deliver(w.group, 112)
	w.endFrame(111, false)
	other := Group{Index: 9}
	w.Received.Begin(other, 121)
	w.deliver(other, 121)
	w.endFrame(117, false)
	w.client = client{has: true, place: Place{Group: other, Joined: 121}}
	_, ok := w.departedAt(111.5)
	assert.True(t, ok)
	_, ok = w.departedAt(112)
	assert.False(t, ok)
}

// A view has an entity once: as of the newest tick, if the client is now to see it in the present.
//
// Proves: L4
func TestADepartedEntityInThePresentIsNotInThePast(t *testing.T) {
	w := even(kinds(), 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 117, set.Mask{}, false)
	w.client = client{has: true, place: Place{Group: Group{Index: 9}, Joined: 118}}
	_, ok := w.departedAt(110)
	assert.True(t, ok)
	w.view.Reset(w.History, &w.Received)
	w.view.AddPresent(&Entities{Slot: 5, Names: []uint64{7}})
	w.client.now = shown(110)
	w.view.AddDeparted(&w.client)
	assert.Equal(t, 1, w.view.Len())
	assert.False(t, w.view.Target(0).Rewound)
}

// twoTimelines is a client that shows entities with an interval of 2 later than those with one of 1. It has the
// entity 7.
type twoTimelines struct{ client }

func (c *twoTimelines) Time(every int) timesync.Shown {
	return c.now - shown(4)*timesync.Shown(every-1)
}

func (c *twoTimelines) Find(_ Slot, entity uint64) (p Place, ok bool) { return c.place, entity == 7 }

// An entity that has moved to a group with another interval was on the screen once: in its former group, or in its
// present one.
//
// Proves: L4
func TestAMovedEntityIsInAViewOnce(t *testing.T) {
	w := even(kinds(), 0)
	for _, entity := range []uint64{7, 8} { // the second one was in the slot before, and moved there
		w.Depart(w.group, Target{Slot: 5, Entity: entity}, 2, 100, 112, set.Mask{}, true)
		w.Depart(w.group, Target{Slot: 5, Entity: entity}, 1, 100, 116, set.Mask{}, true)
	}
	for _, end := range []entangle.Tick{112, 116} {
		w.deliver(w.group, end)
	}
	for time, want := range map[float64]int{113: 2, 119: 1} {
		w.view.Reset(w.History, &w.Received)
		w.add(1, 112, shown(time))
		w.view.AddDeparted(&twoTimelines{client{now: shown(time), place: Place{Group: w.group, Joined: 112}}})
		assert.Equal(t, want, w.view.Len(), "at %v", time)
		for i, entity := range w.view.Entities() {
			first, ok := w.view.Find(entity)
			assert.True(t, ok && first == i, "target %d at %v: %v", i, time, w.view.Entities())
		}
	}
}

// The end of one entity of a group is not that of another one.
//
// Proves: L4
func TestAnEndIsThatOfItsTick(t *testing.T) {
	w := even(kinds(), 0)
	w.run(121, 0, 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 112, set.Mask{}, false)
	w.Depart(w.group, Target{Slot: 5, Entity: 8}, 1, 100, 114, set.Mask{}, false)
	w.deliver(w.group, 112)
	w.endFrame(111, false)
	at, ok := w.departedAt(115)
	assert.True(t, ok && w.view.Len() == 1, "%v", w.view.Entities())
	assert.EqualValues(t, 8, at.Entity)
}

// Packets of a tick are late if a frame says so, as long as that is one of the last late frames.
//
// Proves: L1
func TestPacketsAreLateIfAFrameSaysSo(t *testing.T) {
	var r Received
	assert.False(t, r.hasLate(0))
	frame := timesync.LateFrame{Screen: timesync.Screen{Base: shown(90), Packets: 1}, Newest: 4, Later: 1}
	r.Sent(5, 100)
	r.LateFrame(&frame)
	r.LateFramesReported()
	r.AcksHandled(true)
	for frame.Newest < 4+frameRows {
		assert.True(t, r.hasLate(100))
		assert.Equal(t, shown(90), r.at(arrival{tick: 100, id: 5, known: true}, 1))
		frame.Newest++
		r.Sent(frame.Newest+1, 101)
		r.LateFrame(&frame)
		assert.False(t, r.hasLate(100+tickRows))
		assert.Equal(t, inTime, r.at(arrival{tick: 99, id: 5, known: true}, 1), "it is another packet")
	}
	assert.Equal(t, inTime, r.at(arrival{tick: 100, id: 5, known: true}, 1))
}

// An entity that has moved to another group, and ended there, is not shown after that, also if it is not known that it has
// left the former group.
//
// Proves: L4
func TestAMovedEntityEndsInItsLastGroup(t *testing.T) {
	w := even(kinds(), 0)
	other := Group{Index: 9}
	w.run(121, 0, 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 112, set.Mask{}, true)
	w.Received.Begin(other, 112)
	w.deliver(other, 112)
	w.Depart(other, Target{Slot: 5, Entity: 7}, 1, 112, 114, set.Mask{}, false)
	w.deliver(other, 114)
	w.endFrame(110, false)
	for time, want := range map[float64]bool{111: true, 113: true, 115: false} {
		_, ok := w.departedAt(time)
		assert.Equal(t, want, ok, "at %v", time)
	}
}

// An entity that joins a group is shown when the news of that have arrived, however late.
//
// Proves: L4
func TestAnEntityThatJoinsIsShownWhenThatArrives(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 125; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 110:
			w.Received.Change(w.group, tick)
		case 118:
			w.deliver(w.group, 110)
		}
		w.screen(float64(tick) - 3.5)
	}
	joins := func(time float64) bool {
		w.view.Reset(w.History, &w.Received)
		return w.add(1, 110, shown(time))
	}
	assert.False(t, joins(109.5))
	assert.False(t, joins(111), "it has not arrived")
	assert.False(t, joins(114.5), "it arrived after this screen was drawn")
	assert.True(t, joins(115.5))
}

// A change of structure that has arrived waits at the client for an earlier one, and so does the entity that joins by it.
//
// Proves: L4
func TestAnEntityThatJoinsWaitsForEarlierChanges(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 130; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case 110, 112:
			w.Received.Change(w.group, tick)
		case 114:
			w.deliver(w.group, 112)
		case 120:
			w.deliver(w.group, 110)
		}
		w.screen(float64(tick) - 3.5)
		if tick == 119 {
			w.view.Reset(w.History, &w.Received)
			assert.False(t, w.add(1, 112, shown(115)), "it waits")
		}
	}
	for time, want := range map[float64]bool{115: false, 116.5: false, 117.5: true} {
		w.view.Reset(w.History, &w.Received)
		assert.Equal(t, want, w.add(1, 112, shown(time)), "at %v", time)
	}
}

// Where many changes of a group are in flight, an entity that joins is shown when a newer change has arrived, and not
// before its own.
//
// Proves: L4
func TestAnEntityThatJoinsACrowdIsNotShownTooEarly(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 125; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch {
		case tick == 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case tick >= 110 && tick < 114:
			w.Received.Change(w.group, tick)
		case tick == 119:
			w.deliver(w.group, 112) // it waits for the ones before
		case tick == 120:
			w.deliver(w.group, 110)
			w.deliver(w.group, 111)
		}
		w.screen(float64(tick) - 3.5)
	}
	joins := func(since entangle.Tick, time float64) bool {
		w.view.Reset(w.History, &w.Received)
		return w.add(1, since, shown(time))
	}
	assert.False(t, joins(110, 112))
	assert.False(t, joins(110, 116.5), "it had not arrived when this screen was drawn")
	assert.True(t, joins(110, 117.5))
	assert.True(t, joins(100, 112), "it was there from the beginning")
	assert.False(t, joins(113, 117.5), "it is on the way")
	assert.False(t, joins(112, 116), "it waited for an earlier change")
	w.Received.Change(w.group, 125)
	assert.True(t, joins(112, 117.5), "its change has arrived, whatever came after it")
	assert.False(t, joins(112, 115), "its change had not arrived, whatever came after it")
	for tick := entangle.Tick(126); tick <= 130; tick++ {
		w.run(tick, 10*float64(tick), 0)
		for _, sent := range []entangle.Tick{113, 125, tick - 1} {
			w.deliver(w.group, sent)
		}
		w.endFrame(float64(tick)-3.5, false)
		w.Received.Change(w.group, tick)
		assert.False(t, joins(112, 115), "tick %d: nor does it matter how many changes in time did", tick)
	}
}

// An entity is on the screen until its end arrives, at rest, but for no longer than a view may be in the past, whatever
// the client acknowledges, and not if the end may have arrived.
//
// Proves: L2, L4
func TestAnEndIsShownWhenItArrives(t *testing.T) {
	const delivered = 124
	w := newWorld(kinds())
	w.SetReach(16)
	for tick := entangle.Tick(100); tick <= 135; tick++ {
		w.run(tick, 10*float64(tick), 0)
		switch {
		case tick == 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case tick == 115:
			w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, tick, set.Mask{}, false)
		case tick < 115:
			w.receive(tick)
		}
		screen := float64(tick) - 5.5
		switch {
		case tick < 115:
		case tick < delivered:
			at, ok := w.departedAt(screen)
			assert.True(t, ok, "tick %d: the end has not arrived", tick)
			assert.True(t, at.Gone)
			values, _ := w.view.Values(spot)
			assert.InDelta(t, min(10*screen, 1140), number(values), 1e-3)
			w.Wait(w.group, 115)
			_, ok = w.departedAt(screen)
			assert.Equal(t, screen < 115, ok, "tick %d: it may have arrived", tick)
			w.eachEnd(w.record(w.group), 115, func(d *departure) { d.ended = arrival{} })
		case tick == delivered:
			w.deliver(w.group, 115)
		}
		w.screen(screen)
	}
	_, ok := w.departedAt(delivered - 5.5)
	assert.False(t, ok, "so long ago")
}

// An end is sent with the structure of a later tick if there was no room before, and ends with the first that arrives.
//
// Proves: L4
func TestAnEndThatWasSentLaterHasArrived(t *testing.T) {
	w := even(kinds(), 0)
	for tick := entangle.Tick(121); tick <= 128; tick++ {
		w.run(tick, 0, 0)
		switch tick {
		case 121:
			w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, tick, set.Mask{}, false)
		case 123, 125:
			w.Received.Change(w.group, tick)
		case 124, 126:
			w.packet(tick - 1)
			w.Deliver(w.group, tick-1)
		}
		w.screen(float64(tick) - 1.5)
	}
	_, ok := w.departedAt(122)
	assert.True(t, ok, "it had not arrived")
	_, ok = w.departedAt(123)
	assert.False(t, ok, "it had arrived")
}

// If the end of an entity arrived late, a view has the entity until then, although it was despawned. If the end was sent again,
// no view has the entity after its end, because the first packet may have arrived too.
//
// Proves: L4
func TestAnEndThatArrivedLateIsLate(t *testing.T) {
	for _, again := range []bool{false, true} {
		w := newWorld(kinds())
		for tick := entangle.Tick(100); tick <= 125; tick++ {
			w.run(tick, 10*float64(tick), 0)
			if !tick.Before(110) {
				w.Withhold(5, set.MaskOf(spot))
			}
			switch {
			case tick == 100:
				w.Received.Begin(w.group, tick)
				w.deliver(w.group, tick)
			case tick == 110:
				w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, tick, set.Mask{}, false)
			case tick == 120 && again:
				w.deliver(w.group, 110)
			case tick == 120:
				w.packet(110)
				w.Deliver(w.group, 110)
			case tick < 110:
				w.receive(tick)
			}
			w.screen(float64(tick) - 5.5)
		}
		for _, time := range []float64{109, 110, 114.25, 114.5, 115} {
			_, ok := w.departedAt(time)
			require.Equal(t, time < 110 || time < 114.5 && !again, ok, "at %v, sent again: %v", time, again)
			if ok {
				values, absent := w.view.Values(spot)
				assert.False(t, absent[0], "at %v", time)
				assert.InDelta(t, 1090, number(values), 1e-3, "at %v", time)
			}
		}
	}
}

// An entity that has rested for longer than a view may be in the past is shown as of the oldest tick of the view. It is left
// out if it may have been hidden then: if what the client may see of its group has changed since its last update.
//
// Proves: L2, L4
func TestNothingIsShownAsOfWhenItMayHaveBeenHidden(t *testing.T) {
	for _, begin := range []entangle.Tick{100, 1<<31 + 100} {
		for _, changed := range []entangle.Tick{0, 1, 10} {
			w := newWorld(kinds())
			w.SetReach(12)
			for by := range entangle.Tick(36) {
				tick := begin + by
				w.run(tick, 10*float64(tick), 0)
				switch {
				case by == 0:
					w.Received.Begin(w.group, tick)
					w.deliver(w.group, tick)
				case by == 5:
					w.receive(tick)
				case by == changed:
					w.See(w.group, tick)
				}
				w.screen(float64(tick) - 5.5)
			}
			w.view.Reset(w.History, &w.Received)
			assert.Equal(t, changed < 5, w.add(1, begin, shown(float64(begin+28))), "changed at %d", changed)
		}
	}
}
