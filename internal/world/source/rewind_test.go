package source

import (
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	rwPlace struct{ X float64 }
	rwMark  struct{ N uint32 }
	rwLeap  struct{ X float64 } // is not blended over more than 100
	rwGlide struct{ X float64 } // goes on for 6 ticks
	rwOther struct{ N uint32 }  // is not rewound
)

// rewindScreen is a screen that shows all entities as of one time.
type rewindScreen struct{ at timesync.Shown }

// At implements Screen.
func (s *rewindScreen) At(int) (timesync.Shown, bool) { return s.at, false }

// rewindServer is a server's world with one client that receives everything in the tick in which it is sent. The
// screen of the client is 5.5 ticks behind.
type rewindServer struct {
	t         *testing.T
	world     ecs.World
	collector *Collector
	rewind    *Rewind
	peer      *sender.Peer
	tick      entangle.Tick
	packet    uint16
	every     int // sent ticks
	cols      map[reflect.Type]int
	view      rewind.View
	spawn     generic.Map3[rwPlace, rwMark, components.Replicate]
	places    generic.Map1[rwPlace]
}

const rewindClient entangle.ClientID = 1

func newRewindServer(t *testing.T, depth int) *rewindServer {
	p := protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rwPlace](p).Interpolate(protocol.Linear[rwPlace]).Rewind()
	protocol.Component[rwMark](p).Rewind()
	protocol.Component[rwLeap](p).Interpolate(protocol.Linear[rwLeap]).Snap(func(a, b rwLeap) bool { return b.X-a.X > 100 }).Rewind()
	protocol.Component[rwGlide](p).Interpolate(protocol.Linear[rwGlide]).Extrapolate(100 * time.Millisecond).Rewind()
	protocol.Component[rwOther](p)
	protocol.Component[components.Interpolated](p)
	require.NoError(t, registry.Seal(p))
	s := &rewindServer{t: t, world: ecs.NewWorld(), tick: 1000, every: 1, cols: map[reflect.Type]int{}}
	infos := registry.Of(p).Components
	for _, info := range infos {
		s.cols[info.Type] = info.Number
	}
	c, err := NewCollector(&s.world, infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s.collector, s.rewind = c, c.NewRewind(infos, 60, depth)
	s.spawn = generic.NewMap3[rwPlace, rwMark, components.Replicate](&s.world)
	s.places = generic.NewMap1[rwPlace](&s.world)
	s.peer = c.World.NewPeer()
	c.Admit(rewindClient, s.peer)
	return s
}

// add spawns an entity that all clients interpolate.
func (s *rewindServer) add(replicate components.Replicate) ecs.Entity {
	replicate.Interpolate = components.Everyone
	return s.spawn.NewWith(&rwPlace{}, &rwMark{}, &replicate)
}

// run runs ticks, in each of which every entity moves to 10 times the tick.
func (s *rewindServer) run(ticks int) {
	for range ticks {
		s.tick++
		for q := generic.NewFilter1[rwPlace]().Query(&s.world); q.Next(); {
			q.Get().X = 10 * float64(s.tick)
		}
		if sent := int(s.tick)%s.every == 0; sent {
			require.NoError(s.t, s.collector.Observe(s.tick))
			s.rewind.Record(s.tick, true)
			s.send()
		} else {
			require.NoError(s.t, s.rewind.Sync())
			s.rewind.Record(s.tick, false)
		}
	}
}

// send delivers all that there is to send to the client.
func (s *rewindServer) send() {
	s.peer.Received().Sent(uint16(s.tick), s.tick)
	s.peer.Received().Arrived(uint16(s.tick))
	for b := s.peer.AppendActions(nil, 5000); len(b) > 0; b = s.peer.AppendActions(nil, 5000) {
		s.peer.ActionsSent(s.packet)
		s.peer.HandleDelivered(s.packet)
		s.packet++
	}
	s.peer.Prepare()
	for b := s.peer.AppendUpdates(nil, 1000, s.packet); len(b) > 0; b = s.peer.AppendUpdates(nil, 1000, s.packet) {
		s.peer.HandleAcked(s.packet)
		s.packet++
	}
	if received := s.peer.Received(); received != nil {
		received.LateFramesReported()
		received.AcksHandled(true)
	}
}

// shown is the time of the client's screen.
func (s *rewindServer) shown() timesync.Shown { return timesync.ShownAt(s.tick-6, 128) }

