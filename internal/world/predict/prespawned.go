package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/prespawn"
	"github.com/mlange-42/arche/ecs"
)

// prespawned is the entities that systems of the game have spawned with components.Prespawned, ahead of
// the server. They roll back like entities of the server from the tick of their spawn on.
//
// A rollback to before its spawn disables such an entity, as it does an entity of the server. The replay
// spawns it again, as another entity, which is merged into the first: that returns with the new
// components and values.
type prespawned struct {
	*lifecycle
	source  *source.Prespawns
	matcher *prespawn.Matcher[ecs.Entity]
	// interpolated returns the tick at which the client shows interpolated entities, or would.
	interpolated func() entangle.Tick
	connected    func() bool
	references   set.Mask // columns with references to entities

	relations []ecs.ID // all relations that the prediction knows, each once

	coming   []absentEntity            // entities of the server that appear in a tick to come
	repeated []ecs.Entity              // entities that the present tick has spawned again
	into     map[ecs.Entity]ecs.Entity // the entities that they are
	givenUp  []ecs.Entity              // entities that gave way to those of the present tick
	holders  []ecs.Entity              // scratch
	withID   ecs.Mask                  // scratch, of mapTargets
	withTo   ecs.RelationFilter        // scratch, of mapTargets
	drop     func(ecs.Entity, prespawn.State)
	swap     func(n int, e ecs.Entity) ecs.Entity
}

// maxPrespawnTicks bounds for how many ticks a prespawned entity waits for the server's, whatever the
// latency is.
const maxPrespawnTicks = 1024

func (p *prespawned) init(l *lifecycle, cfg *PredictionConfig, of *source.Prespawns) {
	p.lifecycle, p.source, p.interpolated, p.connected = l, of, cfg.InterpolatedTick, cfg.Connected
	p.matcher = prespawn.New(prespawn.DefaultLimit, cfg.World.Alive)
	p.into, p.drop, p.swap = map[ecs.Entity]ecs.Entity{}, p.removeUnmatched, p.mergedInto
	p.lifecycle.isAbsent, p.lifecycle.removeSpawned = p.matcher.Absent, p.despawn
	p.relations = slices.Clone(p.children.relations)
	for col := range p.modes.relation.All() {
		if id := p.cols[col].id; !p.children.is.Get(id) {
			p.relations = append(p.relations, id)
		}
	}
	for col := range p.cols {
		if info := p.cols[col].info; info != nil && p.modes.kept.Has(col) && info.Plan.HasRefs() {
			p.references.Set(col)
		}
	}
}

// begin begins the simulation of a tick.
func (p *prespawned) begin() { p.source.Begin() }

// end ends the simulation of a tick. Entities that it has spawned roll back from now on, and wait for
// the server's. Without a connection they are the game's own. Before the clock of a connection is set, they are
// removed: their ticks are not the server's, so that none of its entities would ever match them.
func (p *prespawned) end() {
	now, synced := p.progress.present(), p.progress.synced()
	if !synced && !p.connected() {
		p.source.Cancel()
		return
	}
	if p.source.End(now); !synced {
		for _, e := range p.source.Spawned() {
			if p.world.Alive(e) { // else it went with its parent
				p.despawn(e)
			}
		}
		return
	}
	p.repeated = p.repeated[:0]
	clear(p.into)
	until := now + p.lifetime()
	for _, e := range p.source.Spawned() {
		if p.predicts(e) || p.mergedInto(0, e) != e {
			continue // it lost components.Prespawned in this tick and got it again, so that it is there twice
		}
		if into, repeated := p.matcher.Spawned(e, p.source.HashOf(e), now, until, p.giveUp); repeated {
			p.repeated = append(p.repeated, e)
			p.into[e] = into
		} else {
			p.writer.Exchange(e, p.marks, nil, nil)
			p.children.addChildren(e)
		}
	}
	p.mergeAll()
	p.removeGivenUp()
}

