package visualinterp

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/smooth"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// layer shows one component.
type layer struct {
	rule      *rule
	world     *ecs.World
	display   *tick.Display
	table     *columns.Table // the entities with the component, which is the table's marker
	column    int            // index of the component's column
	track     *smooth.Track
	rollsBack bool // values are restored in a rollback, on entities that take part

	// A segment is shown if it has all columns of needs, and not all of network: what the network writes
	// in every frame moves smoothly already. It takes part in rollbacks if it also has all columns of
	// back and none of fixed.
	needs, network, back, fixed set.Mask

	stretches []stretch
	slots     []columns.Slot // by row
	from      []int32
	places    []place // by slot
	round     uint32  // counts calls of assignRows
	shifts    uint64
}

// stretch is a range of rows of the track that is one segment of the table.
type stretch struct {
	segment, row int
	rollsBack    bool
}

// place is the row of the entity in a slot.
type place struct {
	entity ecs.Entity
	row    int32
	round  uint32 // the call of assignRows that set the row
}

func newLayer(w *ecs.World, display *tick.Display, r *rule) *layer {
	kind, rollsBack := r.kind(display.Protocol())
	l := &layer{rule: r, world: w, display: display, track: smooth.New(kind), rollsBack: rollsBack}
	var tags []columns.Column
	follow := func(mask *set.Mask, id ecs.ID) {
		mask.Set(len(tags))
		tags = append(tags, columns.Column{ID: id, Tag: true})
	}
	if r.tagged {
		follow(&l.needs, ecs.ComponentID[Smooth](w))
	}
	follow(&l.network, ecs.ComponentID[components.Interpolated](w))
	follow(&l.network, ecs.ComponentID[components.Remote](w)) // a host has no Remote
	if marker, ok := display.RollbackMarker(); ok && rollsBack {
		follow(&l.back, marker)
		follow(&l.fixed, ecs.ComponentID[components.NoRollback](w))
	} else {
		l.rollsBack = false
	}
	table, err := display.Follow(w, ecs.TypeID(w, r.typ), tags)
	if err != nil {
		panic(fmt.Sprintf("visualinterp: %v can't be shown: %v", r.typ, err))
	}
	l.table, l.column = table, len(tags)
	return l
}

// restore restores the true values.
func (l *layer) restore() {
	if !l.track.Shown() {
		return
	}
	l.arrange()
	for _, s := range l.stretches {
		l.track.Restore(s.row, l.values(s))
	}
	l.track.Restored()
}

// corrected stores the displayed values, from which a correction starts.
func (l *layer) corrected() {
	if l.rollsBack {
		l.track.Keep()
	}
}

// tick samples the values at the end of a tick.
func (l *layer) tick() {
	if t := l.display.Time(); t.Replaying {
		l.replay(t)
		return
	}
	l.arrange()
	l.ease(1)
	if l.track.Open() {
		l.sample()
	}
	l.track.Advance()
}

// replay samples the values at the end of the tick before the last one, when a replay is about to
// compute the last one. Entities that do not take part in the rollback have these samples already.
func (l *layer) replay(t *components.Time) {
	l.corrected()
	if !l.rollsBack || t.Tick != t.ReplayTo {
		return
	}
	l.arrange()
	for _, s := range l.stretches {
		if s.rollsBack {
			l.track.Before(s.row, l.values(s))
		}
	}
}

// ease ends a correction, at a fraction of the last tick.
func (l *layer) ease(share float64) {
	if !l.track.Kept() {
		return
	}
	for _, s := range l.stretches {
		if s.rollsBack {
			l.track.Amend(s.row, l.values(s))
		}
	}
	l.track.Ease(l.display.Now(), share)
}

func (l *layer) sample() {
	for _, s := range l.stretches {
		l.track.Sample(s.row, l.values(s))
	}
	l.track.Sampled()
}

// writeDisplayed writes the displayed values into the world.
func (l *layer) writeDisplayed() {
	share := l.display.Time().Overstep
	l.arrange()
	l.ease(share)
	if l.track.Open() {
		l.sample()
	} else {
		for _, s := range l.stretches {
			l.track.Peek(s.row, l.values(s))
		}
	}
	l.track.Show(l.display.Now(), share)
	for _, s := range l.stretches {
		l.track.Put(s.row, l.values(s))
	}
}

// displayed returns the value that was displayed last for an entity.
func (l *layer) displayed(e ecs.Entity, id ecs.ID) (value []byte, ok bool) {
	slot, ok := l.table.SlotOf(e)
	if !ok || ecs.TypeID(l.world, l.rule.typ) != id || int(slot) >= len(l.places) {
		return nil, false
	}
	if p := &l.places[slot]; p.round == l.round && p.entity == e {
		return l.track.Displayed(int(p.row)), true
	}
	return nil, false
}

// values returns a stretch of the component's column.
func (l *layer) values(s stretch) []byte { return l.table.ColumnRows(s.segment, l.column) }

// lacksSamples reports whether an entity has fewer than two samples.
func (l *layer) lacksSamples(e ecs.Entity) bool {
	slot, ok := l.table.SlotOf(e)
	if !ok || int(slot) >= len(l.places) {
		return false
	}
	p := &l.places[slot]
	return p.round == l.round && p.entity == e && !l.track.Ready(int(p.row))
}