// look fills the view of a screen of the client.
func (s *rewindServer) look(screen Screen) (clamped bool) {
	return s.rewind.View(&s.view, rewindClient, s.peer, screen, s.tick+1)
}

// placeOf returns the place of an entity in a view.
func (s *rewindServer) placeOf(v *rewind.View, e ecs.Entity) (x float64, ok bool) {
	place, ok := valueIn[rwPlace](s, v, e)
	return place.X, ok
}

// valueIn returns a component of an entity in a view.
func valueIn[T any](s *rewindServer, v *rewind.View, e ecs.Entity) (value T, ok bool) {
	i, ok := v.Find(columns.PackEntity(e))
	if !ok {
		return value, false
	}
	values, absent := v.Values(s.cols[TypeOf[T]()])
	return columns.ValuesOf[T](values)[i], !absent[i]
}

// An entity with several components that are rewound is in a view once, and so is one with any of them.
//
// Proves: L1
func TestAnEntityIsInAViewOnce(t *testing.T) {
	s := newRewindServer(t, 60)
	for range 3 {
		s.add(components.Replicate{})
	}
	bare := s.add(components.Replicate{})
	s.places.Remove(bare)
	s.run(20)
	s.look(&rewindScreen{at: s.shown()})
	present := s.rewind.Present(s.tick + 1)
	for _, v := range []*rewind.View{&s.view, present} {
		assert.Equal(t, 4, v.Len())
		found := map[uint64]bool{}
		for i := range v.Len() {
			found[v.Target(i).Entity] = true
		}
		assert.Len(t, found, 4)
	}
}

// An entity that was despawned since the screen was drawn is found in the view by what it was, also when its slot
// and its number in the world belong to another one. That one is not in the view.
//
// Proves: L4
func TestADespawnedEntityIsFoundInAView(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := newRewindServer(t, 60)
		e, other := s.add(components.Replicate{}), s.add(components.Replicate{})
		s.run(20)
		s.world.RemoveEntity(e)
		if again {
			other = s.add(components.Replicate{})
			assert.Equal(t, e.ID(), other.ID())
		}
		s.run(2)
		s.look(&rewindScreen{at: s.shown()})
		x, ok := s.placeOf(&s.view, e)
		assert.True(t, ok)
		assert.InDelta(t, 10*(float64(s.tick)-5.5), x, 1e-9)
		_, ok = s.placeOf(&s.view, other)
		assert.Equal(t, !again, ok)
		_, ok = s.placeOf(s.rewind.Present(s.tick+1), e)
		assert.False(t, ok, "it is not there any more")
	}
}

// An entity that was removed since clients were sent a tick last is on their screens still, and in no view of the present.
//
// Proves: L1, L4
func TestAnEntityIsInAViewUntilItsEndIsSent(t *testing.T) {
	s := newRewindServer(t, 60)
	s.every = 4
	e, other := s.add(components.Replicate{}), s.add(components.Replicate{})
	s.run(20) // up to a tick that is sent
	s.world.RemoveEntity(e)
	for range 3 {
		s.run(1)
		s.look(&rewindScreen{at: s.shown()})
		for entity, gone := range map[ecs.Entity]bool{e: true, other: false} {
			_, ok := s.placeOf(&s.view, entity)
			assert.True(t, ok)
			i, _ := s.view.Find(columns.PackEntity(entity))
			assert.Equal(t, gone, s.view.Target(i).Gone)
		}
		assert.Equal(t, 1, s.rewind.Present(s.tick+1).Len())
		s.rewind.PresentOf(&s.view, s.peer, s.tick+1)
		assert.Equal(t, 1, s.view.Len())
	}
}

// An entity that has lost its last rewound component since a tick was sent is in the view as it was, until the clients
// are sent that.
//
// Proves: L4
func TestAComponentIsThereUntilItsRemovalIsSent(t *testing.T) {
	s := newRewindServer(t, 60)
	s.every = 5
	e := s.add(components.Replicate{})
	marks := generic.NewMap1[rwMark](&s.world)
	marks.Remove(e)
	s.run(20)
	s.places.Remove(e)
	s.run(2)
	s.look(&rewindScreen{at: s.shown()})
	_, ok := s.placeOf(&s.view, e)
	assert.True(t, ok)
	assert.False(t, s.view.Target(0).Gone)
}

