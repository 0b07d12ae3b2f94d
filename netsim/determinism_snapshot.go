package netsim

import (
	"reflect"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
)

// kind is a type of component or resource.
type kind struct {
	typ        reflect.Type
	registered bool // it is registered: a rollback restores it
	input      *wire.Plan
	relation   bool
	pointers   bool
	fields     []span    // its memory without entity references and padding
	refs       []uintptr // offsets of entity references in it
}

// span is a range of memory.
type span struct{ from, to uintptr }

// kindList lists the types of components and resources of a game's worlds. Components are numbered
// in the order of discovery, those of the protocol first.
type kindList struct {
	kinds     []kind
	resources []kind
	numbers   map[reflect.Type]int
}

func newKindList(p *protocol.Protocol) *kindList {
	l := &kindList{numbers: map[reflect.Type]int{}}
	for _, c := range registry.Of(p).Components {
		l.addKind(c.Type).registered = true
	}
	for _, local := range registry.Of(p).Locals {
		l.addKind(local.Type).registered = true
	}
	for _, in := range registry.Of(p).Inputs {
		l.addKind(in.Type).input = in.Plan
	}
	for _, r := range registry.Of(p).Resources {
		if r.Rollback {
			l.resources = append(l.resources, newKind(r.Type))
		}
	}
	return l
}

// addKind returns the kind of a component type, adding it if it is new.
func (l *kindList) addKind(t reflect.Type) *kind {
	n, ok := l.numbers[t]
	if !ok {
		n = len(l.kinds)
		l.numbers[t] = n
		l.kinds = append(l.kinds, newKind(t))
	}
	return &l.kinds[n]
}

func newKind(t reflect.Type) kind {
	k := kind{typ: t}
	k.addFields(t, 0)
	return k
}

// addFields adds the fields of a type at an offset.
func (k *kind) addFields(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.Struct:
		if t == entityType {
			k.refs = append(k.refs, at)
			return
		}
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				k.addFields(f.Type, at+f.Offset)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			k.addFields(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Pointer, reflect.String, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		k.pointers = true
	default:
		k.addSpan(at, at+t.Size())
	}
}

// addSpan adds a span of memory, merging it with the previous one if they are adjacent.
func (k *kind) addSpan(from, to uintptr) {
	if n := len(k.fields); n > 0 && k.fields[n-1].to == from {
		k.fields[n-1].to = to
		return
	}
	k.fields = append(k.fields, span{from, to})
}

// snapshot is a snapshot of a world. Its memory is reused.
type snapshot struct {
	rows      []row // in the order of the world
	byID      []int // 1 + index in rows, by entity id
	values    []byte
	resources [][]byte // by number; nil if the world does not have it
	dump      ecs.EntityDump
	labels    map[ecs.Entity]uint64 // labels of the new entities, see label
}

// hasData reports whether the snapshot has anything to compare.
func (p *snapshot) hasData() bool {
	return len(p.rows) > 0 || slices.ContainsFunc(p.resources, func(value []byte) bool { return value != nil })
}

// row is one entity.
type row struct {
	entity ecs.Entity
	kinds  []int // its kinds, in the order of the list
	offset int   // offset of its values in snapshot.values
	target ecs.Entity
}

// rowOf returns the row of an entity.
func (p *snapshot) rowOf(e ecs.Entity) (*row, bool) {
	if int(e.ID()) >= len(p.byID) || p.byID[e.ID()] == 0 {
		return nil, false
	}
	r := &p.rows[p.byID[e.ID()]-1]
	return r, r.entity == e
}

// value returns the memory of the component at an index of a row's list.
func (l *kindList) value(p *snapshot, r *row, place int) []byte {
	at := r.offset
	for _, n := range r.kinds[:place] {
		at += l.kinds[n].size()
	}
	size := l.kinds[r.kinds[place]].size()
	return p.values[at : at+size : at+size]
}

// size returns the bytes that a value takes in a snapshot. Values with pointers are not stored.
func (k *kind) size() int {
	if k.pointers {
		return 0
	}
	return int(k.typ.Size())
}

// takeSnapshot takes a snapshot of the registered components, or of all components.
func (a *checkedWorld) takeSnapshot(p *snapshot, all bool) {
	p.rows, p.values, p.resources = p.rows[:0], p.values[:0], p.resources[:0]
	clear(p.byID)
	clear(p.labels)
	a.addKinds()
	for q := a.world.Query(ecs.All()); q.Next(); {
		p.addRow(a.rowOf(&q, p, all))
	}
	for n := range a.resources {
		value := a.resourceBytes(n)
		if value != nil {
			value = append([]byte{}, value...)
		}
		p.resources = append(p.resources, value)
	}
	if all {
		p.dump = a.world.DumpEntities()
	}
}

func (p *snapshot) addRow(r row) {
	p.rows = append(p.rows, r)
	for len(p.byID) <= int(r.entity.ID()) {
		p.byID = append(p.byID, 0)
	}
	p.byID[r.entity.ID()] = len(p.rows)
}

func (a *checkedWorld) rowOf(q *ecs.Query, p *snapshot, all bool) row {
	r := row{entity: q.Entity(), kinds: a.kindsIn(q.Mask(), all), offset: len(p.values)}
	for _, n := range r.kinds {
		k := &a.kinds[n]
		if k.relation {
			r.target = q.Relation(a.ids[n])
		}
		if size := k.size(); size > 0 {
			p.values = append(p.values, a.componentBytes(r.entity, n)...)
		}
	}
	if !a.world.Alive(r.target) {
		r.target = ecs.Entity{}
	}
	return r
}

// addKinds adds the component types of the world to the list. No query may be open during the call.
func (a *checkedWorld) addKinds() {
	for _, id := range ecs.ComponentIDs(a.world)[len(a.kindOf):] {
		info, _ := ecs.ComponentInfo(a.world, id)
		k := a.addKind(info.Type)
		k.relation = info.IsRelation
		a.kindOf = append(a.kindOf, a.numbers[info.Type])
	}
	for len(a.ids) < len(a.kinds) {
		id := ecs.TypeID(a.world, a.kinds[len(a.ids)].typ)
		a.ids = append(a.ids, id)
		a.cells = append(a.cells, columns.NewWriter(a.world).Cells(id))
	}
}

// componentBytes returns the memory of a component. The entity must have it.
func (a *checkedWorld) componentBytes(e ecs.Entity, kind int) []byte {
	cells := &a.cells[kind]
	return cells.Bytes(cells.At(e))
}

// kindsIn returns the kinds of the components in a mask, either the registered ones or all.
func (a *checkedWorld) kindsIn(mask ecs.Mask, all bool) []int {
	s, ok := a.sets[mask]
	if !ok {
		s = a.splitMask(mask)
		a.sets[mask] = s
	}
	if all {
		return s.all
	}
	return s.registered
}

// kindSet lists the components of an archetype.
type kindSet struct{ all, registered []int }

func (a *checkedWorld) splitMask(mask ecs.Mask) (s kindSet) {
	for _, id := range ecs.ComponentIDs(a.world) {
		if !mask.Get(id) {
			continue
		}
		info, _ := ecs.ComponentInfo(a.world, id)
		n := a.numbers[info.Type]
		if s.all = append(s.all, n); a.kinds[n].registered {
			s.registered = append(s.registered, n)
		}
	}
	slices.Sort(s.all)
	slices.Sort(s.registered)
	return s
}
