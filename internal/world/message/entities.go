package message

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// MaxRefs bounds the different entities that one message or resource may refer to. A value with
// more is refused where it is sent.
const MaxRefs = 1 << 12

// entityTable gathers the entities of one value, also those that are not replicated, and those
// that have ended: what becomes of an entity is no change of a value, for it would tell those of
// it who may not see it.
type entityTable struct {
	entities []ecs.Entity
	numbers  repl.Numbering[uint64]
	full     bool // there were more than MaxRefs
}

func (t *entityTable) reset() {
	t.entities, t.full = t.entities[:0], false
	t.numbers.Reset()
}

// Index implements wire.RefWriter.
func (t *entityTable) Index(e ecs.Entity) uint32 {
	if e.IsZero() {
		return 0
	}
	key := uint64(e.ID())<<32 | uint64(e.Generation())
	if i := t.numbers.Find(key); i != 0 {
		return i
	}
	if len(t.entities) == MaxRefs {
		t.full = true
		return 0
	}
	t.entities = append(t.entities, e)
	return t.numbers.Add(key)
}

// At implements wire.RefReader, for the same table.
func (t *entityTable) At(index uint32) (ecs.Entity, bool) {
	if index == 0 || int64(index) > int64(len(t.entities)) {
		return ecs.Entity{}, index == 0
	}
	return t.entities[index-1], true
}
