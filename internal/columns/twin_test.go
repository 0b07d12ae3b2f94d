package columns

import (
	"bytes"
	"slices"

	"github.com/mlange-42/arche/ecs"
)

// twin is a simple copy of a world: every value of every marked entity, in maps. A Table must report the difference
// between two copies.
type twin struct {
	world  *ecs.World
	marker ecs.ID
	cols   []Column
	now    map[ecs.Entity]twinEntity
	paused map[ecs.Entity]twinEntity
}

type twinEntity struct {
	target ecs.Entity
	marker []byte
	values map[int][]byte
}

// twinDiff is a report in terms of entities.
type twinDiff struct {
	Spawned, Despawned, Paused, Resumed, Retargeted, MarkerChanged []ecs.Entity

	Inserted, Removed map[ecs.Entity][]int
	Changed           map[int][]ecs.Entity
}

func newTwin(w *ecs.World, marker ecs.ID, cols []Column) *twin {
	return &twin{
		world: w, marker: marker, cols: cols,
		now: map[ecs.Entity]twinEntity{}, paused: map[ecs.Entity]twinEntity{},
	}
}

func (t *twin) copy() map[ecs.Entity]twinEntity {
	all := map[ecs.Entity]twinEntity{}
	wr := NewWriter(t.world)
	filter := ecs.All(t.marker)
	for q := t.world.Query(&filter); q.Next(); {
		e := q.Entity()
		c := twinEntity{
			target: t.world.Relations().GetUnchecked(e, t.marker),
			marker: bytes.Clone(wr.Bytes(e, t.marker)), values: map[int][]byte{},
		}
		for i, col := range t.cols {
			if t.world.Has(e, col.ID) {
				c.values[i] = append([]byte{}, wr.Bytes(e, col.ID)...)
			}
		}
		all[e] = c
	}
	return all
}

// observe returns the changes since the last call.
func (t *twin) observe() twinDiff {
	d := twinDiff{Inserted: map[ecs.Entity][]int{}, Removed: map[ecs.Entity][]int{}, Changed: map[int][]ecs.Entity{}}
	next := t.copy()
	for e, old := range t.now {
		switch _, there := next[e]; {
		case !t.world.Alive(e):
			d.Despawned = append(d.Despawned, e)
		case !there:
			d.Paused = append(d.Paused, e)
			t.paused[e] = old
		}
	}
	for e := range t.paused {
		if !t.world.Alive(e) {
			d.Despawned = append(d.Despawned, e)
			delete(t.paused, e)
		}
	}
	for e, now := range next {
		old, known := t.now[e]
		if before, was := t.paused[e]; was {
			d.Resumed = append(d.Resumed, e)
			old, known = before, true
			delete(t.paused, e)
		}
		if !known {
			d.Spawned = append(d.Spawned, e)
			continue
		}
		t.compare(&d, e, old, now)
	}
	t.now = next
	return d.sorted()
}

func (t *twin) compare(d *twinDiff, e ecs.Entity, old, now twinEntity) {
	if old.target != now.target {
		d.Retargeted = append(d.Retargeted, e)
	}
	if !bytes.Equal(old.marker, now.marker) {
		d.MarkerChanged = append(d.MarkerChanged, e)
	}
	for i, col := range t.cols {
		before, had := old.values[i]
		after, has := now.values[i]
		switch {
		case has && !had:
			d.Inserted[e] = append(d.Inserted[e], i)
		case had && !has:
			d.Removed[e] = append(d.Removed[e], i)
		case has && !bytes.Equal(before, after) && (col.Equal == nil || !col.Equal(before, after)):
			d.Changed[i] = append(d.Changed[i], e)
		}
	}
}

// sorted sorts lists by id, since neither side guarantees an order.
func (d twinDiff) sorted() twinDiff {
	for _, list := range [][]ecs.Entity{d.Spawned, d.Despawned, d.Paused, d.Resumed, d.Retargeted, d.MarkerChanged} {
		sortEntities(list)
	}
	for _, list := range d.Changed {
		sortEntities(list)
	}
	return d
}

func sortEntities(list []ecs.Entity) {
	slices.SortFunc(list, func(a, b ecs.Entity) int {
		if a.ID() != b.ID() {
			return int(a.ID()) - int(b.ID())
		}
		return int(a.Generation()) - int(b.Generation())
	})
}

// diffOfTable converts the reports of a table to a twinDiff.
func diffOfTable(t *Table) twinDiff {
	d := twinDiff{
		Spawned: t.entities(t.Spawned()), Despawned: t.entities(t.Despawned()), Paused: t.entities(t.Paused()),
		Resumed: t.entities(t.Resumed()), Retargeted: t.entities(t.Retargeted()), MarkerChanged: t.entities(t.MarkerChanged()),
		Inserted: map[ecs.Entity][]int{}, Removed: map[ecs.Entity][]int{}, Changed: map[int][]ecs.Entity{},
	}
	for _, s := range t.Structure() {
		for c := s.Inserted.Next(0); c >= 0; c = s.Inserted.Next(c + 1) {
			d.Inserted[t.Entity(s.Slot)] = append(d.Inserted[t.Entity(s.Slot)], c)
		}
		for c := s.Removed.Next(0); c >= 0; c = s.Removed.Next(c + 1) {
			d.Removed[t.Entity(s.Slot)] = append(d.Removed[t.Entity(s.Slot)], c)
		}
	}
	for c := range t.markerCol() {
		if list := t.entities(t.Changed(c)); list != nil {
			d.Changed[c] = list
		}
	}
	return d.sorted()
}

func (t *Table) entities(slots []Slot) (list []ecs.Entity) {
	for _, s := range slots {
		list = append(list, t.Entity(s))
	}
	return list
}