// An entity that is removed in the tick that runs is in all views of the tick, which are of the end of the last one.
//
// Proves: L4
func TestAViewIsOfTheEndOfTheLastTick(t *testing.T) {
	s := newRewindServer(t, 60)
	e := s.add(components.Replicate{})
	s.run(20)
	s.world.RemoveEntity(e)
	s.look(&rewindScreen{at: s.shown()})
	for _, v := range []*rewind.View{&s.view, s.rewind.Present(s.tick + 1)} {
		_, ok := s.placeOf(v, e)
		require.True(t, ok)
		assert.False(t, v.Target(0).Gone)
	}
}

// An entity that a client predicts is in its views until it is removed, and not until that is sent.
//
// Proves: L4
func TestAPredictedEntityIsNotInAViewAfterItsEnd(t *testing.T) {
	s := newRewindServer(t, 60)
	s.every = 4
	e := s.add(components.Replicate{Predict: components.Everyone})
	s.run(20)
	for _, want := range []int{1, 0} {
		s.look(&rewindScreen{at: s.shown()})
		assert.Equal(t, want, s.view.Len())
		if want > 0 {
			s.world.RemoveEntity(e)
		}
		s.run(1)
	}
}

// The present of a client of whose screen nothing is known is that of what it has and may see.
//
// Proves: L4
func TestThePresentOfAClientIsWhatItHas(t *testing.T) {
	s := newRewindServer(t, 60)
	seen, hidden := s.add(components.Replicate{}), s.add(components.Replicate{Target: components.Nobody})
	s.run(5)
	sent := s.add(components.Replicate{})
	s.rewind.PresentOf(&s.view, s.peer, s.tick+1)
	x, ok := s.placeOf(&s.view, seen)
	assert.True(t, ok)
	assert.InDelta(t, 10*float64(s.tick), x, 1e-9)
	for _, e := range []ecs.Entity{hidden, sent} {
		_, ok = s.placeOf(&s.view, e)
		assert.False(t, ok)
	}
}

// No view is further in the past than the limit. That any of its times was not possible is reported and counted,
// whatever those of other intervals are.
//
// Proves: L2, L5
func TestAViewIsAtMostSoFarInThePast(t *testing.T) {
	s := newRewindServer(t, 20)
	often, rare := s.add(components.Replicate{}), s.add(components.Replicate{SendEvery: 16})
	s.run(70)
	last := timesync.ShownAt(s.tick+1-20, 0)
	require.True(t, s.look(&rewindScreen{at: timesync.ShownAt(s.tick-40, 0)}))
	for i := range s.view.Len() {
		assert.Equal(t, last, s.view.Target(i).Shown)
	}
	x, ok := s.placeOf(&s.view, often)
	assert.True(t, ok)
	assert.InDelta(t, 10*float64(s.tick+1-20), x, 1e-9)
	x, ok = s.placeOf(&s.view, rare)
	assert.True(t, ok)
	assert.InDelta(t, 10*float64(s.tick+1-20), x, 1e-9, "between two updates, of which one is still longer ago")
	assert.False(t, s.look(&rewindScreen{at: last}))
	assert.True(t, s.look(&clampedOnce{at: last}), "the first of two intervals")
	assert.Equal(t, Rewinds{Views: 3, Clamped: 2, Targets: 6}, *s.rewind.Stats())
}

// clampedOnce is a screen of which the first time was not possible.
type clampedOnce struct {
	at    timesync.Shown
	asked bool
}

func (c *clampedOnce) At(int) (timesync.Shown, bool) {
	first := !c.asked
	c.asked = true
	return c.at, first
}

// An entity that a client predicts is as of the end of the last tick, and counts as one that is not rewound.
//
// Proves: L2
func TestAPredictedEntityIsNotRewound(t *testing.T) {
	s := newRewindServer(t, 60)
	e, other := s.add(components.Replicate{Predict: components.Everyone}), s.add(components.Replicate{})
	s.run(20)
	s.look(&rewindScreen{at: s.shown()})
	x, _ := s.placeOf(&s.view, e)
	assert.InDelta(t, 10*float64(s.tick), x, 0)
	x, _ = s.placeOf(&s.view, other)
	assert.InDelta(t, 10*(float64(s.tick)-5.5), x, 1e-9)
	assert.EqualValues(t, 1, s.rewind.Stats().Targets)
}

