package schedule

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// runBaselines returns the oldest and the newest baseline of the peer for the groups of a run. ok is false if the peer
// cannot be sent the whole run: a group is not due, not steady or has an action in flight, or no update from the oldest
// baseline applies to all groups.
func (p *Planner) runBaselines(r *encode.SharedRun) (from repl.From, newest entangle.Tick, ok bool) {
	sp, first, last := &p.groups.Public, r.Groups[0], r.Last()
	lacks := p.enc.Runs.ValuesOnly
	for i := first >> 6; i <= last>>6; i++ {
		word := lacks[i] & set.Within(i, first, last)
		if word&^(sp.Due[i]&sp.SteadyWord(int(i))&^sp.ActionInFlight[i]) != 0 {
			return from, 0, false
		}
	}
	if from.Base, newest, ok = p.baselineRange(r); ok && sp.Prev != nil {
		if from.Prev, ok = sp.CommonPrev(&r.SharedRun); from.Prev > 0 && newest != from.Base {
			ok = false // a group's previous baseline belongs to another baseline
		}
	}
	return from, newest, ok
}

// baselineRange returns the oldest and the newest baseline of the groups of a run. An update from the oldest baseline
// applies to each of them. ok is false if the oldest baseline is before the last action of a group: the peer must apply
// that first.
func (p *Planner) baselineRange(r *encode.SharedRun) (oldest, newest entangle.Tick, ok bool) {
	sp, now := &p.groups.Public, p.state.Tick
	if r.Dense {
		base := sp.Base[r.Groups[0] : r.Last()+1]
		if group.AllEqual(base) { // no baseline is before the last action of its group
			return base[0], base[0], true
		}
	}
	young, old, action := ^uint32(0), uint32(0), ^uint32(0) // as ages
	for _, h := range r.Groups {
		age := uint32(now - sp.Base[h])
		young, old, action = min(young, age), max(old, age), min(action, uint32(now-sp.ActionSent[h]))
	}
	return now - entangle.Tick(old), now - entangle.Tick(young), old <= action
}
