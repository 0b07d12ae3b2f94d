package sink

import (
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Component types of interpolated entities.
type (
	pastPlace struct{ X float32 } // blended
	pastScore struct{ N uint8 }   // Simple
	pastGoal  struct {            // blended
		Of ecs.Entity
		X  float32
	}
	pastRides struct { // blended
		ecs.Relation
		X float32
	}
	pastAim   struct{ Of ecs.Entity }   // Simple
	pastKnows struct{ ecs.Relation }    // Simple
	pastFlag  struct{}                  // Simple
	pastOwn   struct{ N uint8 }         // None
	pastMark  = components.Interpolated // by the server
)

// past is an applier that shows entities with components.Interpolated delay ticks after they arrive.
type past struct {
	hand
	delay    func(every int) int32
	fraction float32
	waits    bool             // the times are not known yet
	sampled  [2]entangle.Tick // of the last SampleReceived
	prophet  *prophet
}

func newPast(t testing.TB) *past {
	p := protocol.New(protocol.Config{Name: "past test"})
	protocol.Component[pastPlace](p).Predict(protocol.Full).Interpolate(protocol.Linear)
	protocol.Component[pastScore](p)
	protocol.Component[pastGoal](p).Interpolate(protocol.Linear)
	protocol.Component[pastRides](p).Interpolate(protocol.Linear)
	protocol.Component[pastAim](p)
	protocol.Component[pastKnows](p)
	protocol.Component[pastFlag](p)
	protocol.Component[pastOwn](p).InterpolateMode(protocol.None)
	protocol.Component[pastMark](p)
	require.NoError(t, registry.Seal(p))
	w, hub := ecs.NewWorld(), event.NewHub()
	h := &past{delay: func(int) int32 { return 5 }}
	h.hand = hand{t: t, world: &w, infos: registry.Of(p).Components, slots: map[repl.ID]repl.Slot{}, names: map[ecs.Entity]repl.Handle{}, tick: 1000}
	h.applier = NewApplier(&w, hub, h.infos, h.note("spawned"), h.note("despawned"))
	for _, info := range h.infos {
		events, name := hub.Component(info.Type), info.Type.Name()
		events.OnInserted, events.OnUpdated, events.OnRemoved = h.note(name+" inserted"), h.note(name+" updated"), h.note(name+" removed")
	}
	require.NoError(t, h.applier.InterpolateBy(h, h.infos, 60))
	far := ecs.NewWorld()
	h.far = append(h.far, ecs.Entity{})
	for g := repl.Handle(1); g < 100; g++ {
		h.far = append(h.far, far.NewEntity())
		h.names[h.far[g]] = g
	}
	return h
}

// predict gives the applier a prediction.
func (h *past) predict() {
	h.prophet = newProphet(h.world, h.infos)
	h.applier.PredictBy(h.prophet)
}

func (h *past) Begun() bool { return !h.waits }

func (h *past) Timeline(every int) (entangle.Tick, float32) {
	if h.waits {
		return 0, 0
	}
	return h.tick - entangle.Tick(h.delay(every)), h.fraction
}

func (h *past) PacketInterval() int { return 1 }

func (h *past) SampleReceived(_ int, before, tick entangle.Tick) {
	h.sampled = [2]entangle.Tick{before, tick}
}

// link is a relation with its target. ride is one with a value that is blended.
type (
	link struct{ to repl.Handle }
	ride struct {
		to repl.Handle
		x  float32
	}
)

func (h *past) comp(v any) int {
	t := reflect.TypeOf(v)
	switch v.(type) {
	case link:
		t = reflect.TypeFor[pastKnows]()
	case ride:
		t = reflect.TypeFor[pastRides]()
	}
	for i, info := range h.infos {
		if info.Type == t {
			return i
		}
	}
	panic("not registered")
}

func (h *past) encode(w *bits.Writer, v any) {
	if l, ok := v.(link); ok {
		h.appendRef(w, h.far[l.to])
		return
	}
	if r, ok := v.(ride); ok {
		h.encode(w, pastRides{X: r.x})
		h.appendRef(w, h.far[r.to])
		return
	}
	info := h.infos[h.comp(v)]
	memory := reflect.New(info.Type)
	memory.Elem().Set(reflect.ValueOf(v))
	info.Plan.Encode(w, unsafe.Slice((*byte)(memory.UnsafePointer()), info.Plan.Size()), h)
}

func (h *past) reader(values ...any) *bits.Reader {
	var w bits.Writer
	h.table = nil
	for _, v := range values {
		h.encode(&w, v)
	}
	r := &bits.Reader{}
	r.Reset(w.Finish())
	return r
}

func (h *past) state(g repl.Handle, values ...any) {
	h.applier.Member(h.slots[repl.ID{Group: g}], true)
	h.insert(values...)
}

func (h *past) insert(values ...any) {
	for _, v := range values {
		require.NoError(h.t, h.applier.Insert(h.reader(v), h.comp(v), h))
	}
}

// change inserts or updates components of a member.
func (h *past) change(g repl.Handle, values ...any) {
	h.applier.Member(h.slots[repl.ID{Group: g}], false)
	h.insert(values...)
}

func (h *past) remove(g repl.Handle, values ...any) {
	h.applier.Member(h.slots[repl.ID{Group: g}], false)
	for _, v := range values {
		h.applier.Remove(h.comp(v))
	}
}

func (h *past) come(g repl.Handle, values ...any) {
	h.record(func() { h.spawn(g); h.state(g, values...) })
}

func (h *past) update(g repl.Handle, values ...any) {
	h.tick++
	var comps set.Mask
	for _, v := range values {
		comps.Set(h.comp(v))
	}
	require.NoError(h.t, updateEntity(h.applier, h.slots[repl.ID{Group: g}], h.tick, &comps, h.reader(values...), h))
}

// frames runs frames of one tick each.
func (h *past) frames(n int) {
	for range n {
		h.tick++
		h.applier.Interpolate()
	}
}

func (h *past) has(g repl.Handle, v any) bool {
	e := h.entity(g)
	return h.world.Alive(e) && h.world.Has(e, ecs.TypeID(h.world, h.infos[h.comp(v)].Type))
}

// rest requires that nothing waits, and that nothing is left of interpolated entities beyond the replicas.
func (h *past) rest() {
	in := &h.applier.interpolation
	n, hidden := 0, 0
	for s := range h.applier.Replicas.Info {
		if at := h.applier.Replicas.Info[s].snapshotSlot; at != 0 {
			n++
			if !in.slots[at].shown {
				hidden++
			}
		}
	}
	require.Equal(h.t, hidden, in.hidden)
	require.Equal(h.t, n, in.samples.Stats().Slots)
	require.Equal(h.t, len(in.pending.list), in.pending.gone, "pending")
}

// The end of an interpolation that is shown because a prediction begins leaves the rest of the record alone.
func TestAnInterpolationThatEndedIsPredicted(t *testing.T) {
	h := newPast(t)
	h.predict()
	h.come(2)
	h.come(1, pastMark{SendEvery: 1}, pastScore{1})
	h.frames(10)
	h.record(func() { h.remove(1, pastMark{}) })
	h.tick += 2
	now := h.tick + 1
	h.record(func() {
		h.change(1, pastScore{3})
		h.change(2, pastScore{4})
		h.applier.Predict(h.slots[repl.ID{Group: 1}], true)
		require.Len(t, h.applier.stage.members, 2)
	})
	assert.Len(t, h.applier.stage.members, 2)
	assert.Equal(t, now, h.applier.stage.tick)
	at := h.applier.Replicas.Info[h.slots[repl.ID{Group: 1}]].storeSlot
	require.NotZero(t, at)
	assert.Equal(t, now, h.applier.prediction.store.Confirmed(at).Tick)
	h.rest()
}

// What arrives before the times are known is shown at its tick, too, whatever that is.
//
// Proves: N9
func TestWhatComesFirstIsShownAtItsTick(t *testing.T) {
	for _, tick := range []entangle.Tick{1_000, 100_000, 3_000_000_000} {
		h := newPast(t)
		h.tick, h.waits = tick, true
		h.come(1, pastMark{SendEvery: 1}, pastPlace{1}, pastScore{1})
		h.applier.Interpolate()
		h.waits = false
		for range 4 {
			h.frames(1)
			assert.False(t, h.has(1, pastScore{}), tick)
		}
		h.frames(1)
		require.True(t, h.has(1, pastScore{}), tick)
		h.update(1, pastPlace{3})
		h.frames(6)
		assert.Equal(t, pastPlace{3}, *at[pastPlace](&h.hand, 1), tick)
		h.rest()
	}
}

// The ends of many entities do not search the changes of all others.
func TestManyInterpolatedEntitiesEndTogether(t *testing.T) {
	const n = 30000
	h := newPast(t)
	h.record(func() {
		for g := repl.Handle(1); g <= n; g++ {
			h.spawn(g)
			h.state(g, pastMark{SendEvery: 1}, pastFlag{})
		}
	})
	h.record(func() {
		for g := repl.Handle(1); g <= n; g++ {
			h.despawn(g)
		}
	})
	h.frames(10) // at a cost that grew with the square of n, these would take minutes
	assert.Zero(t, h.applier.Replicas.Len())
	h.rest()
}

// Changes without values take memory, too.
func TestChangesWithoutValuesAreBounded(t *testing.T) {
	h := newPast(t)
	h.delay = func(int) int32 { return 500 }
	h.come(1, pastMark{SendEvery: 1})
	tick := h.tick
	for n := 0; n < maxPendingBytes/100; n += 2 {
		h.record(func() { h.change(1, pastFlag{}) })
		h.record(func() { h.remove(1, pastFlag{}) })
	}
	h.tick = tick
	h.frames(1)
	h.rest()
}

// A run of entities that spawn together refers to no entity that is not shown yet.
func TestSpawnsReferToNoHiddenEntity(t *testing.T) {
	h := newPast(t)
	h.come(1, pastMark{SendEvery: 1})
	var comps set.Mask
	comps.Set(h.comp(pastAim{}))
	h.tick++
	if room := h.applier.BeginSpawns(h.tick, &comps); room > 0 {
		require.NoError(t, h.applier.ReadSpawn(h.reader(pastAim{h.far[1]}), h))
		id := repl.ID{Group: 2}
		h.slots[id] = h.applier.CommitSpawns([]repl.ID{id})[0]
	} else {
		h.come(2, pastAim{h.far[1]})
	}
	assert.Zero(t, at[pastAim](&h.hand, 2).Of)
	h.frames(8)
	assert.Equal(t, h.entity(1), at[pastAim](&h.hand, 2).Of)
	h.rest()
}

// A component that comes again, while the entity rests, begins with its new value.
func TestAComponentThatComesAgainHasNoFormerValue(t *testing.T) {
	h := newPast(t)
	h.come(1, pastMark{SendEvery: 10}, pastPlace{1})
	h.frames(10)
	h.record(func() { h.remove(1, pastPlace{}) })
	h.frames(20)
	require.False(t, h.has(1, pastPlace{}))
	h.record(func() { h.change(1, pastPlace{100}) })
	h.frames(4)
	for range 10 {
		h.frames(1)
		if h.has(1, pastPlace{}) {
			assert.Equal(t, pastPlace{100}, *at[pastPlace](&h.hand, 1))
		}
	}
}

// A component that comes again begins with its new value also if that has arrived before its removal is shown, and late.
func TestAComponentThatComesAgainBeforeItIsGoneHasNoFormerValue(t *testing.T) {
	h := newPast(t)
	h.come(1, pastMark{SendEvery: 2}, pastPlace{1})
	h.frames(10)
	shown := h.tick + 1
	h.delay, h.fraction = func(int) int32 { return h.tick.Sub(shown) }, 0.5
	h.applier.Interpolate()
	h.record(func() { h.remove(1, pastPlace{}) })
	h.tick++
	h.record(func() { h.change(1, pastPlace{100}) })
	h.applier.Interpolate()
	require.False(t, h.has(1, pastPlace{}))
	shown, h.fraction = shown+2, 0.25
	h.applier.Interpolate()
	require.True(t, h.has(1, pastPlace{}))
	assert.Equal(t, pastPlace{100}, *at[pastPlace](&h.hand, 1))
}

// A relation whose target goes before the relation is shown, and returns, gets it back.
func TestATargetThatGoesBeforeTheRelationIsShown(t *testing.T) {
	for name, back := range map[string]int{"before": 1, "after": 10} {
		t.Run(name, func(t *testing.T) {
			h := newPast(t)
			h.come(2)
			h.come(1, pastMark{SendEvery: 1})
			h.frames(10)
			h.record(func() { h.change(1, link{2}) })
			h.record(func() { h.despawn(2) })
			h.frames(back)
			h.come(2)
			h.frames(10)
			require.True(t, h.has(1, link{}))
			assert.Equal(t, h.entity(2), h.world.Relations().Get(h.entity(1), ecs.ComponentID[pastKnows](h.world)))
			assert.Zero(t, h.waiting())
			h.rest()
		})
	}
}

// An entity that is interpolated again before the end of its interpolation is shown stays interpolated.
func TestAnInterpolationThatEndsAndBeginsAgain(t *testing.T) {
	h := newPast(t)
	h.come(1, pastMark{SendEvery: 1}, pastPlace{1})
	h.frames(10)
	h.took()
	h.record(func() { h.remove(1, pastMark{}) })
	h.record(func() { h.change(1, pastMark{SendEvery: 1}) })
	h.frames(10)
	assert.True(t, h.has(1, pastMark{}))
	assert.Equal(t, []string{"Interpolated removed 1", "Interpolated inserted 1"}, h.took())
	h.update(1, pastPlace{9})
	h.frames(4)
	assert.Less(t, at[pastPlace](&h.hand, 1).X, float32(9), "it is in the past")
	h.frames(4)
	assert.Equal(t, pastPlace{9}, *at[pastPlace](&h.hand, 1))
	h.rest()
}

// An entity that returns while its former replica is still shown takes its place, although its own timeline is ahead.
func TestAnEntityReturnsBeforeItsFormerEndIsShown(t *testing.T) {
	h := newPast(t)
	h.delay = func(every int) int32 { return int32(3 * every) }
	h.come(1, pastMark{SendEvery: 10})
	h.frames(40)
	h.come(2, pastAim{h.far[1]}, link{1})
	h.record(func() { h.despawn(1) })
	h.come(1, pastMark{SendEvery: 1})
	h.frames(40)
	assert.Equal(t, h.entity(1), at[pastAim](&h.hand, 2).Of)
	assert.Equal(t, h.entity(1), h.world.Relations().Get(h.entity(2), ecs.ComponentID[pastKnows](h.world)))
	assert.Zero(t, h.waiting())
	h.rest()
}

// A reference of a value that is shown does not wait if a newer value is not shown yet.
func TestAReferenceThatIsShownLeavesTheNewerOne(t *testing.T) {
	h := newPast(t)
	h.delay = func(every int) int32 { return int32(3 * every) }
	h.come(1, pastMark{SendEvery: 1})
	h.come(3)
	h.frames(10)
	h.come(2, pastMark{SendEvery: 10})
	h.record(func() { h.change(1, pastAim{h.far[2]}) })
	h.record(func() { h.change(1, pastAim{h.far[3]}) })
	h.frames(40)
	assert.Equal(t, h.entity(3), at[pastAim](&h.hand, 1).Of)
	h.rest()
}

// A reference of a value that is shown does not wait if its component is removed already.
func TestAReferenceThatIsShownOfARemovedComponent(t *testing.T) {
	h := newPast(t)
	h.delay = func(every int) int32 { return int32(3 * every) }
	h.come(1, pastMark{SendEvery: 1})
	h.frames(10)
	h.come(2, pastMark{SendEvery: 10})
	h.record(func() { h.change(1, pastAim{h.far[2]}) })
	h.record(func() { h.remove(1, pastAim{}) })
	h.record(func() { h.despawn(1) })
	h.frames(10)
	assert.Zero(t, h.waiting(), "the slot of its holder is free")
}

// The events of components.Interpolated tell when an entity has it in the world, also as its prediction begins and
// ends.
func TestEventsOfInterpolatedFollowThePrediction(t *testing.T) {
	h := newPast(t)
	h.predict()
	h.come(1, pastMark{SendEvery: 1})
	h.frames(10)
	h.took()
	h.record(func() { h.applier.Predict(h.slots[repl.ID{Group: 1}], true) })
	h.update(1, pastMark{SendEvery: 2})
	h.record(func() { h.change(1, pastMark{SendEvery: 3}) })
	assert.Equal(t, []string{"Interpolated removed 1"}, h.took())
	h.record(func() { h.applier.Predict(h.slots[repl.ID{Group: 1}], false) })
	assert.Equal(t, []string{"Interpolated inserted 1"}, h.took())
}

// A component that is left out is not on an entity while it is interpolated, also if the entity was not interpolated
// at first, or was predicted. It has the newest value afterwards.
func TestAComponentThatIsLeftOutComesBack(t *testing.T) {
	for _, predicted := range []bool{false, true} {
		t.Run(fmt.Sprint(predicted), func(t *testing.T) {
			h := newPast(t)
			h.predict()
			h.come(1, pastOwn{1}, pastScore{1})
			s := h.slots[repl.ID{Group: 1}]
			if predicted {
				h.record(func() { h.applier.Predict(s, true) })
			}
			h.record(func() { h.change(1, pastMark{SendEvery: 1}, pastOwn{2}) })
			h.took()
			if predicted {
				h.record(func() { h.applier.Predict(s, false) })
			} else {
				h.frames(10)
			}
			assert.False(t, h.has(1, pastOwn{}))
			assert.ElementsMatch(t, []string{"Interpolated inserted 1", "pastOwn removed 1"}, h.took())
			h.update(1, pastOwn{3})
			if predicted {
				h.record(func() { h.applier.Predict(s, true) })
			} else {
				h.record(func() { h.remove(1, pastMark{}) })
			}
			h.frames(10)
			require.True(t, h.has(1, pastOwn{}))
			assert.Equal(t, pastOwn{3}, *at[pastOwn](&h.hand, 1))
			assert.Contains(t, h.took(), "pastOwn inserted 1")
			h.rest()
		})
	}
}

// An entity that stays without its server, and was predicted, has all components, and is not interpolated.
func TestAnOrphanIsNotInterpolated(t *testing.T) {
	for _, predicted := range []bool{false, true} {
		h := newPast(t)
		h.predict()
		h.come(1, pastMark{SendEvery: 1}, pastOwn{1})
		h.frames(10)
		e, s := h.entity(1), h.slots[repl.ID{Group: 1}]
		if predicted {
			h.record(func() { h.applier.Predict(s, true) })
		}
		h.record(func() { h.applier.Orphan(s) })
		h.frames(10)
		assert.True(t, h.world.Has(e, ecs.ComponentID[pastOwn](h.world)), predicted)
		assert.False(t, h.world.Has(e, ecs.ComponentID[pastMark](h.world)), predicted)
		h.rest()
	}
}

// Showing a thousand interpolated entities, of which the values change in each tick, does not allocate.
func TestShowingAllocatesNothing(t *testing.T) {
	const n = 1000
	h := newPast(t)
	h.record(func() {
		for g := repl.Handle(1); g <= n; g++ {
			h.spawn(g)
			h.state(g, pastMark{SendEvery: uint32(g%3 + 1)}, pastPlace{}, pastScore{}, pastAim{}, pastGoal{})
		}
	})
	both, place := set.MaskOf(h.comp(pastPlace{})).Or(set.MaskOf(h.comp(pastScore{}))), set.MaskOf(h.comp(pastPlace{}))
	var others, scored []repl.Slot
	var values [2]bits.Writer
	before := make([]entangle.Tick, n)
	for g := repl.Handle(1); g <= n; g++ {
		if slot := h.slots[repl.ID{Group: g}]; g%2 == 0 {
			scored = append(scored, slot)
			h.encode(&values[0], pastPlace{float32(g)})
			h.encode(&values[0], pastScore{uint8(g)})
		} else {
			others = append(others, slot)
			h.encode(&values[1], pastPlace{float32(g)})
		}
	}
	bytes := [2][]byte{values[0].Finish(), values[1].Finish()}
	var r bits.Reader
	frame := func() {
		h.tick++
		for i, slots := range [][]repl.Slot{scored, others} {
			for k := range slots {
				before[k] = h.tick - 1
			}
			r.Reset(bytes[i])
			if _, err := h.applier.UpdateBlock(slots, before, h.tick, []*set.Mask{&both, &place}[i], &r, h); err != nil {
				panic(err)
			}
		}
		h.applier.Interpolate()
	}
	updates := 0
	for _, v := range []any{pastPlace{}, pastScore{}} {
		h.applier.comps[h.comp(v)].events.OnUpdated = func(ecs.Entity) { updates++ }
	}
	for range 600 {
		frame()
	}
	updates = 0
	assert.Zero(t, alloctest.Count(50, frame))
	assert.Zero(t, updates%(n+n/2), "once for each value")
	assert.Positive(t, updates)
	assert.Equal(t, uint8(4), at[pastScore](&h.hand, 4).N)
}

// An entity that was predicted from the start has no changes that wait.
func TestASpawnThatIsPredictedBeginsAgain(t *testing.T) {
	h := newPast(t)
	h.predict()
	one := repl.ID{Group: 1}
	h.record(func() {
		h.spawn(1)
		h.state(1, pastMark{SendEvery: 1})
		h.applier.Predict(h.slots[one], true)
	})
	for _, on := range []bool{false, true, false, true} {
		h.record(func() { h.applier.Predict(h.slots[one], on) })
	}
	assert.True(t, h.world.Has(h.entity(1), ecs.ComponentID[components.Predicted](h.world)))
	h.rest()
}

// The end of a target in the record that begins a prediction is told before the changes that this shows.
func TestATargetGoesAsAPredictionBegins(t *testing.T) {
	h := newPast(t)
	h.predict()
	h.come(2)
	h.come(1, pastMark{SendEvery: 1}, link{2})
	h.frames(10)
	h.took()
	h.record(func() { h.remove(1, link{}) })
	h.record(func() { h.change(1, link{0}) })
	h.record(func() {
		h.despawn(2)
		h.applier.Predict(h.slots[repl.ID{Group: 1}], true)
	})
	assert.Equal(t, []string{"despawned 0", "pastKnows updated 1", "pastKnows removed 1", "pastKnows inserted 1", "Interpolated removed 1"}, h.took())
}

// The relation of an entity that the game has removed waits for no target.
func TestARemovedHolderWaitsForNoTarget(t *testing.T) {
	h := newPast(t)
	h.come(2)
	h.come(1, pastMark{SendEvery: 1}, link{2})
	h.frames(10)
	h.world.RemoveEntity(h.entity(1))
	h.record(func() { h.remove(1, link{}) })
	h.record(func() { h.despawn(2) })
	h.applier.Clear()
	assert.Zero(t, h.waiting())
	h.rest()
}

// A teleport that arrives after the change by which an entity begins or ends to be predicted is not shown as the way
// of its handover, whether both arrive in one frame or not.
//
// Proves: N16
func TestATeleportEndsAHandover(t *testing.T) {
	for _, begins := range []bool{true, false} {
		for _, between := range []int{0, 1, 3} {
			h := newPast(t)
			h.predict()
			clock := &components.Time{Step: time.Second / 60}
			display, now := tick.InstallDisplay(h.world, nil, clock), time.Unix(100, 0)
			display.Restore(now)
			h.come(1, pastMark{SendEvery: 1}, pastPlace{10})
			h.frames(10)
			s := h.slots[repl.ID{Group: 1}]
			places := generic.NewMap1[pastPlace](h.world)
			if !begins {
				h.record(func() { h.applier.Predict(s, true) })
				display.EndHandover(h.entity(1), h.infos[h.comp(pastPlace{})])
				display.Show()
				places.Get(h.entity(1)).X = 50 // by the client
			}
			show := func() float32 {
				clock.Tick = h.tick + 5
				h.frames(1)
				display.Show()
				shown := places.Get(h.entity(1)).X
				now = now.Add(clock.Step)
				display.Restore(now)
				return shown
			}
			display.Restore(now)
			h.record(func() { h.change(1, pastPlace{20}); h.applier.Predict(s, begins) })
			for range between {
				assert.NotContains(t, []float32{10, 20}, show(), "the handover is shown")
			}
			h.record(func() { h.change(1, pastMark{SendEvery: 1, Teleports: 1}, pastPlace{100}) })
			if begins {
				places.Get(h.entity(1)).X = 100 // by a rollback
				assert.InDelta(t, 100, show(), 0)
				continue
			}
			for range 10 {
				if shown := show(); shown != 100 {
					assert.LessOrEqual(t, shown, float32(20))
				}
			}
			assert.InDelta(t, 100, show(), 0)
		}
	}
}

// The present state of a predicted entity is that of the simulation, also while the screen shows its handover.
func TestPredictedStateIsNotThatOfAHandover(t *testing.T) {
	h := newPast(t)
	h.predict()
	display, now := tick.InstallDisplay(h.world, nil, &components.Time{Step: time.Second / 60}), time.Unix(100, 0)
	display.Restore(now)
	h.come(1, pastMark{SendEvery: 1}, pastPlace{10})
	h.frames(10)
	h.record(func() { h.change(1, pastPlace{20}); h.applier.Predict(h.slots[repl.ID{Group: 1}], true) })
	before := h.applier.Predicted(h.infos).Entities
	require.Len(t, before, 1)
	display.Show()
	require.InDelta(t, 10, at[pastPlace](&h.hand, 1).X, 0)
	assert.Equal(t, before, h.applier.Predicted(h.infos).Entities)
	assert.InDelta(t, 10, at[pastPlace](&h.hand, 1).X, 0)
}

// An arrival that makes a difference on the screen at once is late: of an entity of a time that was shown already, of a
// value for which the entity waits, or of one that ends the former entity with its id before its time. What is shown
// when it is due is not.
//
// Proves: L1, L4
func TestWhatMakesADifferenceAtOnceIsLate(t *testing.T) {
	h := newPast(t)
	h.come(9, pastMark{SendEvery: 1}) // the first one of its timeline
	h.frames(9)
	late := func(arrive func()) bool {
		h.applier.TakeLate()
		arrive()
		is := h.applier.TakeLate()
		assert.False(t, h.applier.TakeLate(), "it is reported once")
		return is
	}
	assert.False(t, late(func() { h.frames(1) }), "nothing arrived")
	assert.False(t, late(func() { h.come(1, pastMark{SendEvery: 1}, pastPlace{1}) }))
	h.frames(3)
	assert.False(t, late(func() { h.update(1, pastPlace{2}) }))
	h.frames(9)
	assert.True(t, late(func() { h.update(1, pastPlace{3}) }), "it rested")
	assert.True(t, late(func() { h.tick -= 20; h.come(2, pastMark{SendEvery: 1}, pastPlace{1}); h.tick += 20 }), "it is shown at once")
	h.frames(9)
	assert.False(t, late(func() { h.come(5, pastMark{SendEvery: 1}, pastScore{1}) }), "it has nothing that is blended, and is shown later")
	delay := h.delay
	h.delay = func(int) int32 { return 0 }
	assert.True(t, late(func() { h.come(6, pastMark{SendEvery: 1}, pastScore{1}) }), "it has nothing that is blended, and is shown at once")
	h.delay = delay
	h.frames(9)
	assert.False(t, late(func() { h.record(func() { h.despawn(2) }) }), "its end is shown later")
	assert.True(t, late(func() { h.come(2, pastMark{SendEvery: 1}, pastPlace{1}) }), "the former one ends at once")
	assert.True(t, late(func() { h.come(3, pastScore{1}) }), "it is in the present")
	assert.True(t, late(func() {
		comps, id := set.MaskOf(h.comp(pastScore{})), repl.ID{Group: 4}
		require.Positive(t, h.applier.BeginSpawns(h.tick, &comps))
		require.NoError(t, h.applier.ReadSpawn(h.reader(pastScore{1}), h))
		h.slots[id] = h.applier.CommitSpawns([]repl.ID{id})[0]
	}), "so is one of a run")
}

// An entity that rests sets off at the tick up to which its group says that it had not changed, however its update is decoded.
// It sets off at once if that is not known: where it has come from another group, for which its state is sent whole.
//
// Proves: N1
func TestAnEntityRestsUntilItsGroupSaysThatItChanged(t *testing.T) {
	for name, with := range map[string][]any{
		"alone":               {pastPlace{10}},
		"with a reference":    {pastAim{}, pastPlace{10}},
		"with a relation":     {link{1}, pastPlace{10}},
		"whole, in one group": nil,
	} {
		h := newPast(t)
		h.come(1, pastMark{SendEvery: 1}, pastPlace{}, pastAim{}, link{1})
		h.come(2, pastMark{SendEvery: 1}, pastPlace{}, pastAim{}, link{1})
		h.come(3, pastPlace{}, pastAim{}, link{1})
		h.come(4, pastMark{SendEvery: 1}, pastPlace{}, pastAim{}, link{1})
		h.frames(20)
		h.tick++
		begun := map[repl.Handle]entangle.Tick{1: h.tick - 4, 2: h.tick - 2, 4: h.tick - 3}
		if with == nil {
			h.applier.Begin(h.tick, h.tick-2)
			for g := range begun {
				h.state(g, pastMark{SendEvery: 1}, pastPlace{10}, pastAim{}, link{1})
				begun[g] = h.tick - 6 // the last frame
			}
			h.applier.Commit()
		} else {
			var comps set.Mask
			var slots []repl.Slot
			var before []entangle.Tick
			var values []any
			for g := repl.Handle(1); g <= 4; g++ {
				slots, before, values = append(slots, h.slots[repl.ID{Group: g}]), append(before, begun[g]), append(values, with...)
			}
			for _, v := range with {
				comps.Set(h.comp(v))
			}
			n, err := h.applier.UpdateBlock(slots, before, h.tick, &comps, h.reader(values...), h)
			require.NoError(t, err)
			require.Equal(t, len(slots), n)
			assert.Equal(t, [2]entangle.Tick{begun[4], h.tick}, h.sampled, "the clock does not take the rest for a gap")
		}
		for end := h.tick; h.tick != end+5; h.tick++ {
			h.applier.Interpolate()
			for g, from := range begun {
				now := h.tick - 5
				want := 10 * max(0, float64(now.Sub(from))/float64(end.Sub(from)))
				assert.InDelta(t, want, at[pastPlace](&h.hand, g).X, 1e-3, "%s: entity %d, %d ticks before its value", name, g, end.Sub(now))
			}
		}
	}
}
