package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// Interpolate shows the interpolated entities at the times of their timelines: first the changes up to that
// time, then the values in between.
func (a *Applier) Interpolate() {
	in := &a.interpolation
	if in.clock == nil || !in.clock.Begun() || a.archetypes.exceeded {
		return
	}
	a.showDue()
	a.ResolveReturns()
	if len(in.slots) > 0 {
		in.advance()
		for _, l := range in.left {
			if value, ok := in.valueOfSlot(l.at, l.comp); ok && a.Replicas.Info[l.replica].snapshotSlot == l.at { // otherwise they are of another entity
				l.handover.SetFormer(value)
			}
		}
		in.left = in.left[:0]
		a.showValues()
	}
}

// showDue shows the pending changes up to the shown times.
func (a *Applier) showDue() {
	in, p := &a.interpolation, &a.interpolation.pending
	if len(p.list) == p.gone {
		return
	}
	if p.bytes() > maxPendingBytes {
		a.showChanges(p.findAll())
		return
	}
	present := a.presentTick(0)
	latest := present
	in.samples.Classes(func(every uint16) {
		if shown, _ := in.clock.Timeline(int(every)); latest.Before(shown) {
			latest = shown
		}
	})
	every, shown := 0, entangle.Tick(0) // most changes have the interval of the change before
	due := p.findDue(latest, func(c *pendingChange) bool {
		if one := &in.slots[c.slot]; one.every != every {
			every, shown = one.every, a.shownTick(one)
		}
		return !shown.Before(c.tick) || present.Sub(c.since) > maxPendingTicks
	})
	a.showChanges(due)
}

// showAllOf shows the pending changes of one entity.
func (a *Applier) showAllOf(at snapshot.Slot) {
	a.showChanges(a.interpolation.pending.findOf(at))
}

// showFormerEnd shows the end of the entity that had the network id of a new one. The new one may be shown sooner
// than that end otherwise, because its timeline is ahead, and references could not follow to it.
func (a *Applier) showFormerEnd(s repl.Slot) {
	if at, ok := a.interpolation.leaving[a.Replicas.Info[s].ID]; ok {
		a.interpolation.late.atOnce = true
		a.showAllOf(at)
		a.noteReturn(s)
	}
}

// TakeLate reports whether something has arrived since the last call that made a difference on the screen at once
// (timesync.LateFrame).
func (a *Applier) TakeLate() (late bool) {
	in := &a.interpolation
	if in.comp < 0 {
		return false
	}
	n := in.samples.Late()
	late = in.late.atOnce || n != in.late.samples
	in.late = lateArrivals{samples: n}
	return late
}

// replaceStage gives the changes that are shown next a stage of their own, and returns the former one: of a
// record, or of a change that ends the interpolation of its entity.
func (a *Applier) replaceStage() (was stage) {
	in := &a.interpolation
	if was = a.stage; len(in.stages) == 0 {
		in.stages = append(in.stages, stage{fill: a.fillValues})
	}
	last := len(in.stages) - 1
	a.stage, in.stages = in.stages[last], in.stages[:last]
	return was
}

func (a *Applier) restoreStage(was stage) {
	a.interpolation.stages, a.stage = append(a.interpolation.stages, a.stage), was
}

// showChanges shows changes that findDue has found.
func (a *Applier) showChanges(due []int32) {
	p := &a.interpolation.pending
	defer a.restoreStage(a.replaceStage())
	defer func() { p.due = p.due[:len(p.due)-len(due)] }()
	for _, i := range due {
		c := p.list[i]
		if c.done || a.archetypes.exceeded {
			continue // its entity ended with another change
		}
		p.finish(i)
		replica := a.interpolation.slots[c.slot].replica
		switch c.kind {
		case changeComponents:
			a.showComponents(&c)
		case changeDespawn:
			a.stage.begin(c.tick)
			a.recordDeparture(replica)
			a.Forget(replica)
			a.releaseTargets()
			a.awaitTargets()
			a.raiseResolved()
		case changeOrphan:
			a.orphanReplica(replica)
		}
	}
}

