package rewind

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

const (
	tickRate = 60
	depth    = 92
	spot     = 0 // a column that is blended
	mark     = 1 // one that is not
	far      = 2 // one that is blended if two values are less than 100 apart
	onward   = 3 // one that goes on for 4 ticks
	flag     = 4 // one that is not blended, but has the value of an update at once if that is late
)

func number(b []byte) float64 { return math.Float64frombits(binary.NativeEndian.Uint64(b)) }

func memory(v float64) []byte { return binary.NativeEndian.AppendUint64(nil, math.Float64bits(v)) }

func blend(dst, a, b []byte, t float64) {
	for i := 0; i < len(dst); i += 8 {
		from, to := number(a[i:]), number(b[i:])
		binary.NativeEndian.PutUint64(dst[i:], math.Float64bits(from+t*(to-from)))
	}
}

func each(dst, plane []byte, from, to []uint32, share []float32) {
	for i := range from {
		a, b := plane[from[i]*8:from[i]*8+8], plane[to[i]*8:to[i]*8+8]
		blend(dst[i*8:i*8+8], a, b, float64(share[i]))
	}
}

func hold(dst, a, _ []byte, _ float64) { copy(dst, a) }

func holdEach(dst, plane []byte, from, to []uint32, share []float32) {
	for i := range from {
		at := from[i]
		if share[i] >= 1 {
			at = to[i]
		}
		copy(dst[i*8:i*8+8], plane[at*8:])
	}
}

func kinds() []snapshot.Kind {
	return []snapshot.Kind{
		{Size: 8, Blend: blend, Each: each},
		{Size: 8},
		{Size: 8, Blend: blend, Each: each, TooFar: func(a, b []byte) bool { return math.Abs(number(a)-number(b)) > 100 }},
		{Size: 8, Blend: blend, Each: each, Extrapolate: 4},
		{Size: 8, Blend: hold, Each: holdEach, Discrete: func(dst, from []byte) { copy(dst, from) }},
	}
}

// world is a server with one entity in slot 5 and one client that has it.
type world struct {
	*History
	Received
	view   View
	group  Group
	client client
	every  int // the interval of the group
	now    entangle.Tick
	late   timesync.LateFrames
	// Each tick has perTick packets, of which one has the update of the group.
	perTick int
	numbers map[entangle.Tick]int // which one; the first unless set
}

func newWorld(kinds []snapshot.Kind) *world {
	return &world{History: NewHistory(kinds, tickRate, depth), group: Group{Index: 3}, every: 1, perTick: 1, numbers: map[entangle.Tick]int{}}
}

// run records a tick.
func (w *world) run(tick entangle.Tick, value float64, teleports uint8) {
	w.now = tick
	for i := range w.perTick {
		w.Sent(uint16(int(tick)*w.perTick+i), tick)
	}
	w.History.Begin(tick, 8)
	w.MarkSent()
	for col := range w.kinds {
		binary.NativeEndian.PutUint64(w.Row(col)[5*8:], math.Float64bits(value))
		MarkPresent(w.History, col, []uint32{5})
	}
	if teleports > 0 {
		w.SetTeleports(5, teleports)
	}
}

// screen draws a screen of the client, before what has arrived since the last one.
func (w *world) screen(at float64) { w.endFrame(at, true) }

func (w *world) endFrame(at float64, late bool) {
	w.late.EndFrame(&timesync.Screen{Base: shown(at), Packets: w.every}, late)
	for frames := w.late.Frames(); len(frames) > 0; frames = w.late.Frames() {
		for i := range frames {
			w.LateFrame(&frames[i])
		}
		w.late.Sent()
	}
	w.LateFramesReported()
	w.AcksHandled(true)
}

// add adds the entity of slot 5, and reports whether the screen showed it.
func (w *world) add(every int, joined entangle.Tick, now timesync.Shown) bool {
	return w.view.Add(&Entities{Slot: 5, Group: w.group, Every: every, Names: []uint64{7}, Joined: []entangle.Tick{joined}}, now) > 0
}

func shown(at float64) timesync.Shown { return timesync.Shown(at * 256) }

// at returns what the screen showed at a time. ok is false if that was nothing.
func (w *world) at(col int, time float64) (value float64, ok bool) {
	w.view.Reset(w.History, &w.Received)
	w.add(1, 0, shown(time))
	w.client.now = shown(time)
	w.view.AddDeparted(&w.client)
	values, absent := w.view.Values(col)
	if len(absent) == 0 || absent[0] {
		return 0, false
	}
	return number(values), true
}

