package sink

import (
	"bytes"
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// stage holds the decoded data of one group that is not in the world yet.
type stage struct {
	tick      entangle.Tick
	before    entangle.Tick // see receiver.Sink
	members   []stagedMember
	values    []stagedValue
	spawned   []repl.Slot
	despawned []repl.Slot
	orphaned  []repl.Slot
	buf       []byte

	// The arguments of the fill function and the ids of one change of structure. They are kept here
	// so that nothing is allocated per entity.
	filling     []stagedValue
	remoteAdded bool // the entity has just got components.Remote
	add, remove []ecs.ID
	fill        func(ecs.Entity)
}

type stagedMember struct {
	slot    repl.Slot
	fresh   bool // it appears with this group
	matched bool // it appears with this group, and the game has spawned it ahead of the server
	whole   bool // the record states all of its components
	first   int  // index of its first value
	mask    set.Mask
	removed set.Mask
}

type stagedValue struct {
	comp  int
	at    int  // the offset of its bytes in buf
	there bool // the component is in the world
	same  bool // the world has equal bytes already

	target ecs.Entity // the target, if the component is a relation
}

// errNotThere means that a peer updates a component that it did not insert.
var errNotThere = errors.New("sink: update of a component that the entity does not have")

// Begin implements receiver.Sink.
func (a *Applier) Begin(tick, before entangle.Tick) {
	a.stage.begin(tick)
	a.stage.before = before
	a.refs.late.Found = a.refs.late.Found[:0]
	a.prediction.changes = a.prediction.changes[:0]
}

func (s *stage) begin(tick entangle.Tick) {
	s.tick = tick
	s.members, s.values, s.buf = s.members[:0], s.values[:0], s.buf[:0]
	s.spawned, s.despawned, s.orphaned = s.spawned[:0], s.despawned[:0], s.orphaned[:0]
}

// Spawn implements receiver.Sink. The entity exists at once, without any component, so that
// references to it can be resolved.
func (a *Applier) Spawn(id repl.ID) repl.Slot {
	s := a.addReplica(id)
	a.noteReturn(s)
	a.stage.spawned = append(a.stage.spawned, s)
	return s
}

// Member implements receiver.Sink. A member that is stated whole keeps its entity. A component that
// already has equal bytes in the world raises no event.
func (a *Applier) Member(slot repl.Slot, whole bool) {
	m := stagedMember{slot: slot, fresh: a.Replicas.entities[slot].fresh, whole: whole, first: len(a.stage.values), mask: a.Replicas.Info[slot].mask}
	if whole {
		m.removed, m.mask = m.mask, set.Mask{}
	}
	a.stage.members = append(a.stage.members, m)
}

func (s *stage) currentMember() *stagedMember { return &s.members[len(s.members)-1] }

// Remove implements receiver.Sink.
func (a *Applier) Remove(comp int) {
	m := a.stage.currentMember()
	m.mask.Clear(comp)
	m.removed.Set(comp)
}

// Insert implements receiver.Sink.
func (a *Applier) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	m := a.stage.currentMember()
	m.mask.Set(comp)
	m.removed.Clear(comp)
	if err := a.checkRelation(m, comp); err != nil {
		return err
	}
	return a.decodeValue(r, comp, refs)
}

// errNoValue means that a peer updates an input, of which no value is sent.
var errNoValue = errors.New("sink: update of an input, which has no replicated value")

// Update implements receiver.Sink.
func (a *Applier) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	if !a.stage.currentMember().mask.Has(comp) {
		return errNotThere
	}
	if a.comps[comp].input {
		return errNoValue
	}
	return a.decodeValue(r, comp, refs)
}

func (a *Applier) decodeValue(r *bits.Reader, comp int, table receiver.Refs) error {
	plan := a.comps[comp].plan
	at := a.stage.reserve(plan.Size())
	a.stage.values = append(a.stage.values, stagedValue{comp: comp, at: at})
	h := refs.LateHolder{Slot: a.stage.currentMember().slot, Comp: comp}
	if err := a.decodeInto(a.stage.buf[at:at+plan.Size()], r, h, table); err != nil || !a.comps[comp].relation {
		return err
	}
	a.stage.values[len(a.stage.values)-1].target = a.refs.decodeTarget(r, h)
	return r.Err()
}

