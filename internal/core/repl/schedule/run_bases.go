package schedule

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// takes reports whether a peer lacks every group of a run and has acknowledged the structure of
// each, and returns the oldest and the newest of its baselines.
func (p *Planner) takes(r *encode.Run) (from repl.From, newest entangle.Tick, ok bool) {
	sp, first, last := &p.groups.Public, r.Groups[0], r.Last()
	lacks := p.enc.Runs.ValuesOnly
	for i := first >> 6; i <= last>>6; i++ {
		word := lacks[i] & set.Within(i, first, last)
		if word&^(sp.Due[i]&sp.Steady[i]&^sp.ActionInFlight[i]) != 0 {
			return from, 0, false
		}
	}
	if from.Base, newest, ok = p.basesOf(r); ok && sp.Prev != nil {
		if from.Prev, ok = sp.CommonPrev(&r.Run); from.Prev > 0 && newest != from.Base {
			ok = false // a group's previous baseline belongs to another baseline
		}
	}
	return from, newest, ok
}

// basesOf returns the oldest and the newest baseline of a run's groups. An update from the oldest
// baseline applies to every group, unless it is older than an action that the peer has to apply
// before.
func (p *Planner) basesOf(r *encode.Run) (oldest, newest entangle.Tick, ok bool) {
	sp := &p.groups.Public
	if !r.Dense {
		return p.spreadOf(r)
	}
	first, end := r.Groups[0], r.Last()+1
	base := sp.Base[first:end]
	if one := base[0]; group.AllEqual(base) && !one.Before(sp.LastAction) {
		return one, one, true
	}
	return p.spreadOf(r)
}

// spreadOf is basesOf for baselines that differ.
func (p *Planner) spreadOf(r *encode.Run) (oldest, newest entangle.Tick, ok bool) {
	sp, now := &p.groups.Public, p.state.Tick
	young, old, action := ^uint32(0), uint32(0), ^uint32(0) // as ages
	for _, h := range r.Groups {
		age := uint32(now - sp.Base[h])
		young, old, action = min(young, age), max(old, age), min(action, uint32(now-sp.StructureAsOf[h]))
	}
	return now - entangle.Tick(old), now - entangle.Tick(young), old <= action
}
