package sink

import (
	"fmt"
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
)

// Timelines is the clock of interpolated entities. They are shown in the past, so far behind that the values
// after the shown time have usually arrived. How far that is depends on the number of ticks from one update
// of an entity to the next.
type Timelines interface {
	// Begun reports whether the times of this connection are known. They are not in the frame in which the first
	// values arrive.
	Begun() bool
	// Timeline returns the time at which entities with an interval are shown in this frame.
	Timeline(every int) (tick entangle.Tick, fraction float32)
	// PacketInterval returns the interval of entities that have none of their own, in ticks.
	PacketInterval() int
	// SampleReceived reports that the values of an entity as of a tick arrived in this frame. Until now
	// the newest were of the tick previous.
	SampleReceived(every int, previous, tick entangle.Tick)
}

// interpolation holds the state of interpolated entities, which the world shows later than it arrives. Their
// confirmed state goes to columns at once. Changes of structure and of values that are not blended wait
// until the entity is shown at their tick (pendingChanges); values that are blended go to the samples.
type interpolation struct {
	clock   Timelines
	infos   []*registry.Component
	valueOf func(int) []byte // Applier.sampleValue, which allocates when it is evaluated
	sampled snapshot.Slot    // its argument
	comp    int              // the number of components.Interpolated; -1: nothing is interpolated in this world
	marker  ecs.ID           // components.Interpolated
	leftOut set.Mask         // components that an interpolated entity does not have in the world
	samples *snapshot.Store
	blended blendedColumns

	slots     []interpolated // by slot of samples
	confirmed confirmedColumns
	pending   pendingChanges
	hidden    int                       // number of entities that are not shown yet
	shown     int                       // number of entities that are, in this frame
	leaving   map[repl.ID]snapshot.Slot // entities of which the end has arrived, and is not shown yet
	stages    []stage                   // unused, of changes that are shown

	left []leftSamples // of entities that have begun to be predicted in this frame
	// begun are the replicas in the world that have got a slot since the last frame: the table need not
	// have changed, because they may have had another one before.
	begun []repl.Slot
	seen  func(inspect.Interpolation) // see WatchInterpolation
	late  lateArrivals
}

// blendedColumns are the components with values between two samples, in the world.
type blendedColumns struct {
	mask  set.Mask
	comps []int // the same, by column of the table
	refs  blendedRefs
	table *columns.Table // the entities that have the marker

	bySlot []snapshot.Slot  // by slot of the table
	places []snapshot.Slot  // scratch: of the rows of a segment
	one    []byte           // scratch: of valueOfSlot
	single [1]snapshot.Slot // scratch
}

// lateArrivals says what TakeLate has reported.
type lateArrivals struct {
	samples uint64 // the value of Store.Late then
	// atOnce: an entity has appeared since when it arrived, has ended because another one did, or has nothing that is
	// blended, and what arrived of it was of a time that was shown already.
	atOnce bool
}

// leftSamples are the samples of a component by which an entity is not shown any more.
type leftSamples struct {
	handover *tick.Handover
	replica  repl.Slot
	at       snapshot.Slot
	comp     int
}

// interpolated is an interpolated entity.
type interpolated struct {
	replica repl.Slot
	every   int           // number of ticks from one update to the next
	shown   bool          // it is in the world with its components
	mask    set.Mask      // its components in the world, as the server has them
	tick    entangle.Tick // of the newest sample
	sampled bool

	has set.Mask // confirmed state
}

// confirmedColumns holds the confirmed values of interpolated entities, by component and slot.
type confirmedColumns struct {
	sizes  []int
	values [][]byte
	slots  int
}

func (c *confirmedColumns) value(s snapshot.Slot, comp int) []byte {
	size := c.sizes[comp]
	if n := c.slots * size; len(c.values[comp]) < n {
		c.values[comp] = append(c.values[comp], make([]byte, n-len(c.values[comp]))...)
	}
	at, end := int(s)*size, (int(s)+1)*size
	return c.values[comp][at:end:end]
}