// giveUp notes an entity that gives way to one of the present tick. It is removed after all of them are merged, because
// one of them may be its child, or be merged into it.
func (p *prespawned) giveUp(e ecs.Entity, _ prespawn.State) { p.givenUp = append(p.givenUp, e) }

// removeGivenUp removes the entities that gave way in the present tick.
func (p *prespawned) removeGivenUp() {
	if len(p.givenUp) == 0 {
		return
	}
	p.children.followNew() // new children are removed with them
	p.grow()
	for _, e := range p.givenUp {
		p.removeUnmatched(e, prespawn.Waiting)
	}
	p.givenUp = p.givenUp[:0]
}

// despawn removes an entity in the tick that has spawned it, with its children, as a server does. Children that roll
// back are despawned like any other. It returns false for an entity that is not prespawned.
func (p *prespawned) despawn(e ecs.Entity) bool {
	if !p.source.Has(e) {
		return false
	}
	tree := append(p.holders[:0], e)
	for i := 0; i < len(tree); i++ {
		p.children.each(tree[i], func(child ecs.Entity) {
			if p.predicts(child) {
				p.lifecycle.despawn(child, child)
			} else if p.children.isCandidate(child) && !slices.Contains(tree, child) {
				tree = append(tree, child)
			}
		})
	}
	for _, e := range slices.Backward(tree) {
		p.writer.Remove(e)
	}
	p.holders = tree
	return true
}

// lifetime returns for how many ticks an entity that is spawned in the present tick waits for the
// server's: twice the distance to the tick at which interpolated entities are shown. All state of the
// server as of that tick has nearly always arrived. In a replay, the distance is the same. After the clock was set
// back, what is shown can be ahead of it for a while.
func (p *prespawned) lifetime() entangle.Tick {
	distance := int(p.newest().Sub(p.interpolated()))
	if distance < -maxPrespawnTicks/2 || distance > maxPrespawnTicks/2 {
		return maxPrespawnTicks
	}
	return entangle.Tick(2 * max(distance, 1))
}

// newest returns the newest tick that has run, also in a replay.
func (p *prespawned) newest() entangle.Tick {
	now := p.progress.present()
	if ran := p.progress.ran; now.Before(ran) {
		return ran
	}
	return now
}

// mergeAll merges the entities that a replayed tick has spawned again into those that they are: first
// their components and values, then all references to them.
func (p *prespawned) mergeAll() {
	if len(p.repeated) == 0 {
		return
	}
	for _, e := range p.repeated {
		if slot := p.slotOf(p.into[e]); p.disabled[slot].on {
			p.bringBack(slot, e)
		}
	}
	for _, e := range p.repeated {
		p.mapTargets(e, p.into[e])
	}
	for col := range p.references.All() {
		p.mapColumn(col)
	}
	for _, e := range p.repeated {
		p.writer.Remove(e)
	}
}

// bringBack brings back a disabled entity with the components and values of another one. Of an entity of
// the server, those that are written as they arrive have the confirmed values.
func (p *prespawned) bringBack(slot rollback.Slot, from ecs.Entity) {
	e, cols := p.entity(slot), p.modes.kept
	if p.store.Confirmed(slot).Known {
		p.enable(slot, rollback.Form{Alive: true, Mask: p.columnsOf(from, cols)})
	} else {
		p.disabled[slot].on = false
		cols = cols.Or(p.modes.simple)
		p.exchange(slot, p.columnsOf(from, cols), cols)
	}
	for col := range p.columnsOf(from, cols).All() {
		c := &p.cols[col]
		copy(c.memoryOf(e), c.memoryOf(from)) // the entity may lack it: only one relation stays
		if p.modes.relation.Has(col) {
			p.setTarget(slot, set.MaskOf(col), p.world.Relations().Get(from, c.id))
		}
	}
}

// columnsOf returns the columns among some that an entity has.
func (p *prespawned) columnsOf(e ecs.Entity, among set.Mask) (cols set.Mask) {
	for col := range among.All() {
		if p.world.Has(e, p.cols[col].id) {
			cols.Set(col)
		}
	}
	return cols
}

