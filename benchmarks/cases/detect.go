package cases

import (
	"bytes"
	"fmt"
	"runtime"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/internal/columns"
)

// The case detect finds the changes in 10,000 entities with six components of 8, 8, 4, 4, 24 and 1
// bytes, and refreshes the shadow columns. On both sides, a seventh column stands for the marker
// component, changes of which must be found too. One operation is one Observe.
const (
	detectEntities = 10_000
	detectParents  = 1_000
	detectChildren = 3 // of each parent
)

func detectVariants() []report.Variant {
	return []report.Variant{
		{Name: "detect/0pct", Goal: 1.5, Prepare: func() (report.Sides, error) { return detectValues(0) }},
		{Name: "detect/10pct", Goal: 1.5, Prepare: func() (report.Sides, error) { return detectValues(10) }},
		{Name: "detect/100pct", Goal: 1.5, Prepare: func() (report.Sides, error) { return detectValues(100) }},
		{Name: "detect/churn", Goal: 2, Prepare: detectChurn},
		{Name: "detect/relations", Goal: 2, Prepare: func() (report.Sides, error) { return detectRelations(10) }},
		// This variant has no goal: where nothing changes, the limit is one comparison of
		// contiguous memory, while Arche keeps the children of each parent in a table of their own.
		{Name: "detect/relations-0pct", Prepare: func() (report.Sides, error) { return detectRelations(0) }},
	}
}

type (
	detectMarker struct{ A, B, C, D, E, F uint32 }
	detect8a     struct{ V uint64 }
	detect8b     struct{ V uint64 }
	detect4a     struct{ V uint32 }
	detect4b     struct{ V uint32 }
	detect24     struct{ V [3]uint64 }
	detect1      struct{ V uint8 }
	detectChild  struct{ ecs.Relation }
	detectTag0   struct{}
	detectTag1   struct{}
	detectTag2   struct{}
)

// detectWorld is our side.
type detectWorld struct {
	world *ecs.World
	table *columns.Table
	ids   []ecs.ID // the marker and the six components
	tags  [3]ecs.ID
	child ecs.ID
}

func newDetectWorld() (*detectWorld, error) {
	w := ecs.NewWorld(1024, 4)
	d := &detectWorld{world: &w}
	d.ids = []ecs.ID{
		ecs.ComponentID[detectMarker](&w), ecs.ComponentID[detect8a](&w), ecs.ComponentID[detect8b](&w),
		ecs.ComponentID[detect4a](&w), ecs.ComponentID[detect4b](&w), ecs.ComponentID[detect24](&w), ecs.ComponentID[detect1](&w),
	}
	d.tags = [3]ecs.ID{ecs.ComponentID[detectTag0](&w), ecs.ComponentID[detectTag1](&w), ecs.ComponentID[detectTag2](&w)}
	d.child = ecs.ComponentID[detectChild](&w)
	cols := make([]columns.Column, 0, 10)
	for i, size := range []int{8, 8, 4, 4, 24, 1} {
		cols = append(cols, columns.Column{ID: d.ids[i+1], Size: size})
	}
	for _, tag := range d.tags {
		cols = append(cols, columns.Column{ID: tag})
	}
	table, err := columns.New(&w, d.ids[0], cols)
	if err != nil {
		return nil, err
	}
	d.table = table
	dispatch := listener.NewDispatch(table.Listener())
	w.SetListener(&dispatch)
	return d, nil
}

func (d *detectWorld) observe() {
	if err := d.table.Observe(d.table.Tick() + 1); err != nil {
		panic(err)
	}
}

// countChanges counts the changed values that Observe reports.
func (d *detectWorld) countChanges() (n int) {
	for c := range 6 {
		n += len(d.table.Changed(c))
	}
	return n
}

// change writes to the chosen entities, in all six columns.
func (d *detectWorld) change(round, percent int) {
	if percent == 0 {
		return
	}
	filter := ecs.All(d.ids...)
	for q := d.world.Query(&filter); q.Next(); {
		a := (*detect8a)(q.Get(d.ids[1]))
		if !report.Chosen(int(a.V>>32), round, percent) {
			continue
		}
		a.V++
		(*detect8b)(q.Get(d.ids[2])).V++
		(*detect4a)(q.Get(d.ids[3])).V++
		(*detect4b)(q.Get(d.ids[4])).V++
		(*detect24)(q.Get(d.ids[5])).V[1]++
		(*detect1)(q.Get(d.ids[6])).V++
	}
}

// name writes an entity's number into the high half of its first component.
func (d *detectWorld) name(e ecs.Entity, number int) {
	(*detect8a)(d.world.Get(e, d.ids[1])).V = uint64(number) << 32
}

// detectValues prepares a variant in which values change and the structure does not.
func detectValues(percent int) (report.Sides, error) {
	d, err := newDetectWorld()
	if err != nil {
		return report.Sides{}, err
	}
	limit := limits.NewDetectGroup(detectEntities)
	for n := range detectEntities {
		d.name(d.world.NewEntity(d.ids...), n)
		limit.Append(uint32(n))
	}
	return oursAndLimit(d, []*limits.DetectGroup{limit}, percent), nil
}

// detectRelations prepares 1,000 parents with three children each. In Arche, the children of each
// parent have a table of their own. The limit has no parents: it is one array of as many entities.
func detectRelations(percent int) (report.Sides, error) {
	d, err := newDetectWorld()
	if err != nil {
		return report.Sides{}, err
	}
	limit := limits.NewDetectGroup(detectParents * (1 + detectChildren))
	builder := ecs.NewBuilder(d.world, append(append([]ecs.ID{}, d.ids...), d.child)...).WithRelation(d.child)
	for range detectParents {
		parent := d.world.NewEntity(d.ids...)
		d.name(parent, limit.Len())
		limit.Append(uint32(limit.Len()))
		for range detectChildren {
			d.name(builder.New(parent), limit.Len())
			limit.Append(uint32(limit.Len()))
		}
	}
	return oursAndLimit(d, []*limits.DetectGroup{limit}, percent), nil
}

func oursAndLimit(d *detectWorld, limit []*limits.DetectGroup, percent int) report.Sides {
	l := &limits.DetectLimit{Groups: limit}
	round := 0
	s := report.Sides{
		Before: func() {
			round++
			d.change(round, percent)
			l.Change(round, percent)
		},
		Ours:   d.observe,
		Limit:  l.Observe,
		Verify: func() error { return sameCount(d.countChanges(), l.Changed()) },
	}
	now := bytes.Repeat([]byte{1}, l.Size())
	old := bytes.Clone(now)
	s.Anchors = append(s.Anchors, report.Anchor{Name: "bytes.Equal", Run: func() { runtime.KeepAlive(bytes.Equal(now, old)) }})
	if percent > 0 {
		s.Anchors = append(s.Anchors, report.Anchor{Name: "copy", Run: func() { copy(old, now) }})
	}
	s.Anchored = percent == 0
	return s
}

func sameCount(ours, limit int) error {
	if ours != limit {
		return fmt.Errorf("ours reports %d, the limit %d", ours, limit)
	}
	return nil
}