// place returns the address of a value.
func (c *confirmedColumns) place(s snapshot.Slot, comp int) *byte {
	value := c.value(s, comp)
	if len(value) == 0 {
		return &tagPlace
	}
	return &value[0]
}

// InterpolateBy makes the applier show entities with components.Interpolated in the past. It must be called
// before the first record, and does nothing if that component is not registered. The error says that the
// world has a listener of its own.
func (a *Applier) InterpolateBy(clock Timelines, infos []*registry.Component, tickRate int) error {
	in := &a.interpolation
	var blended []columns.Column
	sizes, kinds := make([]int, len(infos)), make([]snapshot.Kind, len(infos))
	for i, info := range infos {
		sizes[i] = info.Plan.Size()
		if info.Type == reflect.TypeFor[components.Interpolated]() {
			in.comp, in.marker = i, a.comps[i].id
		}
		if a.comps[i].interpolate == registry.None {
			in.leftOut.Set(i)
		}
		if info.Interpolate == registry.Full && info.Plan.Size() > 0 && !info.Input {
			in.blended.mask.Set(i)
			if info.Plan.HasRefs() {
				in.blended.refs.comps.Set(i)
			}
			in.blended.comps = append(in.blended.comps, i)
			blended = append(blended, columns.Column{ID: a.comps[i].id, Size: sizes[i]})
			kinds[i] = snapshot.Kind{
				Size: info.Plan.Size(), Blend: info.Blend, Each: info.Each, Curve: info.Curve, With: info.With,
				Discrete: info.Discrete, TooFar: info.TooFar, Extrapolate: snapshot.TicksOf(info.Extrapolate, tickRate),
			}
		}
	}
	if in.comp < 0 {
		return nil
	}
	table, err := columns.NewStructure(a.world, in.marker, blended)
	if err != nil {
		return fmt.Errorf("sink: interpolation: %w", err)
	}
	a.persistence.marks = append(a.persistence.marks, in.marker)
	in.clock, in.blended.table, in.samples = clock, table, snapshot.New(kinds, tickRate)
	in.blended.refs.hold, in.blended.refs.restore = in.blended.refs.holdOne, in.blended.refs.restoreOne
	in.infos, in.valueOf, in.leaving = infos, a.sampleValue, map[repl.ID]snapshot.Slot{}
	in.confirmed = confirmedColumns{sizes: sizes, values: make([][]byte, len(infos))}
	return tick.ShareListener(a.world, table.Listener())
}

// Samples returns the two samples that a component of an interpolated entity is shown between, and the share of
// the second. ok is false if the entity is not interpolated, or the component is not blended.
func (a *Applier) Samples(e ecs.Entity, comp int) (from, to []byte, share float32, ok bool) {
	s, ours := a.Replicas.Slot(e)
	if col := set.MaskOf(comp); !ours || !a.isInterpolated(s) || !a.interpolation.samples.Holds(a.Replicas.Info[s].snapshotSlot, &col) {
		return nil, nil, 0, false
	}
	at, samples := a.Replicas.Info[s].snapshotSlot, a.interpolation.samples
	return samples.From(at, comp), samples.To(at, comp), samples.Share(at), true
}

// SetFunction sets the function that blends a component of an interpolated entity, nil for that of its
// registration. It lasts as long as the entity is interpolated. It returns false if the entity is not, or the
// component is not blended.
func (a *Applier) SetFunction(e ecs.Entity, comp int, blend func(dst, a, b []byte, t float64)) bool {
	s, ours := a.Replicas.Slot(e)
	if !ours || a.Replicas.Info[s].snapshotSlot == 0 || !a.interpolation.blended.mask.Has(comp) {
		return false
	}
	a.interpolation.samples.SetFunction(a.Replicas.Info[s].snapshotSlot, comp, blend)
	return true
}

