package rollback

import "github.com/entangle-ecs/entangle"

// Mismatch is one difference between a history and the confirmed state.
type Mismatch struct {
	Slot Slot
	Tick entangle.Tick // they differ at its end
	Kind Kind
	Col  int // the column that differs, for Structure the first; -1: none
}

// Kind is the kind of a difference.
type Kind uint8

const (
	// Value: one value.
	Value Kind = iota
	// Structure: other columns, or another target of the relation.
	Structure
	// Spawned: the entity exists on the server, and not in the history.
	Spawned
	// Despawned: the entity exists in the history, and not on the server.
	Despawned
)

func (k Kind) String() string {
	return [...]string{"value", "structure", "spawned", "despawned"}[k]
}