// The view of the present is made once for each tick, for all players that see the present.
//
// Proves: L2
func TestTheViewOfThePresentFollowsTheTicks(t *testing.T) {
	s := newRewindServer(t, 60)
	e := s.add(components.Replicate{})
	for range 3 {
		s.run(1)
		v := s.rewind.Present(s.tick + 1)
		x, ok := s.placeOf(v, e)
		assert.True(t, ok)
		assert.InDelta(t, 10*float64(s.tick), x, 0)
		s.add(components.Replicate{})
		assert.Equal(t, s.rewind.Present(s.tick+1).Len(), v.Len())
	}
	assert.EqualValues(t, 6, s.rewind.Stats().Present)
}

// Without compensation all views are of the present: only two ticks are kept, and nothing of what clients receive.
//
// Proves: L2
func TestNothingIsKeptWithoutCompensation(t *testing.T) {
	s := newRewindServer(t, 0)
	e := s.add(components.Replicate{})
	s.run(20)
	assert.False(t, s.rewind.Compensates())
	assert.Nil(t, s.peer.Received())
	x, ok := s.placeOf(s.rewind.Present(s.tick+1), e)
	assert.True(t, ok)
	assert.InDelta(t, 10*float64(s.tick), x, 0)
	deep := newRewindServer(t, 60)
	deep.add(components.Replicate{})
	deep.run(20)
	assert.Greater(t, deep.rewind.Bytes(), 20*s.rewind.Bytes())
}

// An entity that went to another group of the client, and ended there, is gone, also if another one has its slot.
//
// Proves: L4
func TestAnEntityThatMovedAndEndedIsGone(t *testing.T) {
	s := newRewindServer(t, 60)
	e := s.add(components.Replicate{Group: 1})
	s.add(components.Replicate{Group: 1})
	s.add(components.Replicate{Group: 2})
	s.run(20)
	(*components.Replicate)(s.world.Get(e, s.collector.marker)).Group = 2
	s.run(1)
	s.world.RemoveEntity(e)
	s.run(2)
	next := s.add(components.Replicate{})
	s.run(1)
	s.look(&rewindScreen{at: s.shown()})
	i, ok := s.view.Find(columns.PackEntity(e))
	require.True(t, ok)
	assert.True(t, s.view.Target(i).Gone)
	x, _ := s.placeOf(&s.view, e)
	assert.InDelta(t, 10*(float64(s.tick)-5.5), x, 1e-9)
	a, _ := s.collector.Slot(next)
	assert.EqualValues(t, s.view.Target(i).Slot, a, "the test wants the slot to be used again")
}

// An entity that went to another group of the client, and ended there since clients were sent a tick last, is gone, also
// on a screen of before it went.
//
// Proves: L4
func TestAnEntityThatMovedIsGoneBeforeItsEndIsSent(t *testing.T) {
	s := newRewindServer(t, 60)
	s.every = 4
	e := s.add(components.Replicate{Group: 1})
	s.run(20) // up to a tick that is sent
	(*components.Replicate)(s.world.Get(e, s.collector.marker)).Group = 2
	s.run(4)
	for _, gone := range []bool{false, true} {
		s.look(&rewindScreen{at: s.shown()})
		i, ok := s.view.Find(columns.PackEntity(e))
		require.True(t, ok)
		assert.Equal(t, gone, s.view.Target(i).Gone)
		if !gone {
			s.world.RemoveEntity(e)
			s.run(1)
		}
	}
}

// Views blend by the options of a component: they do not blend values that are too far apart, and an entity goes on
// after its last update.
//
// Proves: L1
func TestViewsFollowTheOptionsOfAComponent(t *testing.T) {
	s := newRewindServer(t, 60)
	leaps, glides := generic.NewMap1[rwLeap](&s.world), generic.NewMap1[rwGlide](&s.world)
	leaping, gliding := s.add(components.Replicate{SendEvery: 4}), s.add(components.Replicate{})
	leaps.Assign(leaping, &rwLeap{})
	glides.Assign(gliding, &rwGlide{})
	s.places.Remove(gliding) // or it is sent in each tick
	for range 40 {
		leaps.Get(leaping).X = 1000 * float64(s.tick+1)
		if s.tick < 1030 {
			glides.Get(gliding).X = 10 * float64(s.tick+1)
		}
		s.run(1)
		s.look(&rewindScreen{at: s.shown()})
		at := float64(s.shown()) / 256
		if leap, ok := valueIn[rwLeap](s, &s.view, leaping); ok && at > 1008 {
			assert.Zero(t, int(leap.X)%4000, "it is where it was at an update")
		}
		if glide, ok := valueIn[rwGlide](s, &s.view, gliding); ok && at > 1010 && at < 1035 {
			assert.InDelta(t, 10*at, glide.X, 0.01, "at %v", at)
		}
	}
}