// mergedInto returns the entity that another one is merged into, or the same entity. It is the argument
// of wire.Plan.MapRefs.
func (p *prespawned) mergedInto(_ int, e ecs.Entity) ecs.Entity {
	if into, ok := p.into[e]; ok {
		return into
	}
	return e
}

// mapTargets sets the relations that have an entity as target to the one that it is merged into.
func (p *prespawned) mapTargets(from, into ecs.Entity) {
	for _, id := range p.relations {
		holders := p.holders[:0]
		p.withID = ecs.All(id)
		p.withTo = ecs.NewRelationFilter(&p.withID, from)
		for query := p.world.Query(&p.withTo); query.Next(); {
			holders = append(holders, query.Entity())
		}
		for _, e := range holders {
			if e != into {
				p.writer.SetTarget(e, id, into)
			}
		}
		p.holders = holders
	}
}

// mapColumn maps the references in a component of all entities that roll back.
func (p *prespawned) mapColumn(col int) {
	c := &p.cols[col]
	holders := ecs.All(p.marker(), c.id)
	for query := p.world.Query(&holders); query.Next(); {
		c.info.Plan.MapRefs(c.memoryOf(query.Entity()), p.swap)
	}
}

// restored notes that the world is restored to a tick. An entity that is spawned later is absent there:
// restoring disables it, and the replay of its tick brings it back.
func (p *prespawned) restored(tick entangle.Tick) {
	p.matcher.Restored(tick, func(ecs.Entity) {})
}

// disableAfter disables the entities that are spawned after a tick, if there are no histories from which
// that tick could be restored.
func (p *prespawned) disableAfter(tick entangle.Tick) {
	p.matcher.Restored(tick, func(e ecs.Entity) { p.lifecycle.disableAbsent(p.slotOf(e)) })
	p.commitStructure(restored)
}

// match returns the entity of the client that an arriving entity of the server is.
func (p *prespawned) match(hash uint32, tick entangle.Tick) (e ecs.Entity, ok bool) {
	if e, ok = p.matcher.Match(hash, tick); !ok {
		return e, false
	}
	// The server decides from now on whether it is despawned.
	p.leaving = slices.DeleteFunc(p.leaving, func(g leavingEntity) bool { return g.local && g.entity == e })
	return e, true
}

// arrived adds an entity of the server that no entity of the client is. If it is of a tick that has not
// run yet, it appears in that tick.
func (p *prespawned) arrived(e ecs.Entity, slot rollback.Slot, hash uint32, tick entangle.Tick) {
	p.matcher.Arrived(e, hash, tick, p.progress.present())
	if p.progress.synced() && p.progress.present().Before(tick) {
		p.lifecycle.disableAbsent(slot)
		p.coming = append(p.coming, absentEntity{e, slot, tick})
	}
}

// appear enables, at the end of a tick, the entities of the server that have arrived as of that tick, if state of a tick to
// come has replaced theirs: they have the state with which they arrived.
func (p *prespawned) appear(tick entangle.Tick) {
	p.coming = slices.DeleteFunc(p.coming, func(a absentEntity) bool {
		ended := p.entity(a.slot) != a.entity
		if !ended && tick.Before(a.tick) {
			return false
		}
		if d := &p.disabled[a.slot]; !ended && d.on && tick.Before(p.store.Confirmed(a.slot).Tick) {
			had := d.mask.And(p.modes.kept)
			p.enable(a.slot, rollback.Form{Alive: true, Mask: had})
			p.setTarget(a.slot, had.And(p.modes.relation), d.target)
		}
		return true
	})
}

// expire removes entities that the server does not have.
func (p *prespawned) expire() {
	p.matcher.Expire(p.progress.present(), p.progress.confirmed, p.progress.oldest(), p.drop)
}

// removeUnmatched removes an entity that the server does not have, with the children that the game has
// spawned.
func (p *prespawned) removeUnmatched(e ecs.Entity, _ prespawn.State) {
	p.removeOne(&leavingEntity{entity: e, slot: p.slotOf(e), local: true})
}
