package message

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// MaxRefs bounds the different entities that one message or resource may refer to. A value with
// more is refused where it is sent.
const MaxRefs = 1 << 12

// entityTable collects the entities of one value, including entities that are not replicated or
// have despawned. The fate of an entity does not change a value: otherwise the value would reveal
// it to clients that may not see the entity.
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