// departedAt returns the departed entity that the screen showed at a time.
func (w *world) departedAt(time float64) (t Target, ok bool) {
	w.view.Reset(w.History, &w.Received)
	w.client.now = shown(time)
	w.view.AddDeparted(&w.client)
	if w.view.Len() == 0 {
		return t, false
	}
	return w.view.Target(0), true
}

// client is a client that has an entity at a place, or none if has is false.
type client struct {
	now   timesync.Shown
	place Place
	has   bool
}

func (c *client) Time(int) timesync.Shown              { return c.now }
func (c *client) Find(Slot, uint64) (p Place, ok bool) { return c.place, c.has }

// packet makes a packet of a tick arrive at the client, before the next screen.
func (w *world) packet(tick entangle.Tick) {
	w.late.PacketReceived(w.id(tick))
	w.Arrived(w.id(tick))
}

// id returns the id of the packet of a tick with the update of the group.
func (w *world) id(tick entangle.Tick) uint16 { return uint16(int(tick)*w.perTick + w.numbers[tick]) }

// receive makes an update of a tick arrive at the client.
func (w *world) receive(tick entangle.Tick) {
	w.packet(tick)
	w.Acknowledge(w.group, tick)
}

// deliver makes the structure of a group as of a tick arrive with the packet of this tick.
func (w *world) deliver(g Group, tick entangle.Tick) {
	w.packet(w.now)
	w.Deliver(g, tick)
}

// even returns a world with one entity, at 10 times the tick. Every second tick up to 120 has an update, and each
// arrives 3 ticks before the screen needs it.
func even(kinds []snapshot.Kind, teleport entangle.Tick) *world {
	w := newWorld(kinds)
	for tick := entangle.Tick(100); tick <= 120; tick++ {
		var n uint8
		if teleport > 0 && !tick.Before(teleport) {
			n = 1
		}
		w.run(tick, 10*float64(tick), n)
		switch {
		case tick == 100:
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
		case tick%2 == 0:
			w.receive(tick)
		}
		w.screen(float64(tick) - 3.5)
	}
	return w
}

// Proves: L1
func TestAnEntityIsShownBetweenTheUpdatesThatArrived(t *testing.T) {
	w := even(kinds(), 0)
	for time := 100.0; time < 117; time += 0.25 {
		v, ok := w.at(spot, time)
		require.True(t, ok)
		assert.InDelta(t, 10*time, v, 1e-4)
		m, _ := w.at(mark, time)
		assert.InDelta(t, 10*(math.Floor(time)-float64(int(time)%2)), m, 0, "a value that is not blended is of the last update")
	}
	_, ok := w.at(spot, 99.75)
	assert.False(t, ok, "it has not appeared yet")
}

// Proves: L1
func TestALostUpdateIsLeftOut(t *testing.T) {
	w := newWorld(kinds())
	w.run(100, 0, 0)
	w.Received.Begin(w.group, 100)
	w.deliver(w.group, 100)
	for tick := entangle.Tick(101); tick <= 106; tick++ {
		w.run(tick, []float64{0, 0, 0, 0, 50, 0, 100}[tick-100], 0) // it is at 50 only in tick 104
		if tick%2 == 0 && tick != 104 {
			w.receive(tick)
		}
		w.screen(float64(tick) - 6)
	}
	v, _ := w.at(spot, 104)
	assert.InDelta(t, 50, v, 1e-4, "halfway from 102 to 106")
	v, _ = w.at(spot, 103)
	assert.InDelta(t, 25, v, 1e-4)
	v, _ = w.at(mark, 105)
	assert.InDelta(t, 0, v, 0)
	w.receive(104)
	w.screen(100.5)
	v, _ = w.at(spot, 103)
	assert.InDelta(t, 25, v, 1e-4, "a client ignores what is older than what it has")
}

// An entity rests while it has no next value, and moves on from there when one arrives.
//
// Proves: L1
func TestALateUpdateBeginsAMovement(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 112; tick++ {
		w.run(tick, float64(min(tick, 102))*10+float64(max(tick, 110)-110)*40, 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, 100)
			w.deliver(w.group, 100)
		case 102, 112:
			w.receive(tick)
		}
		w.screen(float64(tick) - 3)
	}
	// The update of 112 arrived after the screen of 109.
	for time, want := range map[float64]float64{101: 1010, 102: 1020, 105: 1020, 108: 1020, 110: 1020 + 80/3.0, 112: 1100} {
		v, ok := w.at(spot, time)
		assert.True(t, ok)
		assert.InDelta(t, want, v, 1e-3, "at %v", time)
	}
}

