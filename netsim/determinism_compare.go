package netsim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// discrepancy is the first difference between two snapshots of the same moment.
type discrepancy struct {
	entity             ecs.Entity
	what, first, again string
}

const (
	there    = "there"
	notThere = "not there"
)

// differ returns the first difference between two snapshots that were computed from the state in
// before, or nil if they are equal. Newly spawned entities may have different ids.
func (c *checker) differ(a, b *picture) *discrepancy {
	m := comparison{checker: c, a: a, b: b}
	a.paint(&c.before, c.game.kindList)
	b.paint(&c.before, c.game.kindList)
	for i := range a.rows {
		if r := &a.rows[i]; !a.isNew(r.entity) {
			if d := m.old(r); d != nil {
				return d
			}
		}
	}
	for i := range b.rows {
		if r := &b.rows[i]; !b.isNew(r.entity) {
			if _, ok := a.find(r.entity); !ok {
				return &discrepancy{r.entity, "", notThere, there}
			}
		}
	}
	if d := m.resources(); d != nil {
		return d
	}
	return m.spawned()
}

// comparison compares two snapshots.
type comparison struct {
	*checker
	a, b *picture
}

// old compares an entity that existed before the tick.
func (m *comparison) old(r *row) *discrepancy {
	other, ok := m.b.find(r.entity)
	if !ok {
		return &discrepancy{r.entity, "", there, notThere}
	}
	return m.entity(r, other)
}

// entity compares two rows.
func (m *comparison) entity(x, y *row) *discrepancy {
	if !slices.Equal(x.comps, y.comps) {
		return m.structure(x, y)
	}
	l := m.game.kindList
	for place, n := range x.comps {
		k := &l.kinds[n]
		v, w := l.value(m.a, x, place), l.value(m.b, y, place)
		if d := m.value(k, v, w); d != nil {
			d.entity = x.entity
			return d
		}
		if k.relation && m.a.name(x.target) != m.b.name(y.target) {
			return &discrepancy{x.entity, "target of " + k.typ.String(), fmt.Sprint(x.target), fmt.Sprint(y.target)}
		}
	}
	return nil
}

// structure returns the first component that only one of two rows has.
func (m *comparison) structure(x, y *row) *discrepancy {
	for n := range m.game.kinds {
		one, other := slices.Contains(x.comps, n), slices.Contains(y.comps, n)
		if one && !other {
			return &discrepancy{x.entity, m.game.kinds[n].typ.String(), there, notThere}
		}
		if other && !one {
			return &discrepancy{x.entity, m.game.kinds[n].typ.String(), notThere, there}
		}
	}
	return nil
}

// value compares two values of a component or resource.
func (m *comparison) value(k *kind, v, w []byte) *discrepancy {
	if bytes.Equal(v, w) && len(k.refs) == 0 || m.equal(k, v, w) {
		return nil
	}
	d := tick.FindDifference(k.typ, nil, v, m.alike(k, v, w))
	if d.Field == "" { // the same id for entities that are not the same
		d.Field, d.A, d.B = k.typ.String(), "an entity", "another, with the same id"
	}
	return &discrepancy{what: d.Field, first: d.A, again: d.B}
}

// equal reports whether two values are the same, apart from padding and the ids of new entities.
func (m *comparison) equal(k *kind, v, w []byte) bool {
	for _, f := range k.fields {
		if !bytes.Equal(v[f.from:f.to], w[f.from:f.to]) {
			return false
		}
	}
	for _, at := range k.refs {
		if m.a.name(entityAt(v, at)) != m.b.name(entityAt(w, at)) {
			return false
		}
	}
	return true
}

// alike returns a value of the second snapshot in which references to equal entities have the ids
// of the first snapshot.
func (m *comparison) alike(k *kind, v, w []byte) []byte {
	w = bytes.Clone(w)
	for _, at := range k.refs {
		if to := at + entityType.Size(); m.a.name(entityAt(v, at)) == m.b.name(entityAt(w, at)) {
			copy(w[at:to], v[at:to])
		}
	}
	return w
}

// resources compares the resources.
func (m *comparison) resources() *discrepancy {
	for n := range m.game.kindList.resources {
		k := &m.game.kindList.resources[n]
		v, w := m.a.resources[n], m.b.resources[n]
		switch {
		case v == nil && w == nil:
		case w == nil:
			return &discrepancy{what: "resource " + k.typ.String(), first: there, again: notThere}
		case v == nil:
			return &discrepancy{what: "resource " + k.typ.String(), first: notThere, again: there}
		default:
			if d := m.value(k, v, w); d != nil {
				return d
			}
		}
	}
	return nil
}

// spawned compares the new entities: each needs an equal one in the other snapshot.
func (m *comparison) spawned() *discrepancy {
	x, y := without(m.a, m.b), without(m.b, m.a)
	if len(x)+len(y) == 0 {
		return nil
	}
	for _, r := range x {
		for _, s := range y {
			if slices.Equal(r.comps, s.comps) {
				if d := m.entity(r, s); d != nil {
					d.entity, d.what = ecs.Entity{}, d.what+" of a new entity"
					return d
				}
			}
		}
	}
	if len(x) > 0 {
		return &discrepancy{what: "a new entity with " + m.names(x[0]), first: there, again: notThere}
	}
	return &discrepancy{what: "a new entity with " + m.names(y[0]), first: notThere, again: there}
}

// without returns the new entities of a snapshot that have no equal entity in another one.
func without(p, other *picture) (list []*row) {
	count := map[uint64]int{}
	for _, colour := range other.news {
		count[colour]++
	}
	for i := range p.rows {
		colour, isNew := p.news[p.rows[i].entity]
		if !isNew {
			continue
		}
		if count[colour]--; count[colour] < 0 {
			list = append(list, &p.rows[i])
		}
	}
	return list
}

func (m *comparison) names(r *row) string {
	var names []string
	for _, n := range r.comps {
		names = append(names, m.game.kinds[n].typ.String())
	}
	if len(names) == 0 {
		return "no component that is registered"
	}
	return strings.Join(names, ", ")
}
