package main

import (
	"bytes"
	"fmt"
	"runtime"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"
)

// detect: find out what changed in 10,000 entities with six components of 8, 8, 4,
// 4, 24 and 1 bytes, and refresh the shadow. The marker component, whose change
// must be noticed too, is a seventh column for both sides. One operation is one
// Observe.
const (
	detectEntities = 10_000
	detectParents  = 1_000
	detectChildren = 3 // of each parent
)

func detectVariants() []variant {
	return []variant{
		{name: "detect/0pct", goal: 1.5, prepare: func() (sides, error) { return detectValues(0) }},
		{name: "detect/10pct", goal: 1.5, prepare: func() (sides, error) { return detectValues(10) }},
		{name: "detect/100pct", goal: 1.5, prepare: func() (sides, error) { return detectValues(100) }},
		{name: "detect/churn", goal: 2, prepare: detectChurn},
		{name: "detect/relations", goal: 2, prepare: func() (sides, error) { return detectRelations(10) }},
		// Reported only: where nothing changes, the limit is one comparison of
		// contiguous memory, and Arche's families lie in a thousand places.
		{name: "detect/relations-0pct", prepare: func() (sides, error) { return detectRelations(0) }},
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
	ids   []ecs.ID // marker and the six
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

// changed counts the reports of values.
func (d *detectWorld) changed() (n int) {
	for c := range 6 {
		n += len(d.table.Changed(c))
	}
	return n
}

// chosen is a fixed scatter of per cent of all numbers, another one every round.
func chosen(number, round, percent int) bool {
	return int(uint32(number*2654435761+round*40503)>>8)%100 < percent
}

// change writes to the chosen entities, in all six columns.
func (d *detectWorld) change(round, percent int) {
	if percent == 0 {
		return
	}
	filter := ecs.All(d.ids...)
	for q := d.world.Query(&filter); q.Next(); {
		a := (*detect8a)(q.Get(d.ids[1]))
		if !chosen(int(a.V>>32), round, percent) {
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

// detectValues: values change, structure does not.
func detectValues(percent int) (sides, error) {
	d, err := newDetectWorld()
	if err != nil {
		return sides{}, err
	}
	limit := newDetectGroup(detectEntities)
	for n := range detectEntities {
		d.name(d.world.NewEntity(d.ids...), n)
		limit.append(uint32(n))
	}
	return detectSides(d, []*detectGroup{limit}, percent), nil
}

// detectRelations: 1,000 parents with three children each. A parent's children are an archetype of their own. The limit
// does not know of parents: it is one array of as many entities.
func detectRelations(percent int) (sides, error) {
	d, err := newDetectWorld()
	if err != nil {
		return sides{}, err
	}
	limit := newDetectGroup(detectParents * (1 + detectChildren))
	builder := ecs.NewBuilder(d.world, append(append([]ecs.ID{}, d.ids...), d.child)...).WithRelation(d.child)
	for range detectParents {
		parent := d.world.NewEntity(d.ids...)
		d.name(parent, limit.len())
		limit.append(uint32(limit.len()))
		for range detectChildren {
			d.name(builder.New(parent), limit.len())
			limit.append(uint32(limit.len()))
		}
	}
	return detectSides(d, []*detectGroup{limit}, percent), nil
}

func detectSides(d *detectWorld, limit []*detectGroup, percent int) sides {
	l := &detectLimit{groups: limit}
	round := 0
	s := sides{
		before: func() {
			round++
			d.change(round, percent)
			l.change(round, percent)
		},
		ours:   d.observe,
		limit:  l.observe,
		verify: func() error { return sameCount(d.changed(), l.changed()) },
	}
	now := bytes.Repeat([]byte{1}, l.size())
	old := bytes.Clone(now)
	s.anchors = append(s.anchors, anchor{"bytes.Equal", func() { runtime.KeepAlive(bytes.Equal(now, old)) }})
	if percent > 0 {
		s.anchors = append(s.anchors, anchor{"copy", func() { copy(old, now) }})
	}
	s.anchored = percent == 0
	return s
}

func sameCount(ours, limit int) error {
	if ours != limit {
		return fmt.Errorf("ours reports %d, the limit %d", ours, limit)
	}
	return nil
}
