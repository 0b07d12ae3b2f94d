package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// notice reads the tick's changes of targets, relevance, owners and groups, and decides which
// groups are private.
func (v *sight) notice() {
	v.retry()
	t := v.publisher.Table
	for _, s := range t.Spawned() {
		v.meet(repl.Slot(s))
	}
	for _, s := range t.MarkerChanged() {
		v.read(repl.Slot(s))
	}
	for _, s := range v.publisher.Family.touched() {
		v.read(s)
		v.stir(s)
		v.Foresight.stir(s) // its target may be another owner now
	}
	for _, s := range t.Resumed() {
		v.read(repl.Slot(s))
		v.stir(repl.Slot(s))
	}
	for _, s := range t.Changed(v.publisher.Owners) {
		v.readOwner(repl.Slot(s))
	}
	for _, change := range t.Structure() {
		if touched := change.Inserted.Or(change.Removed); touched.Has(v.publisher.Owners) {
			v.readOwner(repl.Slot(change.Slot))
		}
	}
	for _, s := range v.stirred {
		if !v.publisher.Paused.Has(int(s)) {
			v.Overrides.look(v.publisher.Table.Entity(columns.Slot(s)), s)
		}
	}
	for _, c := range v.crowds.stirred {
		c.private = c.private || !v.allOpen(c)
	}
}

// meet adds a new entity.
func (v *sight) meet(s repl.Slot) {
	v.aim(s, components.Default)
	v.Owner[s], v.crowd[s], v.relevance[s] = entangle.Nobody, nil, components.Always
	v.readOwner(s)
	v.read(s)
	if v.Overrides.look(v.publisher.Table.Entity(columns.Slot(s)), s) {
		v.Overrides.fit(v.publisher.Table.Entity(columns.Slot(s)), s)
		v.stir(s)
	}
}

// read reads an entity's Replicate.
func (v *sight) read(s repl.Slot) {
	if target := v.publisher.replicate(s).Target; target != v.target[s] {
		v.aim(s, target)
		v.stir(s)
	}
	v.readRelevance(s)
	v.readPrediction(s)
	if name := v.name(s); name != v.crowd[s].named() {
		v.join(s, name)
		v.stir(s)
	}
}

// readOwner reads an entity's ControlledBy.
func (v *sight) readOwner(s repl.Slot) {
	owner := v.publisher.ownerOf(s)
	if owner == v.Owner[s] {
		return
	}
	v.Owner[s] = owner
	v.stir(s)
	v.Foresight.stir(s)
}

// join adds an entity to the crowd with a name, none if it is 0.
func (v *sight) join(s repl.Slot, name uint64) {
	v.part(s)
	if name == 0 {
		return
	}
	c := v.crowds.of(name)
	c.members = append(c.members, s)
	v.crowd[s] = c
	v.watched.Clear(int(s))
}

// part removes an entity from its crowd.
func (v *sight) part(s repl.Slot) {
	if c := v.crowd[s]; c != nil {
		v.crowds.stir(c)
		c.remove(s)
		v.crowd[s] = nil
	}
}

// lose removes a despawned entity.
func (v *sight) lose(s repl.Slot) {
	v.part(s)
	v.aim(s, components.Default)
	v.Foresight.forget(s)
	v.Owner[s], v.relevance[s] = entangle.Nobody, components.Always
	e := v.publisher.Table.Entity(columns.Slot(s))
	v.Overrides.lose(e, s)
	v.publisher.interest.End(e)
	v.watched.Clear(int(s))
	delete(v.resting, s)
}

// withhold hides an entity from all clients until it has a Replicate again.
func (v *sight) withhold(s repl.Slot) {
	v.part(s)
	v.aim(s, components.Nobody)
	v.stir(s)
}

// allOpen reports whether all clients may see all members of a crowd that are not paused. Paused
// ones stay in their group.
func (v *sight) allOpen(c *crowd) bool {
	for _, s := range c.members {
		if !v.open(s) && !v.publisher.Paused.Has(int(s)) {
			return false
		}
	}
	return true
}
