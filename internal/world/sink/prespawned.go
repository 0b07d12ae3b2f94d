package sink

import (
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/mlange-42/arche/ecs"
)

// prespawns matches entities that arrive with entities that systems of the game have spawned ahead of the
// server.
type prespawns struct {
	comp int // the number of components.Prespawned; -1: it is not registered

	matched map[ecs.Entity]ecs.Entity // in the current record: by the entity that was created for it
	swap    func(n int, e ecs.Entity) ecs.Entity
}

func newPrespawns(infos []*registry.Component) *prespawns {
	p := &prespawns{comp: -1, matched: map[ecs.Entity]ecs.Entity{}}
	prespawned := reflect.TypeFor[components.Prespawned]()
	for _, info := range infos {
		if info.Type == prespawned {
			p.comp = info.Number
		}
	}
	p.swap = func(_ int, e ecs.Entity) ecs.Entity {
		if is, ok := p.matched[e]; ok {
			return is
		}
		return e
	}
	return p
}

// prespawnHash returns the hash of a new predicted member, or 0.
func (a *Applier) prespawnHash(m *stagedMember, values []stagedValue) uint32 {
	if !a.Replicas.Info[m.slot].predictOnSpawn {
		return 0
	}
	for _, v := range values {
		if v.comp == a.prespawns.comp {
			return columns.ValueOf[components.Prespawned](a.stage.buf[v.at:]).Hash
		}
	}
	return 0
}

// matchPrespawned finds the new members of the current record that the game has spawned ahead of the
// server. They become the game's entities, in references too.
func (a *Applier) matchPrespawned() {
	p := a.prespawns
	if p.comp < 0 || len(a.stage.spawned) == 0 {
		return
	}
	for i := range a.stage.members {
		m := &a.stage.members[i]
		hash := a.prespawnHash(m, a.stage.valuesOf(i))
		if hash == 0 {
			continue
		}
		if e, ok := a.prediction.by.MatchPrespawned(hash, a.stage.tick); ok {
			m.matched = true
			a.replaceEntity(m.slot, e)
		}
	}
	if len(p.matched) == 0 {
		return
	}
	for i := range a.stage.values {
		v := &a.stage.values[i]
		plan := a.comps[v.comp].plan
		v.target = p.swap(0, v.target)
		if plan.HasRefs() {
			plan.MapRefs(a.stage.buf[v.at:v.at+plan.Size()], p.swap)
		}
	}
	clear(p.matched)
}

// replaceEntity makes an entity of the game a replica, in place of the entity that was created for that.
func (a *Applier) replaceEntity(s repl.Slot, e ecs.Entity) {
	was := a.Replicas.entities[s].entity
	a.prespawns.matched[was] = e
	a.Replicas.clearSlot(was, s)
	a.Replicas.entities[s].entity = e
	a.Replicas.setSlot(e, s)
	for i := range a.refs.departed.returned {
		if r := &a.refs.departed.returned[i]; r.is == was {
			r.is = e
		}
	}
	a.writer.Remove(was)
}

// trackMatched begins to keep the confirmed state of a matched entity. Components of mode Once that it has already
// keep their values: they count as confirmed before.
func (a *Applier) trackMatched(m *stagedMember, values []stagedValue) {
	a.trackReplica(m.slot)
	e, at := a.Replicas.entities[m.slot].entity, a.Replicas.Info[m.slot].storeSlot
	for _, v := range values {
		if a.world.Has(e, a.comps[v.comp].id) || a.prediction.by.IsDisabled(at) {
			a.prediction.store.Confirmed(at).Mask.Set(v.comp)
		}
	}
}
