package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// readChanges reads the tick's changes of targets, relevance, owners and groups, and decides which
// groups are private.
func (v *visibility) readChanges() {
	v.retryRefused()
	t := v.collector.Table
	for _, s := range t.Spawned() {
		v.addEntity(repl.Slot(s))
	}
	for _, s := range t.MarkerChanged() {
		v.readReplicate(repl.Slot(s))
	}
	for _, s := range v.collector.Hierarchy.changed() {
		v.readReplicate(s)
		v.markStale(s)
		v.Predictions.markStale(s) // its target may be another owner now
	}
	for _, s := range t.Resumed() {
		v.readReplicate(repl.Slot(s))
		v.markStale(repl.Slot(s))
	}
	for _, s := range t.Changed(v.collector.Sent.Owners) {
		v.readOwner(repl.Slot(s))
	}
	for _, change := range t.Structure() {
		if touched := change.Inserted.Or(change.Removed); touched.Has(v.collector.Sent.Owners) {
			v.readOwner(repl.Slot(change.Slot))
		}
		if comp := v.Prespawns.comp; comp >= 0 && (change.Inserted.Has(comp) || change.Removed.Has(comp)) {
			v.markStale(repl.Slot(change.Slot))
		}
	}
	if v.staleDetached {
		v.markDetached()
	}
	for _, s := range v.stale.slots {
		if !v.collector.Paused.Has(int(s)) {
			v.Overrides.refresh(v.collector.Table.Entity(columns.Slot(s)), s)
			v.refreshInterpolation(s)
			v.refreshPrespawned(s)
		}
	}
	for _, c := range v.groups.stale {
		c.private = c.private || !v.groupOpenToAll(c)
	}
}

// addEntity adds a new entity.
func (v *visibility) addEntity(s repl.Slot) {
	v.Assigned.setTarget(s, components.Default)
	v.Owner[s], v.group[s], v.relevance[s] = entangle.Nobody, nil, components.Always
	v.readOwner(s)
	v.readReplicate(s)
	if v.hasPrespawned(s) {
		v.markStale(s)
	}
	if v.Overrides.refresh(v.collector.Table.Entity(columns.Slot(s)), s) {
		v.Overrides.updateWithheld(v.collector.Table.Entity(columns.Slot(s)), s)
		v.markStale(s)
	}
}

// readReplicate reads an entity's Replicate.
func (v *visibility) readReplicate(s repl.Slot) {
	if target := v.collector.replicateOf(s).Target; target != v.Assigned.targets[s] {
		v.Assigned.setTarget(s, target)
		v.markStale(s)
	}
	v.readRelevance(s)
	v.readPrediction(s)
	v.readInterpolation(s)
	if name := v.collector.Hierarchy.groupName(s); name != v.group[s].nameOrZero() {
		v.joinGroup(s, name)
		v.markStale(s)
	}
}

// readOwner reads an entity's ControlledBy.
func (v *visibility) readOwner(s repl.Slot) {
	owner := v.collector.ownerOf(s)
	if owner == v.Owner[s] {
		return
	}
	v.Owner[s] = owner
	v.markStale(s)
	v.staleDetached = true
	v.Predictions.markStale(s)
}

// joinGroup adds an entity to the group with a name, none if it is 0.
func (v *visibility) joinGroup(s repl.Slot, name uint64) {
	v.leaveGroup(s)
	if name == 0 {
		return
	}
	c := v.groups.groupNamed(name)
	c.members = append(c.members, s)
	v.group[s] = c
	v.singles.Clear(int(s))
}

// leaveGroup removes an entity from its named group.
func (v *visibility) leaveGroup(s repl.Slot) {
	if c := v.group[s]; c != nil {
		v.markGroupStale(s)
		c.removeMember(s)
		v.group[s] = nil
	}
}

// removeEntity removes a despawned entity.
func (v *visibility) removeEntity(s repl.Slot) {
	v.leaveGroup(s)
	v.Assigned.setTarget(s, components.Default)
	v.Predictions.forgetEntity(s)
	v.forgetInterpolation(s)
	v.Prespawns.partial.Clear(int(s))
	v.Owner[s], v.relevance[s] = entangle.Nobody, components.Always
	e := v.collector.Table.Entity(columns.Slot(s))
	v.Overrides.removeEntity(e, s)
	v.collector.interest.End(e)
	v.singles.Clear(int(s))
	v.former.dropFormer(s)
	v.staleDetached = true
}

// withholdEntity hides an entity from all clients until it has a Replicate again.
func (v *visibility) withholdEntity(s repl.Slot) {
	v.leaveGroup(s)
	v.Assigned.setTarget(s, components.Nobody)
	v.markStale(s)
}

// groupOpenToAll reports whether all clients may see all members of a group that are not paused.
// Paused ones stay in their group.
func (v *visibility) groupOpenToAll(c *namedGroup) bool {
	for _, s := range c.members {
		if !v.openToAll(s) && !v.collector.Paused.Has(int(s)) {
			return false
		}
	}
	return true
}