// decodeInto reads a value and records the references in it that have to wait.
func (a *Applier) decodeInto(value []byte, r *bits.Reader, h refs.LateHolder, refs receiver.Refs) error {
	if a.diffs.differs(h.Comp) {
		return a.diffs.decodeFrom(a.comps[h.Comp].plan, value, r, h.Slot, h.Comp)
	}
	a.refs.table = refs
	err := a.comps[h.Comp].plan.Decode(r, value, &a.refs)
	if len(a.refs.pending) > 0 {
		a.refs.recordLate(h, a.comps[h.Comp].plan, value)
	}
	return err
}

// reserve appends size zero bytes to buf, aligned for any number, and returns their offset.
func (s *stage) reserve(size int) int {
	at := (len(s.buf) + 7) &^ 7
	s.buf = append(s.buf, make([]byte, at+size-len(s.buf))...)
	return at
}

// Despawn implements receiver.Sink.
func (a *Applier) Despawn(slot repl.Slot) { a.stage.despawned = append(a.stage.despawned, slot) }

// Orphan implements receiver.Sink.
func (a *Applier) Orphan(slot repl.Slot) { a.stage.orphaned = append(a.stage.orphaned, slot) }

// Discard implements receiver.Sink.
func (a *Applier) Discard() {
	a.refs.late.Found = a.refs.late.Found[:0]
	for _, s := range a.stage.spawned {
		a.discardSpawn(s)
	}
}

// discardSpawn removes an entity that was never committed.
func (a *Applier) discardSpawn(s repl.Slot) {
	if e := a.removeReplica(s); a.world.Alive(e) {
		a.writer.Remove(e)
	}
}

// Commit implements receiver.Sink. It applies the structure and the values of all members first
// (commitMember), then references between them and to them, then raises events. If the limit on
// archetypes refuses an entity, nothing more is written and no more events are raised; see Overgrown.
func (a *Applier) Commit() {
	if a.archetypes.exceeded {
		return
	}
	for _, s := range a.stage.spawned {
		a.showFormerEnd(s)
	}
	for _, s := range a.stage.despawned {
		if a.isInterpolated(s) {
			a.leaveInterpolated(s, changeDespawn)
			continue
		}
		a.recordDeparture(s)
		if a.isPredicted(s) {
			a.despawnPredicted(s)
		} else {
			a.Forget(s)
		}
	}
	a.releaseTargets()
	for _, s := range a.stage.orphaned {
		if a.isInterpolated(s) {
			a.leaveInterpolated(s, changeOrphan)
		} else {
			a.orphanReplica(s)
		}
	}
	a.markPredictedSpawns()
	a.markHiddenSpawns()
	a.matchPrespawned()
	for i := range a.stage.members {
		a.commitMember(&a.stage.members[i], a.stage.valuesOf(i))
	}
	if a.archetypes.exceeded {
		return
	}
	a.refs.awaitFound()
	for _, s := range a.stage.spawned {
		if !a.isHidden(s) {
			a.resolveWaiting(s)
		}
	}
	for i := range a.stage.members {
		a.raiseEvents(&a.stage.members[i], a.stage.valuesOf(i))
	}
	a.raiseResolved() // before a prediction that begins shows changes of the same components
	a.applyPredictionChanges()
	a.awaitTargets()
	a.raiseResolved()
}

// valuesOf returns the values of a member by its index.
func (s *stage) valuesOf(i int) []stagedValue {
	end := len(s.values)
	if i+1 < len(s.members) {
		end = s.members[i+1].first
	}
	return s.values[s.members[i].first:end]
}

