package netsim

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// restore restores the world from a snapshot of another world, which has advanced since then. It
// creates the same entities in another order. Registered components get their values from the
// snapshot. Unregistered ones get their present values from the other world, because a rollback
// does not restore them. If the entity no longer exists there, they get their values from the
// snapshot.
func (a *checkedWorld) restore(p *snapshot, now *checkedWorld, order []int) {
	a.listeners.paused = true
	now.addKinds()
	a.addKinds()
	a.removeEntities()
	a.world.LoadEntities(&p.dump)
	a.issued = len(p.dump.Entities)
	for _, at := range order {
		a.restoreEntity(p, &p.rows[at], now)
	}
	*a.time = *now.time
	for n, value := range p.resources {
		a.setResource(n, value)
	}
	a.listeners.paused = false
}

// removeEntities removes all entities from the world. Resources stay.
func (a *checkedWorld) removeEntities() {
	type resource struct {
		id ecs.ResID
		of any
	}
	var kept []resource
	for _, id := range ecs.ResourceIDs(a.world) {
		if of := a.world.Resources().Get(id); of != nil {
			kept = append(kept, resource{id, of})
		}
	}
	a.world.Reset()
	for _, r := range kept {
		a.world.Resources().Add(r.id, r.of)
	}
}

// restoreEntity adds an entity's components to it.
func (a *checkedWorld) restoreEntity(p *snapshot, r *row, now *checkedWorld) {
	comps := a.kindsToRestore(r, now)
	if len(comps) == 0 {
		return
	}
	ids := make([]ecs.ID, len(comps))
	relation := -1
	for i, n := range comps {
		ids[i] = a.ids[n]
		if a.kinds[n].relation {
			relation = n
		}
	}
	if target := a.targetOf(r, relation, now); relation >= 0 && !target.IsZero() {
		a.world.Relations().Exchange(r.entity, ids, nil, a.ids[relation], target)
	} else {
		a.world.Add(r.entity, ids...)
	}
	a.restoreValues(p, r, now, comps)
}

// kindsToRestore returns the components to give to an entity: the registered ones of the snapshot
// and the unregistered ones that it has now.
func (a *checkedWorld) kindsToRestore(r *row, now *checkedWorld) []int {
	if !now.world.Alive(r.entity) {
		return r.kinds
	}
	var comps []int
	relation := false
	for _, n := range r.kinds {
		if k := &a.kinds[n]; k.registered {
			comps = append(comps, n)
			relation = relation || k.relation
		}
	}
	for _, n := range now.kindsIn(now.world.Mask(r.entity), true) {
		if k := &a.kinds[n]; !k.registered && !(relation && k.relation) {
			comps = append(comps, n)
			relation = relation || k.relation
		}
	}
	return comps
}

// targetOf returns the relation target for a restored entity, if that target exists.
func (a *checkedWorld) targetOf(r *row, relation int, now *checkedWorld) ecs.Entity {
	if relation < 0 {
		return ecs.Entity{}
	}
	target := r.target
	if !a.kinds[relation].registered && now.world.Alive(r.entity) {
		target = now.world.Relations().Get(r.entity, now.ids[relation])
	}
	if int(target.ID()) >= a.issued || !a.world.Alive(target) {
		return ecs.Entity{}
	}
	return target
}

// restoreValues writes the values of an entity's components.
func (a *checkedWorld) restoreValues(p *snapshot, r *row, now *checkedWorld, comps []int) {
	for _, n := range comps {
		if k := &a.kinds[n]; k.registered || !now.world.Alive(r.entity) {
			continue
		}
		to := reflect.NewAt(a.kinds[n].typ, a.world.Get(r.entity, a.ids[n]))
		to.Elem().Set(reflect.NewAt(a.kinds[n].typ, now.world.Get(r.entity, now.ids[n])).Elem())
	}
	for place, n := range r.kinds {
		if k := &a.kinds[n]; k.size() > 0 && a.world.Has(r.entity, a.ids[n]) && (k.registered || !now.world.Alive(r.entity)) {
			copy(a.componentBytes(r.entity, n), a.value(p, r, place))
		}
	}
}

// setResource sets a resource of the protocol, or removes it if value is nil.
func (a *checkedWorld) setResource(number int, value []byte) {
	id, resources := a.resources[number], a.world.Resources()
	switch there := resources.Has(id); {
	case value == nil && there:
		resources.Remove(id)
	case value != nil && !there:
		resources.Add(id, reflect.New(a.kindList.resources[number].typ).Interface())
	}
	copy(a.resourceBytes(number), value)
}