// isInterpolated reports whether the confirmed state of a replica is in the columns of interpolated entities.
// A predicted entity that would be interpolated otherwise has samples only, so that they are there when its
// prediction ends.
func (a *Applier) isInterpolated(s repl.Slot) bool {
	k := &a.Replicas.Info[s]
	return k.snapshotSlot != 0 && k.storeSlot == 0
}

// isHidden reports whether a replica is interpolated and not shown yet.
func (a *Applier) isHidden(s repl.Slot) bool {
	at := a.Replicas.Info[s].snapshotSlot
	return at != 0 && !a.interpolation.slots[at].shown
}

// isLeaving reports whether a replica has ended, and is still shown.
func (a *Applier) isLeaving(s repl.Slot) bool {
	at := a.Replicas.Info[s].snapshotSlot
	return at != 0 && a.interpolation.leaving[a.Replicas.Info[s].ID] == at
}

// isDespawned reports whether the server has despawned a replica that is still shown.
func (a *Applier) isDespawned(s repl.Slot) bool {
	p := &a.interpolation.pending
	return a.isLeaving(s) && p.list[p.lastOf(a.Replicas.Info[s].snapshotSlot)-1].kind == changeDespawn
}

// Leaving returns a replica that has ended, and is still shown.
func (a *Applier) Leaving(id repl.ID) (s repl.Slot, ok bool) {
	at, ok := a.interpolation.leaving[id]
	if !ok {
		return repl.NoSlot, false
	}
	return a.interpolation.slots[at].replica, true
}

// ShowsTick reports whether the interpolated entities without a send interval of their own are shown as of a tick, or of
// a later one. It is true as long as no entity is interpolated.
func (a *Applier) ShowsTick(tick entangle.Tick) bool {
	in := &a.interpolation
	if in.clock == nil || in.hidden+in.shown == 0 {
		return true
	}
	shown, _ := in.clock.Timeline(in.clock.PacketInterval())
	return !shown.Before(tick)
}

// ShowsReplica reports whether a replica is shown as of a tick, or of a later one: with all changes of that tick. It is
// true for one that is not interpolated, or that the game has removed.
func (a *Applier) ShowsReplica(s repl.Slot, tick entangle.Tick) bool {
	if !a.isInterpolated(s) || !a.world.Alive(a.Replicas.entities[s].entity) {
		return true
	}
	one := &a.interpolation.slots[a.Replicas.Info[s].snapshotSlot]
	return one.shown && !a.shownTick(one).Before(tick)
}

// beginInterpolation begins to keep the confirmed state of a replica apart from the world. shown says whether
// the world has the replica already: its values there are the confirmed state.
func (a *Applier) beginInterpolation(s repl.Slot, shown bool) *interpolated {
	in, k, e := &a.interpolation, &a.Replicas.Info[s], &a.Replicas.entities[s]
	at := in.samples.Add(1)
	for len(in.slots) <= int(at) {
		in.slots = append(in.slots, interpolated{})
	}
	in.confirmed.slots = len(in.slots)
	k.snapshotSlot, e.holds = at, 0
	in.slots[at] = interpolated{replica: s, every: 1, shown: shown}
	one := &in.slots[at]
	a.tell(s, inspect.InterpolationBegun, 0)
	if !shown {
		in.hidden++
		return one
	}
	if k.storeSlot != 0 {
		return one // its confirmed state is in the store
	}
	for comp := range k.mask.All() {
		if id := a.comps[comp].id; a.world.Has(e.entity, id) {
			one.has.Set(comp)
			copy(in.confirmed.value(at, comp), a.writer.Bytes(e.entity, id))
			if a.comps[comp].relation {
				a.recordTarget(s, a.world.Relations().Get(e.entity, id))
			}
		}
	}
	one.mask = one.has
	in.begun = append(in.begun, s)
	return one
}

