package visualinterp

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/smooth"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// layer shows one component.
type layer struct {
	rule    *rule
	world   *ecs.World
	display *tick.Display
	table   *columns.Table // of the entities that have the component, which is its marker
	column  int            // the marker's
	track   *smooth.Track
	rewinds bool // values are restored in a rollback, on entities that go back

	// needs and bars are the columns of which a segment has all, or none, if it is shown;
	// of one that goes back it has those of back, and none of those of fixed.
	needs, back, fixed columns.Mask

	stretches []stretch
	slots     []columns.Slot // by row
	from      []int32
	places    []place // by slot
	round     uint32  // counts arrangements
	shifts    uint64
}

// stretch is rows of the track that are one segment of the table.
type stretch struct {
	segment, row int
	rewinds      bool
}

// place is where the entity of a slot has its row.
type place struct {
	entity ecs.Entity
	row    int32
	round  uint32 // of the arrangement that it is of
}

func newLayer(w *ecs.World, display *tick.Display, r *rule) *layer {
	kind, rewinds := r.kind(display.Protocol())
	l := &layer{rule: r, world: w, display: display, track: smooth.New(kind), rewinds: rewinds}
	var tags []columns.Column
	follow := func(mask *columns.Mask, id ecs.ID) {
		mask.Set(len(tags))
		tags = append(tags, columns.Column{ID: id, Tag: true})
	}
	if r.tagged {
		follow(&l.needs, ecs.ComponentID[Smooth](w))
	}
	if marker, ok := display.RollbackMarker(); ok && rewinds {
		follow(&l.back, marker)
		follow(&l.fixed, ecs.ComponentID[components.NoRollback](w))
	} else {
		l.rewinds = false
	}
	table, err := display.Follow(w, ecs.TypeID(w, r.typ), tags)
	if err != nil {
		panic(fmt.Sprintf("visualinterp: %v can't be shown: %v", r.typ, err))
	}
	l.table, l.column = table, len(tags)
	return l
}

// restore puts the true values back.
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

// corrected keeps the picture as it was, for it to ease over from.
func (l *layer) corrected() {
	if l.rewinds {
		l.track.Keep()
	}
}

// tick samples the end of the tick that is over.
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

// replay samples the end of the tick before the last, when that is about to be computed
// anew. What does not go back in a rollback has its samples already.
func (l *layer) replay(t *components.Time) {
	l.corrected()
	if !l.rewinds || t.Tick != t.ReplayTo {
		return
	}
	l.arrange()
	for _, s := range l.stretches {
		if s.rewinds {
			l.track.Before(s.row, l.values(s))
		}
	}
}

// ease ends a correction, as of a share of the tick that is over.
func (l *layer) ease(share float64) {
	if !l.track.Kept() {
		return
	}
	for _, s := range l.stretches {
		if s.rewinds {
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

// show puts the picture into the world.
func (l *layer) show() {
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

// values is a stretch of the component's column.
func (l *layer) values(s stretch) []byte { return l.table.ColumnRows(s.segment, l.column) }

// waits reports whether an entity has no two samples yet.
func (l *layer) waits(e ecs.Entity) bool {
	slot, ok := l.table.SlotOf(e)
	if !ok || int(slot) >= len(l.places) {
		return false
	}
	p := &l.places[slot]
	return p.round == l.round && p.entity == e && !l.track.Ready(int(p.row))
}
