package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/mlange-42/arche/ecs"
)

// exchange gives an entity exactly those of some columns that it is to have, and of several
// relations one.
func (p *Prediction) exchange(slot rollback.Slot, want, among rollback.Mask) {
	e := p.entity(slot)
	p.adds, p.drops = p.adds[:0], p.drops[:0]
	want, related := p.oneRelation(slot, want), false
	for col := among.Next(0); col >= 0; col = among.Next(col + 1) {
		id := p.cols[col].id
		switch has := p.world.Has(e, id); {
		case has && !want.Has(col):
			p.drops = append(p.drops, id)
		case !has && want.Has(col):
			p.adds = append(p.adds, id)
			related = related || p.modes.relation.Has(col)
		}
	}
	if related {
		p.giveWay(e)
	}
	p.writer.Exchange(e, p.adds, p.drops, nil)
}

// oneRelation leaves one of the relations that an entity is to have, for Arche gives it no
// more: one that the server shows as it comes before one that is compared, and the game's own
// last.
func (p *Prediction) oneRelation(slot rollback.Slot, want rollback.Mask) rollback.Mask {
	related := want.And(p.modes.relation)
	for _, of := range [...]rollback.Mask{p.shownRelations(slot, want), related.And(p.modes.full), related} {
		if col := of.Next(0); col >= 0 {
			stays := want.Has(col)
			if want = want.Without(p.modes.relation); stays {
				want.Set(col)
			}
			break
		}
	}
	return want
}

// shownRelations returns the relations that the server shows as they come, of those that an
// entity has or is to have.
func (p *Prediction) shownRelations(slot rollback.Slot, want rollback.Mask) (shown rollback.Mask) {
	word := p.memory.Confirmed(slot)
	simple := p.modes.relation.And(p.modes.simple)
	for col := simple.Next(0); col >= 0; col = simple.Next(col + 1) {
		if (!word.Known || word.Mask.Has(col)) && (want.Has(col) || p.world.Has(p.entity(slot), p.cols[col].id)) {
			shown.Set(col)
		}
	}
	return shown
}

// giveWay has the relation that an entity has give way to the one that it is to get.
func (p *Prediction) giveWay(e ecs.Entity) {
	for _, id := range p.world.Ids(e) {
		if info, _ := ecs.ComponentInfo(p.world, id); info.IsRelation && !slices.Contains(p.drops, id) {
			p.drops = append(p.drops, id)
		}
	}
}

// aim has the relation of an entity, if it has one of these, lead to a target. One that is
// gone is none, and none to compare with either: the game has removed it.
func (p *Prediction) aim(slot rollback.Slot, relations rollback.Mask, target ecs.Entity) {
	e := p.entity(slot)
	if target == e || !target.IsZero() && !p.world.Alive(target) {
		if word := p.memory.Confirmed(slot); columns.UnpackEntity(word.Target) == target {
			word.Target = 0
		}
		target = ecs.Entity{}
	}
	for col := relations.Next(0); col >= 0; col = relations.Next(col + 1) {
		if id := p.cols[col].id; p.world.Has(e, id) && p.world.Relations().Get(e, id) != target {
			p.writer.SetTarget(e, id, target)
		}
	}
}
