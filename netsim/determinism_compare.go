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

// compareSnapshots returns the first difference between two snapshots that were computed from the
// state in before, or nil if they are equal. Newly spawned entities may have different ids.
func (c *checker) compareSnapshots(a, b *snapshot) *discrepancy {
	m := comparison{checker: c, a: a, b: b}
	a.label(&c.before, c.game.kindList)
	b.label(&c.before, c.game.kindList)
	for i := range a.rows {
		if r := &a.rows[i]; !a.isNew(r.entity) {
			if d := m.compareOld(r); d != nil {
				return d
			}
		}
	}
	for i := range b.rows {
		if r := &b.rows[i]; !b.isNew(r.entity) {
			if _, ok := a.rowOf(r.entity); !ok {
				return &discrepancy{r.entity, "", notThere, there}
			}
		}
	}
	if d := m.compareResources(); d != nil {
		return d
	}
	return m.compareSpawned()
}

// comparison compares two snapshots.
type comparison struct {
	*checker
	a, b *snapshot
}

// compareOld compares an entity that existed before the tick.
func (m *comparison) compareOld(r *row) *discrepancy {
	other, ok := m.b.rowOf(r.entity)
	if !ok {
		return &discrepancy{r.entity, "", there, notThere}
	}
	return m.compareEntities(r, other)
}

// compareEntities compares two rows.
func (m *comparison) compareEntities(x, y *row) *discrepancy {
	if !slices.Equal(x.kinds, y.kinds) {
		return m.compareKinds(x, y)
	}
	l := m.game.kindList
	for place, n := range x.kinds {
		k := &l.kinds[n]
		v, w := l.value(m.a, x, place), l.value(m.b, y, place)
		if d := m.compareValues(k, v, w); d != nil {
			d.entity = x.entity
			return d
		}
		if k.relation && m.a.identity(x.target) != m.b.identity(y.target) {
			return &discrepancy{x.entity, "target of " + k.typ.String(), fmt.Sprint(x.target), fmt.Sprint(y.target)}
		}
	}
	return nil
}

// compareKinds returns the first component that only one of two rows has.
func (m *comparison) compareKinds(x, y *row) *discrepancy {
	for n := range m.game.kinds {
		one, other := slices.Contains(x.kinds, n), slices.Contains(y.kinds, n)
		if one && !other {
			return &discrepancy{x.entity, m.game.kinds[n].typ.String(), there, notThere}
		}
		if other && !one {
			return &discrepancy{x.entity, m.game.kinds[n].typ.String(), notThere, there}
		}
	}
	return nil
}

// compareValues compares two values of a component or resource.
func (m *comparison) compareValues(k *kind, v, w []byte) *discrepancy {
	if bytes.Equal(v, w) && len(k.refs) == 0 || m.equalValues(k, v, w) {
		return nil
	}
	d := tick.FindDifference(k.typ, nil, v, m.withFirstIDs(k, v, w))
	if d.Field == "" { // references to different entities that have the same id
		d.Field, d.A, d.B = k.typ.String(), "an entity", "another, with the same id"
	}
	return &discrepancy{what: d.Field, first: d.A, again: d.B}
}

// equalValues reports whether two values are the same, apart from padding and the ids of new
// entities.
func (m *comparison) equalValues(k *kind, v, w []byte) bool {
	for _, f := range k.fields {
		if !bytes.Equal(v[f.from:f.to], w[f.from:f.to]) {
			return false
		}
	}
	for _, at := range k.refs {
		if m.a.identity(entityAt(v, at)) != m.b.identity(entityAt(w, at)) {
			return false
		}
	}
	return true
}

// withFirstIDs returns a value of the second snapshot in which references to equal entities have
// the ids of the first snapshot.
func (m *comparison) withFirstIDs(k *kind, v, w []byte) []byte {
	w = bytes.Clone(w)
	for _, at := range k.refs {
		if to := at + entityType.Size(); m.a.identity(entityAt(v, at)) == m.b.identity(entityAt(w, at)) {
			copy(w[at:to], v[at:to])
		}
	}
	return w
}

// compareResources compares the resources.
func (m *comparison) compareResources() *discrepancy {
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
			if d := m.compareValues(k, v, w); d != nil {
				return d
			}
		}
	}
	return nil
}

// compareSpawned compares the new entities: each needs an equal one in the other snapshot.
func (m *comparison) compareSpawned() *discrepancy {
	x, y := unmatched(m.a, m.b), unmatched(m.b, m.a)
	if len(x)+len(y) == 0 {
		return nil
	}
	for _, r := range x {
		for _, s := range y {
			if slices.Equal(r.kinds, s.kinds) {
				if d := m.compareEntities(r, s); d != nil {
					d.entity, d.what = ecs.Entity{}, d.what+" of a new entity"
					return d
				}
			}
		}
	}
	if len(x) > 0 {
		return &discrepancy{what: "a new entity with " + m.kindNames(x[0]), first: there, again: notThere}
	}
	return &discrepancy{what: "a new entity with " + m.kindNames(y[0]), first: notThere, again: there}
}

// unmatched returns the new entities of a snapshot that have no equal entity in another one.
func unmatched(p, other *snapshot) (list []*row) {
	count := map[uint64]int{}
	for _, label := range other.labels {
		count[label]++
	}
	for i := range p.rows {
		label, isNew := p.labels[p.rows[i].entity]
		if !isNew {
			continue
		}
		if count[label]--; count[label] < 0 {
			list = append(list, &p.rows[i])
		}
	}
	return list
}

func (m *comparison) kindNames(r *row) string {
	var names []string
	for _, n := range r.kinds {
		names = append(names, m.game.kinds[n].typ.String())
	}
	if len(names) == 0 {
		return "no component that is registered"
	}
	return strings.Join(names, ", ")
}