// commitMember writes one member: to the world, or by commitPredicted if it is predicted. Where the
// game has changed the structure of the entity, the state of the server wins. If the game has removed
// the entity, nothing is written.
func (a *Applier) commitMember(m *stagedMember, values []stagedValue) {
	e := &a.Replicas.entities[m.slot]
	e.tick = a.stage.tick
	if e.waits > 0 {
		a.forgetOverwritten(m, values)
	}
	for _, v := range values {
		fresh := m.whole || !a.Replicas.Info[m.slot].mask.Has(v.comp)
		a.diffs.recordValue(m.slot, v.comp, a.stage.buf[v.at:v.at+a.comps[v.comp].plan.Size()], fresh)
	}
	switch k := &a.Replicas.Info[m.slot]; {
	case !a.world.Alive(e.entity):
	case k.storeSlot != 0 || k.predictOnSpawn:
		a.commitPredicted(m, values)
	case a.interpolates(m):
		a.commitInterpolated(m, values)
	default:
		a.writeMember(e.entity, m, values)
	}
}

// forgetOverwritten removes the waiting references of components that are written or removed now.
func (a *Applier) forgetOverwritten(m *stagedMember, values []stagedValue) {
	for _, v := range values {
		a.refs.forgetLate(m.slot, v.comp)
	}
	for comp := range m.removed.All() {
		a.refs.forgetLate(m.slot, comp)
	}
}

func (a *Applier) writeMember(e ecs.Entity, m *stagedMember, values []stagedValue) {
	s := &a.stage
	s.add, s.remove = s.add[:0], s.remove[:0]
	if s.remoteAdded = m.fresh; m.fresh {
		s.add = append(s.add, a.remote)
	}
	a.tagOwned(e, m, values)
	a.hideReferences(m.slot, values)
	a.changeEntity(e, m, values)
	s.remoteAdded = false
}

// changeEntity applies the components and values of a member to an entity, together with the ids
// that are in add and remove already.
func (a *Applier) changeEntity(e ecs.Entity, m *stagedMember, values []stagedValue) {
	s := &a.stage
	s.filling = values
	for i := range values {
		v := &values[i]
		if v.there = a.world.Has(e, a.comps[v.comp].id); !v.there {
			s.add = append(s.add, a.comps[v.comp].id)
		}
	}
	for comp := range m.removed.All() {
		if id := a.comps[comp].id; a.world.Has(e, id) {
			s.remove = append(s.remove, id)
		}
	}
	for i := range values {
		if v := &values[i]; !v.there && a.comps[v.comp].relation {
			a.removeOtherRelation(e, v.comp)
		}
	}
	if len(s.add)+len(s.remove) == 0 {
		a.fillValues(e)
	} else if a.archetypes.allow(a.archetypeAfter(e)) {
		a.writer.Exchange(e, s.add, s.remove, s.fill)
	}
}

// fillValues writes the values of the current member into the world, and at the end the target of
// its relation, because setting a target moves the entity in memory. The value of an input is not
// sent: it keeps its value, which is zero if the input was just added.
func (a *Applier) fillValues(e ecs.Entity) {
	if a.stage.remoteAdded {
		a.writer.Sign(e, a.remote)
	}
	for i := range a.stage.filling {
		v := &a.stage.filling[i]
		value := a.writer.Bytes(e, a.comps[v.comp].id)[:a.comps[v.comp].plan.Size()]
		staged := a.stage.buf[v.at : v.at+len(value)]
		v.same = v.there && bytes.Equal(value, staged)
		copy(value, staged)
	}
	for i := range a.stage.filling {
		if v := &a.stage.filling[i]; a.comps[v.comp].relation && a.setTarget(e, a.comps[v.comp].id, v.target) {
			v.same = false
		}
	}
}

func (a *Applier) raiseEvents(m *stagedMember, values []stagedValue) {
	e, had := &a.Replicas.entities[m.slot], a.Replicas.Info[m.slot].mask
	a.Replicas.Info[m.slot].mask = m.mask
	e.fresh, e.holds = false, 0
	if !a.world.Alive(e.entity) || a.isInterpolated(m.slot) {
		return // the game has removed it, or the events are raised when the change is shown
	}
	if m.fresh {
		a.interpolation.late.atOnce = true
		a.on.spawned(e.entity)
	}
	changed := m.removed
	for _, v := range values {
		if !m.whole || !v.same || !had.Has(v.comp) {
			changed.Set(v.comp)
		}
	}
	a.raiseChanged(m.slot, had, changed)
}