// addSample records the confirmed values of an interpolated entity as of a tick.
func (a *Applier) addSample(at snapshot.Slot, before, tick entangle.Tick) {
	in := &a.interpolation
	one := &in.slots[at]
	cols := one.has.And(in.blended.mask)
	if one.sampled && !cols.IsZero() && one.tick.Before(before) && before.Before(tick) {
		a.tell(one.replica, inspect.InterpolationHeld, before)
		in.samples.Hold(at, before)
		one.tick = before
	}
	a.tell(one.replica, inspect.InterpolationReceived, tick)
	if cols.IsZero() {
		in.late.atOnce = in.late.atOnce || !a.shownTick(one).Before(tick)
		return
	}
	if one.sampled {
		in.clock.SampleReceived(one.every, one.tick, tick)
	}
	one.tick, one.sampled = tick, true
	in.sampled = at
	in.samples.AddSample(at, tick, cols, in.valueOf)
}

// sampleValue returns the confirmed value of which a sample is made.
func (a *Applier) sampleValue(comp int) []byte {
	in := &a.interpolation
	at := in.sampled
	if store := a.Replicas.Info[in.slots[at].replica].storeSlot; store != 0 {
		return a.prediction.store.ConfirmedValue(store, comp)[:in.confirmed.sizes[comp]]
	}
	return in.confirmed.value(at, comp)
}

// samplePredicted records the confirmed values of a predicted entity as of a tick, if the entity would be
// interpolated otherwise.
func (a *Applier) samplePredicted(s repl.Slot, tick entangle.Tick) {
	in, k := &a.interpolation, &a.Replicas.Info[s]
	if in.comp < 0 {
		return
	}
	state := a.prediction.store.Confirmed(k.storeSlot)
	if !state.Mask.Has(in.comp) {
		a.releaseInterpolation(s)
		return
	}
	if k.snapshotSlot == 0 {
		a.beginInterpolation(s, true)
	}
	one := &in.slots[k.snapshotSlot]
	one.has = state.Mask
	a.readInterval(k.snapshotSlot, a.prediction.store.ConfirmedValue(k.storeSlot, in.comp))
	a.addSample(k.snapshotSlot, tick, tick)
}

// interpolatePredicted makes the samples of an entity what is shown of it, before its prediction ends.
func (a *Applier) interpolatePredicted(s repl.Slot) {
	in, k := &a.interpolation, &a.Replicas.Info[s]
	state := a.prediction.store.Confirmed(k.storeSlot)
	one := &in.slots[k.snapshotSlot]
	one.has = state.Mask
	for comp := range one.has.All() {
		copy(in.confirmed.value(k.snapshotSlot, comp), a.prediction.store.ConfirmedValue(k.storeSlot, comp))
	}
	one.mask = one.has.Without(in.leftOut)
	in.begun = append(in.begun, s)
	a.tell(s, inspect.InterpolationResumed, 0)
	if !in.samples.Shown(k.snapshotSlot) { // its timeline has not reached the first sample
		in.samples.Rebase(k.snapshotSlot, set.Mask{}, nil)
	}
	a.handOver(s, one, true)
}

// handOver keeps the picture of an entity steady that is about to be shown at another time. back says that it
// is about to be interpolated. It does not where the entity was teleported between the two times.
func (a *Applier) handOver(s repl.Slot, one *interpolated, back bool) {
	in := &a.interpolation
	display := tick.DisplayOf(a.world)
	if display == nil || !a.world.Alive(a.Replicas.entities[s].entity) {
		return
	}
	at := a.Replicas.Info[s].snapshotSlot
	if in.samples.TeleportAhead(at) {
		return
	}
	distance := display.Distance(a.shownTick(one))
	for _, comp := range in.blended.comps {
		h := display.HandOver(a.world, a.Replicas.entities[s].entity, in.infos[comp], distance)
		switch {
		case h == nil || !one.has.Has(comp):
		case back:
			if value, ok := in.valueOfSlot(at, comp); ok {
				display.SetNew(h, value)
			}
		default:
			in.left = append(in.left, leftSamples{h, s, at, comp})
		}
	}
}