// A component that was removed in a tick which is not sent is shown up to the next one that is.
//
// Proves: L4
func TestARemovedComponentIsInViewsUntilThatIsSent(t *testing.T) {
	s := newRewindServer(t, 60)
	s.every = 4
	e := s.add(components.Replicate{})
	s.run(21)
	require.EqualValues(t, 1021, s.tick)
	s.places.Remove(e)
	s.run(9)
	for at, want := range map[entangle.Tick]bool{1021: true, 1022: true, 1023: true, 1024: false} {
		s.look(&rewindScreen{at: timesync.ShownAt(at, 0)})
		_, ok := s.placeOf(&s.view, e)
		assert.Equal(t, want, ok, "as of tick %d", at)
	}
}

// What is hidden from a client, or from all of them, is not in its views either while its screen still has the entity.
//
// Proves: L4
func TestAHiddenComponentOfADepartedEntityIsInNoView(t *testing.T) {
	for _, depart := range []func(*rewindServer, ecs.Entity){
		func(s *rewindServer, e ecs.Entity) { s.world.RemoveEntity(e) },
		func(s *rewindServer, e ecs.Entity) {
			replicate := generic.NewMap1[components.Replicate](&s.world)
			replicate.Get(e).Target = components.Nobody
		},
	} {
		for _, target := range []func(*rewindServer) components.Target{
			func(*rewindServer) components.Target { return components.Nobody },
			func(s *rewindServer) components.Target { return s.collector.Visibility.Targets.Only(7) },
		} {
			s := newRewindServer(t, 60)
			e := s.add(components.Replicate{})
			s.collector.Override(e, s.cols[TypeOf[rwPlace]()], target(s))
			s.run(20)
			depart(s, e)
			s.run(3)
			s.look(&rewindScreen{at: s.shown()})
			_, ok := s.placeOf(&s.view, e)
			assert.False(t, ok)
			_, ok = valueIn[rwMark](s, &s.view, e)
			assert.True(t, ok)
		}
	}
}

// What is hidden from a client, or from all of them, is not in its views: a component of an entity that it predicts,
// too.
//
// Proves: L4
func TestAHiddenComponentIsInNoView(t *testing.T) {
	s := newRewindServer(t, 60)
	for i, predict := range []components.Target{components.Nobody, components.Everyone, components.Nobody, components.Everyone} {
		e, other := s.add(components.Replicate{Predict: predict}), s.add(components.Replicate{Predict: predict})
		s.collector.Override(e, s.cols[TypeOf[rwPlace]()], []components.Target{components.Nobody, s.collector.Visibility.Targets.Only(7)}[i/2])
		s.run(20)
		for _, look := range []func(){
			func() { s.look(&rewindScreen{at: s.shown()}) },
			func() { s.rewind.PresentOf(&s.view, s.peer, s.tick+1) },
		} {
			look()
			_, ok := s.placeOf(&s.view, e)
			assert.False(t, ok)
			_, ok = valueIn[rwMark](s, &s.view, e)
			assert.True(t, ok)
			_, ok = s.placeOf(&s.view, other)
			assert.True(t, ok)
		}
	}
}

// What was withheld from all clients at a time is in no view of that time, also after they are sent it again.
//
// Proves: L4
func TestWhatWasWithheldIsInNoViewOfThatTime(t *testing.T) {
	s := newRewindServer(t, 60)
	e := s.add(components.Replicate{})
	others := generic.NewMap1[rwOther](&s.world)
	others.Assign(e, &rwOther{})
	withhold := func(from components.Target) {
		s.collector.Override(e, s.cols[TypeOf[rwPlace]()], from)
		s.collector.Override(e, s.cols[TypeOf[rwOther]()], from)
	}
	s.run(20)
	withhold(components.Nobody)
	s.run(10)
	withhold(components.Everyone)
	s.run(10)
	for at, want := range map[entangle.Tick]bool{1019: true, 1021: false, 1030: false, 1031: true} {
		s.look(&rewindScreen{at: timesync.ShownAt(at, 0)})
		_, ok := s.placeOf(&s.view, e)
		assert.Equal(t, want, ok, "as of tick %d", at)
		_, ok = valueIn[rwMark](s, &s.view, e)
		assert.True(t, ok)
	}
}
