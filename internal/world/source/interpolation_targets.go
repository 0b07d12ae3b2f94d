package source

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// interpolationTargets holds which clients interpolate which entities. A client is told by
// components.Interpolated, which is sent like a component of the entity, although the server's world
// does not have it: clients outside of the target do not see it, as if it had an override.
type interpolationTargets struct {
	comp    int                          // the number of components.Interpolated; -1: it is not registered
	of      []clientTarget               // by slot
	sent    set.Bitset                   // slots for which the sender has the component
	partial set.Bitset                   // slots with a target that does not include all clients
	rooms   refs.Chains[components.Room] // slots, by the room that is their target
}

func newInterpolationTargets(c *Collector) interpolationTargets {
	return interpolationTargets{comp: c.Sent.interpolated, rooms: refs.NewChains[components.Room]()}
}

// forNobody reports whether no client interpolates an entity.
func (t *interpolationTargets) forNobody(s repl.Slot) bool {
	return int(s) >= len(t.of) || isNone(t.of[s].target)
}

// setTarget records the interpolation target of an entity.
func (t *interpolationTargets) setTarget(s repl.Slot, to clientTarget) {
	for len(t.of) <= int(s) {
		t.of = append(t.of, clientTarget{target: components.Nobody, setBy: repl.Slot(len(t.of))})
	}
	if room, ok := t.of[s].target.Room(); ok {
		t.rooms.Remove(room, int32(s))
	}
	t.of[s] = to
	if room, ok := to.target.Room(); ok {
		t.rooms.Add(room, int32(s))
	}
}

// readInterpolation reads the interpolation target of an entity.
func (v *visibility) readInterpolation(s repl.Slot) {
	t := &v.Interpolations
	if t.comp < 0 {
		v.collector.checkInterpolation(s)
		return
	}
	to := v.collector.Hierarchy.inheritedTarget(s, func(r *components.Replicate) components.Target { return r.Interpolate })
	if int(s) < len(t.of) && t.of[s] == to || int(s) >= len(t.of) && to.target == components.Nobody {
		return
	}
	t.setTarget(s, to)
	v.markStale(s)
}

// forgetInterpolation removes a despawned entity.
func (v *visibility) forgetInterpolation(s repl.Slot) {
	v.collector.teleports.forget(s)
	if t := &v.Interpolations; int(s) < len(t.of) {
		t.setTarget(s, clientTarget{target: components.Nobody, setBy: s})
		t.sent.Clear(int(s))
		t.partial.Clear(int(s))
	}
}

// refreshInterpolation finds whether all clients see components.Interpolated of an entity. Where a client
// predicts the entity, it does not matter.
func (v *visibility) refreshInterpolation(s repl.Slot) {
	if t := &v.Interpolations; t.comp >= 0 {
		t.partial.Assign(int(s), !t.forNobody(s) && !v.interpolatedByAll(s))
	}
}

func (v *visibility) interpolatedByAll(s repl.Slot) bool {
	to, by := v.Interpolations.of[s], v.Predictions.targetOf(s)
	switch {
	case isAll(to.target), by.target == components.Everyone:
		return true
	case to.target != components.NotOwner:
		return false
	}
	owner := v.Owner[to.setBy]
	return owner == entangle.Nobody || by.target == components.Owner && v.Owner[by.setBy] == owner
}

// hidesInterpolation reports whether a client is not to see components.Interpolated of an entity.
func (v *visibility) hidesInterpolation(s repl.Slot, client entangle.ClientID) bool {
	t := &v.Interpolations
	if t.comp < 0 || !t.partial.Has(int(s)) {
		return false
	}
	by := v.Predictions.targetOf(s)
	return !v.includes(t.of[s].target, t.of[s].setBy, client) &&
		(by.target == components.Nobody || !v.includes(by.target, by.setBy, client))
}

