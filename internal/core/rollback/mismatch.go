package rollback

import "github.com/entangle-ecs/entangle"

// Mismatch is one difference between a history and the confirmed state.
type Mismatch struct {
	Slot Slot
	Tick entangle.Tick // the tick after which they differ
	Kind Kind
	Col  int // the column that differs; for Structure the first one; -1 if there is none
}

// Kind is the kind of a difference.
type Kind uint8

const (
	// Value means that one value differs.
	Value Kind = iota
	// Structure means that the columns or the target of the relation differ.
	Structure
	// Spawned means that the entity exists on the server but not in the history.
	Spawned
	// Despawned means that the entity exists in the history but not on the server.
	Despawned
)

func (k Kind) String() string {
	return [...]string{"value", "structure", "spawned", "despawned"}[k]
}
