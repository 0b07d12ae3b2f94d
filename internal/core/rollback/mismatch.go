package rollback

import "github.com/entangle-ecs/entangle"

// Mismatch is one way in which a history and the server's word differ.
type Mismatch struct {
	Slot Slot
	Tick entangle.Tick // at whose end they differ
	Kind Kind
	Col  int // the column that differs, for Structure the first; -1: none
}

// Kind is what differs.
type Kind uint8

const (
	// Value: one value.
	Value Kind = iota
	// Structure: it has other columns, or its relation another target.
	Structure
	// Spawned: the server has it, and the history does not.
	Spawned
	// Despawned: the history has it, and the server does not.
	Despawned
)

func (k Kind) String() string {
	return [...]string{"value", "structure", "spawned", "despawned"}[k]
}