// withInterpolated adds components.Interpolated to the components of an entity that appears, if some
// client interpolates it.
func (v *visibility) withInterpolated(s repl.Slot, mask set.Mask) set.Mask {
	t := &v.Interpolations
	if t.comp < 0 {
		return mask
	}
	t.sent.Assign(int(s), !t.forNobody(s))
	if t.sent.Has(int(s)) {
		mask.Set(t.comp)
	}
	return mask
}

// reshapeInterpolated tells the sender which of the stale entities got components.Interpolated or lost it.
// For a paused entity it does so when that resumes.
func (v *visibility) reshapeInterpolated() {
	t, p := &v.Interpolations, v.collector
	if t.comp < 0 {
		return
	}
	for _, s := range v.stale.slots {
		e := p.Table.Entity(columns.Slot(s))
		if at, ok := p.Table.SlotOf(e); !ok || at != columns.Slot(s) || p.Paused.Has(int(s)) || t.sent.Has(int(s)) == !t.forNobody(s) {
			continue
		}
		if comp := set.MaskOf(t.comp); t.forNobody(s) {
			t.sent.Clear(int(s))
			p.World.Reshape(s, set.Mask{}, comp)
		} else {
			t.sent.Set(int(s))
			p.World.Reshape(s, comp, set.Mask{})
		}
	}
}

// updateRoomInterpolations updates the views of a client that entered or left a room, also where the room is the
// prediction target: a client that does not predict the entity any more may not interpolate it either.
func (v *visibility) updateRoomInterpolations(c *Client, m interest.Move) {
	room := components.Room(m.Room)
	for s, ok := v.Interpolations.rooms.First(room); ok; s, ok = v.Interpolations.rooms.Next(s) {
		v.reevaluate(c, repl.Slot(s), v.show)
	}
	for s, ok := v.Predictions.rooms.First(room); ok; s, ok = v.Predictions.rooms.Next(s) {
		if v.Interpolations.partial.Has(int(s)) {
			v.reevaluate(c, repl.Slot(s), v.show)
		}
	}
}

// Interpolates reports whether a client that gets an entity interpolates it.
func (v *visibility) Interpolates(client entangle.ClientID, s repl.Slot) bool {
	t, by := &v.Interpolations, v.Predictions.targetOf(s)
	return t.comp >= 0 && !t.forNobody(s) && v.includes(t.of[s].target, t.of[s].setBy, client) &&
		(by.target == components.Nobody || !v.includes(by.target, by.setBy, client))
}

// interpolatedExceptBy returns a client. Every other one that gets an entity interpolates it. ok is false if that is not
// certain.
func (v *visibility) interpolatedExceptBy(s repl.Slot) (client entangle.ClientID, ok bool) {
	t, by := &v.Interpolations, v.Predictions.targetOf(s)
	if t.comp < 0 || t.forNobody(s) {
		return entangle.Nobody, false
	}
	to := t.of[s]
	switch {
	case by.target == components.Nobody && isAll(to.target):
		return entangle.Nobody, true
	case by.target == components.Nobody && to.target == components.NotOwner:
		return v.Owner[to.setBy], true
	case by.target == components.Owner && (isAll(to.target) || to.target == components.NotOwner && v.Owner[to.setBy] == v.Owner[by.setBy]):
		return v.Owner[by.setBy], true
	}
	return entangle.Nobody, false
}

// encodeInterpolated writes components.Interpolated, which has the interval of the entity's group, and the number of
// its teleports.
func (c *Collector) encodeInterpolated(w *bits.Writer, s repl.Slot) {
	v := components.Interpolated{SendEvery: uint32(c.World.Interval(s)), Teleports: c.teleports.of(s)}
	var value [8]byte // the memory of v
	binary.NativeEndian.PutUint32(value[:], v.SendEvery)
	value[4] = v.Teleports
	c.Sent.Plans[c.Visibility.Interpolations.comp].Encode(w, value[:], &c.refs)
}