// Proves: L1
func TestAnEntityThatGoesOnIsShownThere(t *testing.T) {
	w := even(kinds(), 0)
	for time, want := range map[float64]float64{119: 1190, 120: 1200, 122: 1220, 124: 1240, 126: 1220, 128: 1200, 130: 1200} {
		v, _ := w.at(onward, time)
		assert.InDelta(t, want, v, 1e-3, "at %v", time)
		v, _ = w.at(spot, time)
		assert.InDelta(t, min(want, 10*min(time, 120)), v, 1e-3, "at %v", time)
	}
}

// A component that was inserted with the last update has no direction to go on in.
//
// Proves: L1
func TestAnInsertedComponentDoesNotGoOn(t *testing.T) {
	w := even(kinds(), 0)
	w.present[onward*w.rows+w.row(118)].Clear(5)
	v, _ := w.at(onward, 122)
	assert.InDelta(t, 1200, v, 1e-3)
}

// A component that was inserted with a late update begins with the value of that, and not where the entity was without it, also
// if the next update is late too.
//
// Proves: L1
func TestAnInsertedComponentDoesNotMoveFromWhereItWasNot(t *testing.T) {
	for name, kinds := range map[string][]snapshot.Kind{"some go on": kinds(), "none goes on": kinds()[:onward]} {
		w := newWorld(kinds)
		for tick := entangle.Tick(100); tick <= 116; tick++ {
			w.run(tick, 1000, 0)
			switch tick {
			case 100:
				w.Received.Begin(w.group, 100)
				w.deliver(w.group, 100)
			case 102:
				w.receive(tick)
			case 112:
				w.receive(108)
				w.screen(109)
				w.receive(109)
				w.screen(109.5)
			}
			if tick < 112 {
				w.screen(float64(tick) - 3)
			}
		}
		for tick := entangle.Tick(100); tick < 108; tick++ {
			w.present[spot*w.rows+w.row(tick)].Clear(5)
			clear(w.values(spot, w.index(tick, 5), 1))
		}
		for _, time := range []float64{109.25, 109.75, 110.25} {
			v, ok := w.at(spot, time)
			assert.True(t, ok, name)
			assert.InDelta(t, 1000, v, 1e-3, "%s, at %v", name, time)
		}
	}
}

// Proves: L1
func TestATeleportIsAStep(t *testing.T) {
	w := even(kinds(), 110)
	v, _ := w.at(spot, 109.75)
	assert.InDelta(t, 1080, v, 1e-3, "up to the tick of the next update it is where it was")
	v, _ = w.at(spot, 110)
	assert.InDelta(t, 1100, v, 1e-3)
	w = newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 104; tick++ {
		w.run(tick, float64(tick-100)*60, 0)
		if tick == 100 {
			w.Received.Begin(w.group, 100)
			w.deliver(w.group, 100)
		} else if tick%2 == 0 {
			w.receive(tick)
		}
		w.screen(float64(tick) - 5)
	}
	v, _ = w.at(far, 101.5)
	assert.InDelta(t, 0, v, 0, "too far apart")
	v, _ = w.at(spot, 101.5)
	assert.InDelta(t, 90, v, 1e-3)
}

// Proves: L4
func TestOnlyWhatThePlayerSawIsInAView(t *testing.T) {
	w := even(kinds(), 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 115, set.Mask{}, false)
	w.run(120, 0, 0)
	w.deliver(w.group, 115)
	w.endFrame(114, false)
	w.Received.Begin(w.group, 118) // another entity
	_, ok := w.at(spot, 114.5)
	assert.True(t, ok, "it was despawned in tick 115, and was on the screen")
	assert.True(t, w.view.Target(0).Gone)
	_, ok = w.at(spot, 115)
	assert.False(t, ok)
	_, ok = w.at(spot, 118.5)
	assert.False(t, ok, "the other one has not arrived")
	w.run(121, 0, 0)
	w.deliver(w.group, 118)
	w.screen(118)
	_, ok = w.at(spot, 118)
	assert.False(t, ok, "it was not on the screen when it arrived")
	_, ok = w.at(spot, 118.5)
	assert.True(t, ok)
}

