package rollback

import "github.com/entangle-ecs/entangle"

// Mismatch is one difference between a history and the confirmed state.
type Mismatch struct {
	Slot Slot
	Tick entangle.Tick // the tick at the end of which they differ
	Kind Kind
	Col  int // the column that differs, for Structure the first one; -1: none
}

// Kind is the kind of a difference.
type Kind uint8

const (
	// Value means that one value differs.
	Value Kind = iota
	// Structure means that the columns differ, or the target of the relation.
	Structure
	// Spawned means that the entity exists on the server, and not in the history.
	Spawned
	// Despawned means that the entity exists in the history, and not on the server.
	Despawned
)

func (k Kind) String() string {
	return [...]string{"value", "structure", "spawned", "despawned"}[k]
}
