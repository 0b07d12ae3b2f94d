package predict

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// shaper adds and removes components of predicted entities.
type shaper struct {
	*entities
	adds  []ecs.ID // scratch
	drops []ecs.ID // scratch
}

// exchange adds and removes components of an entity. Of the columns in among, the entity then has
// exactly those that are also in want, and at most one relation.
func (s *shaper) exchange(slot rollback.Slot, want, among set.Mask) {
	e := s.entity(slot)
	s.adds, s.drops = s.adds[:0], s.drops[:0]
	want, related := s.oneRelation(slot, want), false
	for col := range among.All() {
		id := s.cols[col].id
		switch has := s.world.Has(e, id); {
		case has && !want.Has(col):
			s.drops = append(s.drops, id)
		case !has && want.Has(col):
			s.adds = append(s.adds, id)
			related = related || s.modes.relation.Has(col)
		}
	}
	if related {
		s.dropRelation(e)
	}
	s.writer.Exchange(e, s.adds, s.drops, nil)
}

// oneRelation reduces the relations that an entity should have to one, because Arche allows only
// one. A simple relation is preferred to a compared one, and a compared one to one of the game's
// own.
func (s *shaper) oneRelation(slot rollback.Slot, want set.Mask) set.Mask {
	related := want.And(s.modes.relation)
	for _, of := range [...]set.Mask{s.simpleRelations(slot, want), related.And(s.modes.full), related} {
		if col := of.Next(0); col >= 0 {
			stays := want.Has(col)
			if want = want.Without(s.modes.relation); stays {
				want.Set(col)
			}
			break
		}
	}
	return want
}

// simpleRelations returns the simple relations that an entity has or should have.
func (s *shaper) simpleRelations(slot rollback.Slot, want set.Mask) (shown set.Mask) {
	state := s.store.Confirmed(slot)
	simple := s.modes.relation.And(s.modes.simple)
	for col := range simple.All() {
		if (!state.Known || state.Mask.Has(col)) && (want.Has(col) || s.world.Has(s.entity(slot), s.cols[col].id)) {
			shown.Set(col)
		}
	}
	return shown
}

// dropRelation drops the relation that an entity has, so that it can get another.
func (s *shaper) dropRelation(e ecs.Entity) {
	for _, id := range s.world.Ids(e) {
		if info, _ := ecs.ComponentInfo(s.world, id); info.IsRelation && !slices.Contains(s.drops, id) {
			s.drops = append(s.drops, id)
		}
	}
}

// setTarget sets the target of an entity's relation, if it has one of these relations. A target that
// the game has removed counts as no target, and is not compared.
func (s *shaper) setTarget(slot rollback.Slot, relations set.Mask, target ecs.Entity) {
	e := s.entity(slot)
	if target == e || !target.IsZero() && !s.world.Alive(target) {
		if state := s.store.Confirmed(slot); columns.UnpackEntity(state.Target) == target {
			state.Target = 0
		}
		target = ecs.Entity{}
	}
	for col := range relations.All() {
		if id := s.cols[col].id; s.world.Has(e, id) && s.world.Relations().Get(e, id) != target {
			s.writer.SetTarget(e, id, target)
		}
	}
}
