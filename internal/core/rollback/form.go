package rollback

import (
	"github.com/entangle-ecs/entangle/internal/set"
)

// Slot is the number of an entity, which is small and never 0.
type Slot uint32

// Form is the structure of one entity at the end of a tick. The zero Form belongs to an entity that
// does not exist.
type Form struct {
	Alive    bool     // the entity exists, even if its components are disabled
	Disabled bool     // its components are disabled: Mask is empty
	Mask     set.Mask // the columns that it has
	Target   uint64   // of its relation, as packed by the caller; 0 without one
}