// Proves: L4
func TestAnEntityWithoutTheColumnIsAbsent(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 104; tick++ {
		w.run(tick, 10*float64(tick), 0)
		if !tick.Before(102) {
			w.present[spot*depth+w.row(tick)].Clear(5)
		}
		if tick == 100 {
			w.Received.Begin(w.group, 100)
			w.deliver(w.group, 100)
		} else {
			w.receive(tick)
		}
		w.screen(float64(tick) - 5)
	}
	v, ok := w.at(spot, 101.5)
	assert.True(t, ok)
	assert.InDelta(t, 1010, v, 1e-3, "it is not blended with a value that the entity does not have")
	_, ok = w.at(spot, 102)
	assert.False(t, ok)
	_, ok = w.at(mark, 102)
	assert.True(t, ok)
}

// The end of a group may arrive before the group itself, which the client then never shows.
//
// Proves: L4
func TestAnEndBeforeTheBeginningShowsNothing(t *testing.T) {
	w := newWorld(kinds())
	for tick := entangle.Tick(100); tick <= 115; tick++ {
		w.run(tick, 1, 0)
		switch tick {
		case 100:
			w.Received.Begin(w.group, 100)
		case 104:
			w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, 100, 104, set.Mask{}, false)
			w.deliver(w.group, 104)
		}
		w.screen(float64(tick) - 10)
	}
	_, ok := w.at(spot, 102)
	assert.False(t, ok)
	w.run(116, 1, 0)
	w.deliver(w.group, 100)
	w.screen(106)
	_, ok = w.at(spot, 102)
	assert.False(t, ok, "too late")
}

func TestDeparturesAreBounded(t *testing.T) {
	var r Received
	for i := range 3 * MaxDepartures {
		g := Group{Index: i}
		r.Begin(g, 100)
		r.Deliver(g, 100)
		r.Depart(g, Target{Slot: Slot(i)}, 1, 100, 101, set.Mask{}, false)
	}
	assert.Equal(t, MaxDepartures, r.departures.Len())
	r.Forget(102)
	assert.Zero(t, r.departures.Len())
	for i := range 3 * MaxDepartures {
		assert.Nil(t, r.departure(r.record(Group{Index: i}).parted))
	}
}

// A client that claims anything gets values between those that were there.
//
// Proves: L2
func TestNoClaimLeadsOutOfTheHistory(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 20))
		w := newWorld(kinds()[:3])
		begun := false
		for tick := entangle.Tick(1000); tick < 1300; tick++ {
			w.run(tick, rng.Float64(), uint8(rng.IntN(2)))
			if !begun || rng.IntN(100) == 0 {
				if begun = true; rng.IntN(2) == 0 {
					w.Depart(w.group, Target{Slot: 5, Entity: 7}, 1, tick-3, tick, set.Mask{}, rng.IntN(2) == 0)
				}
				w.Received.Begin(w.group, tick)
				w.client.place, w.client.has = Place{Group: w.group, Joined: tick}, true
			}
			for range rng.IntN(4) {
				claim := entangle.Tick(rng.Uint32())
				if rng.IntN(3) > 0 {
					claim = tick - entangle.Tick(rng.IntN(200))
				}
				switch rng.IntN(5) {
				case 0:
					w.deliver(w.group, claim)
				case 1:
					w.Received.Change(w.group, claim)
				case 2:
					screen := timesync.Screen{Base: timesync.ShownAt(claim, uint8(rng.Uint32())), Packets: 1 + rng.IntN(3)}
					w.LateFrame(&timesync.LateFrame{Screen: screen, Newest: uint16(tick) - uint16(rng.IntN(9)), Later: rng.Uint32(), Overtaken: rng.Uint32() * rng.Uint32N(2)})
				default:
					w.receive(claim)
				}
			}
			for col := range 3 {
				if v, ok := w.at(col, float64(tick)-100*rng.Float64()); ok {
					require.True(t, v >= 0 && v < 1, "seed %d, tick %d: %v", seed, tick, v)
				}
			}
		}
	}
}

func TestAViewAllocatesNothing(t *testing.T) {
	w := even(kinds(), 0)
	tick := entangle.Tick(120)
	assert.Zero(t, alloctest.Count(200, func() {
		tick++
		w.run(tick, float64(tick), 0)
		w.receive(tick)
		w.screen(float64(tick) - 3)
		for col := range w.kinds {
			w.at(col, float64(tick)-4.5)
		}
	}))
}