// endHandover ends what handOver has begun for an entity. A teleport that arrives after the change would be shown as
// the way that the handover takes otherwise, also where both arrive in one frame.
func (a *Applier) endHandover(s repl.Slot) {
	if display := tick.DisplayOf(a.world); display != nil {
		for _, comp := range a.interpolation.blended.comps {
			display.EndHandover(a.Replicas.entities[s].entity, a.interpolation.infos[comp])
		}
	}
}

// readInterval reads the interval of an entity and the number of its teleports from the value of
// components.Interpolated.
func (a *Applier) readInterval(at snapshot.Slot, value []byte) {
	in := &a.interpolation
	v := columns.ValueOf[components.Interpolated](value)
	every := timesync.TimelineInterval(int(min(v.SendEvery, timesync.MaxSendEvery)))
	in.slots[at].every = every
	in.samples.SetEvery(at, uint16(every))
	if in.samples.SetTeleports(at, v.Teleports) && in.slots[at].sampled {
		a.endHandover(in.slots[at].replica)
	}
}

// endInterpolation shows the confirmed state of a replica at once, and ends its interpolation.
func (a *Applier) endInterpolation(s repl.Slot) {
	if a.showPresent(s) {
		a.releaseInterpolation(s)
	}
}

// showPresent shows the confirmed state of a replica at once. It returns false if one of the changes up to
// that was the end of its interpolation.
func (a *Applier) showPresent(s repl.Slot) bool {
	in, k := &a.interpolation, &a.Replicas.Info[s]
	at := k.snapshotSlot
	a.handOver(s, &in.slots[at], false)
	a.showAllOf(at)
	if k.snapshotSlot == 0 {
		return false
	}
	if a.world.Alive(a.Replicas.entities[s].entity) {
		a.showConfirmed(&in.slots[at], at)
	}
	return true
}

// showConfirmed gives an entity its confirmed components and values, also those that its interpolation left
// out, and takes components.Interpolated off.
func (a *Applier) showConfirmed(one *interpolated, at snapshot.Slot) {
	in, e := &a.interpolation, a.Replicas.entities[one.replica].entity
	defer a.restoreStage(a.replaceStage())
	a.stage.begin(one.tick)
	one.has.Clear(in.comp)
	m := stagedMember{slot: one.replica, fresh: !one.shown, removed: one.mask.Without(one.has)}
	for comp := range one.has.All() {
		size := a.comps[comp].plan.Size()
		v := stagedValue{comp: comp, at: a.stage.reserve(size)}
		copy(a.stage.buf[v.at:], in.confirmed.value(at, comp))
		if a.comps[comp].relation {
			v.target = a.Replicas.Info[one.replica].confirmedTarget
		}
		a.stage.values = append(a.stage.values, v)
	}
	if a.writeMember(e, &m, a.stage.values); a.world.Alive(e) {
		a.raiseComponents(e, one.mask, one.has, m.removed.Or(one.has.Without(one.mask)))
	}
}

// releaseInterpolation releases the state that is kept for an interpolated replica.
func (a *Applier) releaseInterpolation(s repl.Slot) {
	in, k := &a.interpolation, &a.Replicas.Info[s]
	at := k.snapshotSlot
	if at == 0 {
		return
	}
	a.tell(s, inspect.InterpolationEnded, 0)
	if !in.slots[at].shown {
		in.hidden--
	}
	if a.isLeaving(s) {
		delete(in.leaving, k.ID)
	}
	in.pending.dropSlot(at)
	in.samples.Remove(at)
	in.slots[at] = interpolated{}
	k.snapshotSlot = 0
	if k.storeSlot == 0 {
		a.forgetConfirmedTarget(s)
	}
}