// showComponents writes a change of components to the world, and raises its events.
func (a *Applier) showComponents(c *pendingChange) {
	in, p := &a.interpolation, &a.interpolation.pending
	one := &in.slots[c.slot]
	slot := one.replica
	e := a.Replicas.entities[slot].entity
	if !a.world.Alive(e) { // the game has removed it
		a.endHiding(one)
		return
	}
	a.stage.begin(c.tick)
	m := stagedMember{slot: slot, fresh: !one.shown, removed: c.removed.And(one.mask)}
	for i, v := range p.valuesOf(c) {
		at := a.stage.reserve(v.size)
		copy(a.stage.buf[at:], p.bytesOf(&p.values[c.first+i]))
		a.stage.values = append(a.stage.values, stagedValue{comp: v.comp, at: at, target: v.target})
	}
	values := a.stage.values
	a.writeMember(e, &m, values)
	if a.archetypes.exceeded {
		return
	}
	had := one.mask
	one.mask = one.mask.Without(m.removed)
	in.samples.RemoveColumns(c.slot, m.removed.Without(one.has)) // one that comes again does not move from its former value
	for i := range values {
		one.mask.Set(values[i].comp)
	}
	if !m.fresh {
		a.reinsertSamples(c.slot, one.mask.Without(had).And(in.blended.mask), values)
	}
	a.endHiding(one)
	if a.world.Alive(e) { // a listener of the game may have removed it
		if m.fresh {
			a.on.spawned(e)
		}
		a.raiseComponents(e, had, one.mask, m.removed.Or(c.updated))
	}
	a.raiseResolved()
	if marked := one.mask.Or(one.has); one.replica == slot && !marked.Has(in.comp) { // the server may have given it the mark again
		a.endInterpolation(slot)
	}
}

// reinsertSamples makes components that are inserted begin with their first values. The samples of before have former ones
// of a component that came again before it was gone on the screen.
func (a *Applier) reinsertSamples(at snapshot.Slot, inserted set.Mask, values []stagedValue) {
	if inserted.IsZero() {
		return
	}
	a.interpolation.samples.Reinsert(at, a.stage.tick, inserted, func(comp int) []byte {
		v := values[slices.IndexFunc(values, func(v stagedValue) bool { return v.comp == comp })]
		return a.stage.buf[v.at : v.at+a.comps[comp].plan.Size()]
	})
}

// endHiding sets the references that waited until an entity appears.
func (a *Applier) endHiding(one *interpolated) {
	if !one.shown {
		one.shown = true
		a.interpolation.hidden--
		a.resolveWaiting(one.replica)
	}
}

// hideReferences replaces the references to entities that are not shown yet in values that are about to be
// written to the world, or to the confirmed state of a predicted entity. They are set when these entities appear.
func (a *Applier) hideReferences(slot repl.Slot, values []stagedValue) {
	if a.interpolation.hidden == 0 {
		return
	}
	for i := range values {
		v := &values[i]
		if comp := &a.comps[v.comp]; comp.plan.HasRefs() {
			a.hideReferencesIn(refs.LateHolder{Slot: slot, Comp: v.comp}, a.stage.buf[v.at:v.at+comp.plan.Size()])
		}
		if a.comps[v.comp].relation {
			v.target = a.hideReference(refs.LateHolder{Slot: slot, Comp: v.comp}, source.TargetRef, v.target)
		}
	}
}

// hideUpdated is hideReferences for the values of the current update, which are in the world or in the store of
// a predicted entity.
func (a *Applier) hideUpdated(slot repl.Slot, places []*byte) {
	for i, comp := range a.sets.now.comps {
		if comp.plan.HasRefs() {
			a.hideReferencesIn(refs.LateHolder{Slot: slot, Comp: comp.number}, comp.cells.Bytes(places[i]))
		}
	}
}

func (a *Applier) hideReferencesIn(h refs.LateHolder, value []byte) {
	a.comps[h.Comp].plan.MapRefs(value, func(n int, e ecs.Entity) ecs.Entity { return a.hideReference(h, n, e) })
}

func (a *Applier) hideReference(h refs.LateHolder, n int, e ecs.Entity) ecs.Entity {
	s, ours := a.Replicas.Slot(e)
	if !ours || !a.isHidden(s) {
		return e
	}
	if in := &a.interpolation; a.isInterpolated(h.Slot) { // a waiting reference belongs to the newest value
		at := a.Replicas.Info[h.Slot].snapshotSlot
		if _, newer := in.pending.newestOf(at, h.Comp); newer || !in.slots[at].has.Has(h.Comp) {
			return ecs.Entity{}
		}
	}
	if a.refs.late.Add(refs.LateRef{Target: a.Replicas.Info[s].ID, Holder: h, N: n}) {
		a.Replicas.entities[h.Slot].waits++
	}
	return ecs.Entity{}
}

// advance moves all timelines to the times of this frame.
func (in *interpolation) advance() {
	in.samples.Classes(func(every uint16) {
		tick, fraction := in.clock.Timeline(int(every))
		in.samples.Advance(every, tick, float64(fraction))
	})
}