// screens draws what a client with a snapshot.Store shows, and compares it with the views of a server to which
// it has told what arrived.
//
// Proves: L1
func TestViewsEqualTheClientsOwn(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareWithStore(t, rand.New(rand.NewPCG(seed, 21))) })
	}
}

// receiveFrame makes packets arrive in one frame, after a screen was drawn. The client tells of the frame if something was
// late or overtaken, and acknowledges the packets in any order.
func (w *world) receiveFrame(rng *rand.Rand, store *snapshot.Store, drawn float64, ids []uint16, add func(entangle.Tick)) {
	late := store.Stats().Late
	slices.Sort(ids)
	for _, id := range ids {
		w.late.PacketReceived(id)
		if of := w.tickOf(id); w.id(of) == id {
			add(of)
		}
	}
	acknowledge := func() {
		for _, i := range rng.Perm(len(ids)) {
			w.Arrived(ids[i])
			if of := w.tickOf(ids[i]); w.id(of) == ids[i] {
				w.Acknowledge(w.group, of)
			}
		}
	}
	before := rng.IntN(2) == 0 // an acknowledgement may come alone, before the client tells of the frame
	if before {
		acknowledge()
	}
	w.endFrame(drawn, store.Stats().Late != late)
	if !before {
		acknowledge()
		w.LateFramesReported()
		w.AcksHandled(true)
	}
}

func (w *world) tickOf(id uint16) entangle.Tick { return entangle.Tick(int(id) / w.perTick) }

func compareWithStore(t *testing.T, rng *rand.Rand) {
	every := 1 + rng.IntN(3)
	w := newWorld(kinds())
	w.every, w.perTick = every, 1+rng.IntN(4)
	store := snapshot.New(kinds(), tickRate)
	slot := store.Add(uint16(every))
	delay, jitter, value, teleports := 1+3*rng.Float64()+float64(every), rng.IntN(4), 0.0, uint8(0)
	values := map[entangle.Tick][2]float64{}
	arrive := map[entangle.Tick][]uint16{}
	moving, sent := true, [2]float64{}
	compared := 0
	for tick := entangle.Tick(1000); tick < 1400; tick++ {
		if rng.IntN(30) == 0 {
			moving = !moving
		}
		if rng.IntN(40) == 0 {
			teleports++
		}
		if moving {
			value += rng.Float64() * 30
		}
		w.run(tick, value, teleports)
		values[tick] = [2]float64{value, float64(teleports)}
		updated := tick == 1000
		w.numbers[tick] = rng.IntN(w.perTick)
		if updated {
			w.Received.Begin(w.group, tick)
			w.deliver(w.group, tick)
			arrive[tick] = append(arrive[tick], w.id(tick))
		} else {
			updated = sent != values[tick] && int(tick)%every == 0 && rng.IntN(12) > 0 // otherwise it is lost, and sent again
			for i := range w.perTick {
				if i != w.numbers[tick] || updated {
					at := tick + entangle.Tick(rng.IntN(jitter+1))
					arrive[at] = append(arrive[at], uint16(int(tick)*w.perTick+i))
				}
			}
		}
		if updated {
			sent = values[tick]
		}
		w.receiveFrame(rng, store, float64(tick)-1-delay, arrive[tick], func(of entangle.Tick) {
			v := values[of]
			store.SetTeleports(slot, uint8(v[1]))
			store.AddSample(slot, of, set.MaskOf(0, 1, 2, 3, flag), func(int) []byte { return memory(v[0]) })
		})
		now := float64(shown(float64(tick)-delay)) / 256
		store.Advance(uint16(every), entangle.Tick(now), now-math.Floor(now))
		if !store.Shown(slot) {
			continue
		}
		store.Select([]snapshot.Slot{slot})
		for _, col := range []int{spot, far, onward, flag} {
			dst := make([]byte, 8)
			store.Show(col, dst)
			w.view.Reset(w.History, &w.Received)
			w.add(every, 0, shown(now))
			got, absent := w.view.Values(col)
			require.Len(t, absent, 1, "tick %d", tick)
			compared++
			require.InDelta(t, number(dst), number(got), 1e-3, "tick %d, column %d, shown %v: %+v", tick, col, now, w.view.mover)
		}
	}
	require.Greater(t, compared, 1000)
}