// valueOfSlot returns the value between two samples of one entity, in memory that the next call reuses.
func (in *interpolation) valueOfSlot(at snapshot.Slot, comp int) (value []byte, ok bool) {
	if col := set.MaskOf(comp); at == 0 || !in.samples.Holds(at, &col) {
		return nil, false
	}
	b := &in.blended
	b.one = slices.Grow(b.one[:0], in.confirmed.sizes[comp])[:in.confirmed.sizes[comp]]
	b.single[0] = at
	in.samples.Select(b.single[:])
	in.samples.Show(comp, b.one)
	return b.one, true
}

// showValues writes the values between two samples to the world.
func (a *Applier) showValues() {
	in, b := &a.interpolation, &a.interpolation.blended
	if err := b.table.Commit(); err != nil {
		panic("plugin: the entities that are interpolated can't be followed: " + err.Error())
	}
	for _, r := range b.table.Undo() {
		if int(r.Slot) >= len(b.bySlot) {
			b.bySlot = slices.Grow(b.bySlot, int(r.Slot)+1-len(b.bySlot))[:r.Slot+1]
		}
		b.bySlot[r.Slot] = 0
		if s, ours := a.Replicas.Slot(r.Entity); ours && r.Is.Alive {
			b.bySlot[r.Slot] = a.Replicas.Info[s].snapshotSlot
		}
	}
	for _, s := range in.begun {
		if at, ok := b.table.SlotOf(a.Replicas.entities[s].entity); ok && a.Replicas.entities[s].used {
			b.bySlot[at] = a.Replicas.Info[s].snapshotSlot
		}
	}
	in.begun = in.begun[:0]
	in.shown = 0
	for segment := range b.table.Segments() {
		rows, mask := b.table.Rows(segment)
		in.shown += len(rows)
		if len(rows) == 0 || mask.IsZero() {
			continue
		}
		b.places = b.places[:0]
		for _, s := range rows {
			b.places = append(b.places, b.bySlot[s])
		}
		in.showSegment(segment, mask)
	}
}

// showSegment writes the values of a segment of the table, of which the slots are in places: those of entities
// that are shown with all columns together.
func (in *interpolation) showSegment(segment int, mask set.Mask) {
	var comps set.Mask
	b := &in.blended
	for col := range mask.All() {
		comps.Set(b.comps[col])
	}
	for begin := 0; begin < len(b.places); {
		end := begin
		for end < len(b.places) && in.samples.Holds(b.places[end], &comps) {
			end++
		}
		if end == begin {
			in.showRow(segment, mask, begin)
			begin++
			continue
		}
		in.samples.Select(b.places[begin:end])
		for col := range mask.All() {
			size := in.confirmed.sizes[b.comps[col]]
			in.showColumn(b.comps[col], b.table.ColumnRows(segment, col)[begin*size:end*size])
		}
		begin = end
	}
}

// showRow writes the values of an entity that may lack some of the columns, or is not shown by its samples yet.
func (in *interpolation) showRow(segment int, mask set.Mask, row int) {
	b := &in.blended
	b.single[0] = b.places[row]
	for col := range mask.All() {
		comp := b.comps[col]
		if one := set.MaskOf(comp); b.places[row] != 0 && in.samples.Holds(b.places[row], &one) {
			size := in.confirmed.sizes[comp]
			in.samples.Select(b.single[:])
			in.showColumn(comp, b.table.ColumnRows(segment, col)[row*size:(row+1)*size])
		}
	}
}

// showColumn writes the values of a component of the selected entities, except for references.
func (in *interpolation) showColumn(comp int, values []byte) {
	if !in.blended.refs.comps.Has(comp) {
		in.samples.Show(comp, values)
		return
	}
	r, plan, size := &in.blended.refs, in.infos[comp].Plan, in.confirmed.sizes[comp]
	r.before = append(r.before[:0], values...)
	in.samples.Show(comp, values)
	for at := 0; at < len(values); at += size {
		r.held = r.held[:0]
		plan.MapRefs(r.before[at:at+size], r.hold)
		plan.MapRefs(values[at:at+size], r.restore)
	}
}

// blendedRefs are the references in blended components. There is nothing between two of them, and one may wait for
// its entity, so that they are part of the pending changes, and showing samples leaves them as they are.
type blendedRefs struct {
	comps         set.Mask     // components that have some
	before        []byte       // scratch: the values before samples are shown
	held          []ecs.Entity // scratch: the references of one of them
	hold, restore func(n int, e ecs.Entity) ecs.Entity
}

func (r *blendedRefs) holdOne(_ int, e ecs.Entity) ecs.Entity {
	r.held = append(r.held, e)
	return e
}

func (r *blendedRefs) restoreOne(n int, _ ecs.Entity) ecs.Entity {
	if n >= len(r.held) { // a RefCodec may find more references in another value
		return ecs.Entity{}
	}
	return r.held[n]
}
